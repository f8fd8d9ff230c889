import { ALL_COMMANDS } from '../surfaces/cli/commands/index.ts'
import { type LeafSpec, type OptionSpec, usageOf } from '../surfaces/cli/leaf.ts'
import { FORMAT_DOCS } from '../surfaces/cli/output/present.ts'
import { OUTPUT_OPTIONS, RUN_OPTIONS } from '../surfaces/cli/run-flags.ts'
import { code, page, table } from './page.ts'

export const cliPage = (): string =>
  page(
    'The command line',
    'stdout carries data only; progress and notes go to stderr. Exit codes are those of [failures](failures.md); ' +
      '130 follows a second Ctrl-C, and 141 a reader that stopped reading.',
    '## Operations',
    '`unicli <site> <command> [arguments] [options]` runs an operation; `unicli list` names them all and ' +
      '`unicli describe <operation>` tells the arguments of one. Besides its own arguments each takes:',
    options(RUN_OPTIONS),
    '## Options of every command',
    options(OUTPUT_OPTIONS),
    table(
      ['format', ''],
      Object.entries(FORMAT_DOCS).map(([format, doc]) => [code(format), doc]),
    ),
    ...ALL_COMMANDS.toSorted((a, b) => (a.name < b.name ? -1 : 1)).flatMap(command),
  )

const command = (leaf: LeafSpec): string[] => [
  `## unicli ${leaf.name}`,
  leaf.doc,
  `\`\`\`\n${[usageOf(leaf), ...leaf.examples].join('\n')}\n\`\`\``,
  ...(leaf.operands.length > 0
    ? [
        table(
          ['argument', ''],
          leaf.operands.map(({ name, required, doc, choices }) => [
            code(required ? `<${name}>` : `[${name}]`),
            withChoices(doc, choices),
          ]),
        ),
      ]
    : []),
  ...ownOptions(leaf),
  ...(leaf.notes ?? []),
]

const ownOptions = (leaf: LeafSpec): string[] => {
  const own = leaf.options.filter(option => !OUTPUT_OPTIONS.includes(option))
  return own.length > 0 ? [options(own)] : []
}

const options = (specs: readonly OptionSpec[]): string =>
  table(
    ['option', ''],
    specs
      .filter(({ hidden }) => !hidden)
      .map(({ flags, doc, choices }) => [code(flags), withChoices(doc, choices)]),
  )

const withChoices = (doc: string, choices: readonly string[] | undefined): string =>
  choices && choices.length > 0 ? `${doc} (${choices.map(code).join(', ')})` : doc
