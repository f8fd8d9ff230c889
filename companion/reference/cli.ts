import { ALL_COMMANDS } from '../surfaces/cli/commands/index.ts'
import { type LeafSpec, type OptionSpec, usageOf } from '../surfaces/cli/leaf.ts'
import { OUTPUT_OPTIONS, RUN_OPTIONS } from '../surfaces/cli/run-flags.ts'
import { code, page, table } from './page.ts'

export const cliPage = (): string =>
  page(
    'The command line',
    'stdout carries data only; progress and notes go to stderr. Exit codes are those of [failures](failures.md).',
    '## Operations',
    '`unicli <site> <command> [arguments] [options]` runs an operation; `unicli list` names them all and ' +
      '`unicli describe <operation>` tells the arguments of one. Besides its own arguments each takes:',
    options(RUN_OPTIONS),
    '## Options of every command',
    options(OUTPUT_OPTIONS),
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
  ...(leaf.options.length > 0 ? [options(leaf.options)] : []),
  ...(leaf.notes ?? []),
]

const options = (specs: readonly OptionSpec[]): string =>
  table(
    ['option', ''],
    specs
      .filter(({ hidden }) => !hidden)
      .map(({ flags, doc, choices }) => [code(flags), withChoices(doc, choices)]),
  )

const withChoices = (doc: string, choices: readonly string[] | undefined): string =>
  choices && choices.length > 0 ? `${doc} (${choices.map(code).join(', ')})` : doc
