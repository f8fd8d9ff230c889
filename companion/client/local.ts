import { Failure } from '../../shared/failures.ts'
import { nearestName } from '../kernel/nearest.ts'
import { openConfig } from '../state/config.ts'
import { pathsOf } from '../state/paths.ts'
import { doctor } from '../surfaces/cli/commands/doctor.ts'
import { findCommand, subcommandsOf } from '../surfaces/cli/commands/index.ts'
import { groupHelp } from '../surfaces/cli/help.ts'
import { helpOf, takeOperands } from '../surfaces/cli/leaf.ts'
import { Printer } from '../surfaces/cli/output/printer.ts'
import { wordsOf } from '../surfaces/cli/routing.ts'
import { examineAlone } from './doctor-command.ts'
import { LOCAL } from './local-commands.ts'
import { requestOf } from './request.ts'
import type { ClientSettings } from './settings.ts'

/** Runs a command that is about the companion itself, or speaks for it. Gives its exit code. */
export async function runLocal(settings: ClientSettings): Promise<number> {
  const printer = printerOf(settings)
  try {
    return await dispatch(settings, printer)
  } catch (error) {
    return printer.fail(error)
  }
}

/** Tells why the companion could not be asked, the way an answer would have been told. Gives the exit code. */
export async function failed(settings: ClientSettings, failure: Failure): Promise<number> {
  const printer = printerOf(settings)
  const { first, second } = wordsOf(settings.argv)
  if (first === doctor.name) return examined(settings, printer, failure)
  printer.ask(first ?? 'unicli', second ?? '')
  return printer.fail(failure)
}

async function examined(settings: ClientSettings, printer: Printer, failure: Failure): Promise<number> {
  try {
    return await examineAlone(settings, printer, failure)
  } catch (error) {
    return printer.fail(error)
  }
}

async function dispatch(settings: ClientSettings, printer: Printer): Promise<number> {
  const { first, second, rest } = wordsOf(settings.argv)
  const group = first ?? ''
  const found = findCommand(LOCAL, group, second)
  if (found === null) return noCommand(printer, group, second, settings.argv)
  const { command, words } = found
  printer.ask('unicli', command.name)
  const { parsed, flags } = printer.parse(command, rest(words))
  if (flags.help) return printer.print(helpOf(command, printer.terminal.out))
  takeOperands(command, parsed.operands)
  const answer = await command.run({ settings, paths: pathsOf(settings.env), parsed, flags, printer })
  return typeof answer === 'number' ? answer : printer.answer(answer)
}

function noCommand(printer: Printer, group: string, word: string | null, argv: readonly string[]): number {
  if (word === null && argv.every(each => each === group || each === '--help' || each === '-h'))
    return printer.print(groupHelp(group, printer.terminal.out))
  const known = subcommandsOf(group)
  const near = word === null ? null : nearestName(word, known)
  throw new Failure('usage', {
    problem: `There is no command "unicli ${group} ${word ?? argv[1] ?? ''}".`,
    hint: near === null ? `There is ${known.join(', ')}.` : `Did you mean unicli ${group} ${near}?`,
  })
}

function printerOf(settings: ClientSettings): Printer {
  const io = {
    out: (text: string) => process.stdout.write(text),
    err: (text: string) => process.stderr.write(text),
  }
  return new Printer(requestOf(settings), io, () => formatSetting(settings))
}

/** A home that cannot be read must not keep anybody from being told so. */
function formatSetting({ env }: ClientSettings): unknown {
  try {
    return openConfig(pathsOf(env).config).get('output.format')
  } catch (error) {
    if (Failure.is(error)) throw error
    throw new Failure('config_invalid', { key: 'output.format', reason: String(error) }, { cause: error })
  }
}
