import { Failure } from '../../../shared/failures.ts'
import { nearestName } from '../../kernel/nearest.ts'
import type { Catalogue } from '../../kernel/operation.ts'
import { ALL_COMMANDS, COMMAND_WORDS, findCommand, subcommandsOf } from './commands/index.ts'
import { sitesOf } from './commands/operations.ts'
import { firstScreen } from './first-screen.ts'
import { helpOf } from './leaf.ts'
import { operationLeaf } from './operation-leaf.ts'
import { FORMAT_DOCS } from './output/present.ts'
import { toTable } from './output/table.ts'
import type { CliParts } from './parts.ts'
import type { Stream } from './terminal.ts'

/** Help on what the words name: nothing, `commands`, `formats`, a command, a group of commands, a site, an operation. */
export function helpFor(parts: CliParts, first: string | null, second: string | null, out: Stream): string {
  const { catalogue } = parts.kernel
  if (first === null) return firstScreen(parts.version)
  if (first === 'commands' || first === 'help') return commandsHelp(out)
  if (first === 'formats') return formatsHelp(out)
  const found = findCommand(ALL_COMMANDS, first, second)
  if (found) return helpOf(found.command, out)
  if (subcommandsOf(first).length > 0) return groupHelp(first, out)
  const operation = catalogue.get(first.includes('.') ? first : `${first}.${second}`)
  if (operation) return helpOf(operationLeaf(operation), out)
  const site = second === null ? siteHelp(catalogue, first, out) : null
  if (site !== null) return site
  throw unknownWord(parts, second === null ? first : `${first}.${second}`)
}

/** One word that is neither a command nor a site, or a command that its site has not. */
export function unknownWord(parts: Pick<CliParts, 'kernel'>, word: string): Failure {
  const near = word.includes('.') ? null : nearestName(word, [...COMMAND_WORDS, ...sitesOf(parts)])
  const ids = parts.kernel.catalogue.nearest(word)
  return new Failure('unknown_operation', { name: word, nearest: near === null ? ids : [near] })
}

function siteHelp(catalogue: Catalogue, site: string, out: Stream): string | null {
  const operations = catalogue.list().filter(operation => operation.site === site)
  if (operations.length === 0) return null
  return listHelp(
    `Usage: unicli ${site} <command> [options]`,
    operations.map(({ command, doc }) => [command, doc]),
    `Arguments and an example: unicli ${site} <command> --help`,
    out,
  )
}

/** Help on a word such as `config` that others follow. */
export const groupHelp = (group: string, out: Stream): string =>
  listHelp(
    `Usage: unicli ${group} <${subcommandsOf(group).join('|')}>`,
    ALL_COMMANDS.filter(({ name }) => name.startsWith(`${group} `)).map(({ name, doc }) => [name, doc]),
    `More: unicli ${group} <command> --help`,
    out,
  )

const commandsHelp = (out: Stream): string =>
  listHelp(
    'Usage: unicli <command> [options], or unicli <site> <command> [arguments] [options]',
    [
      ...ALL_COMMANDS.map(({ name, doc }) => [name, doc]),
      ['help', 'Show help on anything; "help formats" on how answers are written.'],
    ],
    'More: unicli <command> --help. Sites and their commands: unicli list.',
    out,
  )

const formatsHelp = (out: Stream): string =>
  listHelp(
    'Usage: unicli … --format <format>',
    Object.entries(FORMAT_DOCS),
    'Without it: UNICLI_OUTPUT, then the setting output.format, then table on a terminal and json elsewhere, ' +
      'whose rows then hold the declared columns alone (--full for all, --brief for the same in any format).',
    out,
  )

function listHelp(head: string, rows: readonly (readonly unknown[])[], foot: string, out: Stream): string {
  const table = toTable({ columns: ['', ''], rows: rows.map(row => [...row]) }, null, out.paint)
  const lines = table.text.trimEnd().split('\n').slice(1)
  return `${head}\n\n${lines.map(line => `  ${line}`).join('\n')}\n\n${foot}\n`
}
