import { Command, type Help, Option } from 'commander'
import { Failure } from '../../../shared/failures.ts'
import { choice } from './choice.ts'
import { widthOf } from './output/text.ts'
import type { CliParts } from './parts.ts'
import type { Stream } from './terminal.ts'

export interface OptionSpec {
  /** As Commander writes it: `-f, --format <format>`, `--dry-run`. */
  flags: string
  doc: string
  /** No other word is taken, unless the kernel is to judge. */
  choices?: readonly string[]
  /** An argument of an operation: whether its value fits is judged with the schema, as on every surface. */
  isArgument?: boolean
  /** Shown in the help only: what is not given stays away, so that one place alone applies defaults. */
  default?: unknown
  /** Heading in the help. */
  group?: string
  hidden?: boolean
  repeats?: boolean
  /** Values for the shell's completion that only the companion knows. */
  complete?: Completer
}

export interface OperandSpec {
  name: string
  doc: string
  required: boolean
  variadic?: boolean
  choices?: readonly string[]
  complete?: Completer
}

export type Completer = (parts: CliParts) => readonly string[]

/** One thing that can be typed, as data: what Commander parses and what the help shows. */
export interface LeafSpec {
  /** Words after `unicli`; empty for unicli itself. */
  name: string
  doc: string
  operands: readonly OperandSpec[]
  options: readonly OptionSpec[]
  /** Whole command lines. */
  examples: readonly string[]
  /** More for the help, below the options. */
  notes?: readonly string[]
}

export interface Parsed {
  operands: string[]
  /** Every word that the flag was given, in order; empty when it was not. */
  texts(flag: string): readonly string[]
  /** The last of them, or undefined. */
  text(flag: string): string | undefined
  /** True or false when given, for a flag without a value. */
  bare(flag: string): boolean | undefined
}

/** Fails with usage for what cannot be parsed; names the flag that was probably meant. */
export function parseLeaf(spec: LeafSpec, argv: readonly string[]): Parsed {
  const command = commandOf(spec)
  command.parse(argv, { from: 'user' })
  const values = command.opts<Record<string, unknown>>()
  const keys = new Map(command.options.map(option => [option.long, option.attributeName()]))
  const valueAt = (flag: string) => values[keys.get(flag) ?? '']
  const texts = (flag: string) => {
    const value = valueAt(flag)
    return Array.isArray(value) ? value.map(String) : []
  }
  for (const option of spec.options) checkChoice(option, texts)
  return {
    operands: command.args,
    texts,
    text: flag => texts(flag).at(-1),
    bare: flag => {
      const value = valueAt(flag)
      return typeof value === 'boolean' ? value : undefined
    },
  }
}

function checkChoice({ flags, choices, isArgument }: OptionSpec, texts: Parsed['texts']): void {
  if (choices === undefined || isArgument) return
  const flag = longOf(flags)
  for (const word of texts(flag)) choice(word, choices, flag)
}

/** Takes operands by their place; fails with usage when a required one is missing or there is one too many. */
export function takeOperands(spec: LeafSpec, operands: readonly string[]): void {
  const missing = spec.operands[operands.length]
  if (missing?.required)
    throw new Failure('usage', {
      problem: `"unicli ${spec.name}" needs <${missing.name}>: ${missing.doc}`,
      hint: `For example: ${spec.examples[0] ?? usageOf(spec)}`,
    })
  if (operands.length > spec.operands.length && !spec.operands.at(-1)?.variadic)
    throw new Failure('usage', {
      problem: `"${operands[spec.operands.length]}" is one word too many for "unicli ${spec.name}".`,
      hint: `Usage: ${usageOf(spec)}`,
    })
}

export function usageOf({ name, operands }: LeafSpec): string {
  const terms = operands.map(({ name: operand, required, variadic }) => {
    const term = variadic ? `${operand}...` : operand
    return required ? `<${term}>` : `[${term}]`
  })
  return ['unicli', ...(name === '' ? [] : [name]), ...terms, '[options]'].join(' ')
}

export function helpOf(spec: LeafSpec, { paint, width }: Stream): string {
  const command = commandOf(spec)
  command.configureHelp({
    ...(width !== null && { helpWidth: Math.min(width, 110) }),
    displayWidth: widthOf,
    styleTitle: text => paint.bold(text),
    styleOptionTerm: text => paint.cyan(text),
    styleArgumentTerm: text => paint.cyan(text),
  } satisfies Partial<Help>)
  const blocks = [
    command.helpInformation().trimEnd(),
    ...(spec.examples.length > 0
      ? [`${paint.bold('Examples:')}\n${spec.examples.map(example => `  ${example}`).join('\n')}`]
      : []),
    ...(spec.notes ?? []),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** `--format` of `-f, --format <format>`. */
export const longOf = (flags: string): string => /--[\w-]+/.exec(flags)?.[0] ?? flags

class Leaf extends Command {
  override error(message: string): never {
    const [problem = '', hint = ''] = message.replace(/^error: /, '').split('\n')
    throw new Failure('usage', {
      problem: `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`,
      hint: hint.replace(/^\(|\)$/g, '') || `Run "unicli ${this.name()} --help".`.replace('  ', ' '),
    })
  }
}

/** Operands are all optional to Commander: a flag may stand for one, and `--help` needs none. */
function commandOf(spec: LeafSpec): Command {
  const command = new Leaf(spec.name)
    .description(spec.doc)
    .usage(
      usageOf(spec)
        .replace(/^unicli ?/, '')
        .slice(spec.name.length)
        .trim(),
    )
    .helpOption(false)
    .allowExcessArguments()
    .exitOverride()
  if (spec.name !== '') command.name(`unicli ${spec.name}`)
  for (const { name, doc, variadic } of spec.operands)
    command.argument(`[${name}${variadic ? '...' : ''}]`, doc)
  for (const option of spec.options) command.addOption(optionOf(option))
  return command
}

function optionOf(spec: OptionSpec): Option {
  const option = new Option(spec.flags, describe(spec))
  // Words are kept as they were typed, all of them: typing them is for whoever knows the type.
  if (option.required) option.argParser((word: string, before?: string[]) => [...(before ?? []), word])
  if (spec.group !== undefined) option.helpGroup(spec.group)
  return option.hideHelp(spec.hidden ?? false)
}

function describe({ doc, choices, default: byDefault }: OptionSpec): string {
  const extras = [
    ...(choices && choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...(byDefault === undefined ? [] : [`default ${JSON.stringify(byDefault)}`]),
  ]
  return extras.length === 0 ? doc : `${doc} (${extras.join('; ')})`.trim()
}
