import type { Operation } from '../../kernel/operation.ts'
import type { Given } from './argument-values.ts'
import { type ArgumentSpec, argumentsOf } from './arguments.ts'
import type { LeafSpec, OptionSpec, Parsed } from './leaf.ts'
import { OUTPUT_OPTIONS, RESERVED, RUN_OPTIONS } from './run-flags.ts'

/** An operation as the command line takes it: all of it derived from the operation. */
export interface OperationLeaf extends LeafSpec {
  operation: Operation
  specs: readonly ArgumentSpec[]
}

export function operationLeaf(operation: Operation): OperationLeaf {
  const specs = argumentsOf(operation, RESERVED)
  return {
    operation,
    specs,
    name: `${operation.site} ${operation.command}`,
    doc: operation.doc,
    operands: specs
      .filter(spec => spec.place !== null)
      .map(spec => ({
        name: spec.name,
        doc: docOf(spec),
        required: spec.required,
        variadic: spec.list,
        choices: spec.choices,
      })),
    options: [...specs.flatMap(argumentOptions), ...RUN_OPTIONS, ...OUTPUT_OPTIONS],
    examples: [exampleOf(operation, specs)],
    notes: notesOf(operation),
  }
}

export function givenFlags(specs: readonly ArgumentSpec[], parsed: Parsed): Map<string, Given> {
  return new Map(
    specs.flatMap((spec): [string, Given][] => {
      const bare = parsed.bare(spec.flag)
      if (bare !== undefined) return [[spec.name, bare]]
      const words = parsed.texts(spec.flag)
      return words.length > 0 ? [[spec.name, words]] : []
    }),
  )
}

/** True for arguments that are a flag without a value. */
export const isBare = (spec: ArgumentSpec): boolean =>
  !spec.list && spec.kinds.size === 1 && spec.kinds.has('boolean') && spec.place === null

function argumentOptions(spec: ArgumentSpec): OptionSpec[] {
  const common = {
    choices: spec.choices,
    // Off is what every flag is until it is given.
    default: spec.default === false ? undefined : spec.default,
    doc: docOf(spec),
    isArgument: true,
    repeats: spec.list,
    hidden: spec.place !== null,
  }
  if (!isBare(spec)) return [{ ...common, flags: `${spec.flag} <${valueName(spec)}>` }]
  const negative = { flags: spec.flag.replace(/^--/, '--no-'), doc: `turns ${spec.flag} off` }
  return [
    { ...common, flags: spec.flag },
    { ...negative, hidden: spec.default !== true },
  ]
}

function valueName({ kinds }: ArgumentSpec): string {
  if (kinds.has('text')) return 'text'
  return kinds.has('number') ? 'number' : kinds.has('boolean') ? 'true|false' : 'json'
}

function docOf({ doc, flag, list, required, secret, place }: ArgumentSpec): string {
  const remarks = [
    ...(required && place === null ? ['required'] : []),
    ...(place !== null ? [`or ${flag}`] : []),
    ...(list ? ['may be repeated'] : []),
    ...(secret ? ['secret: give - and it is read from stdin'] : []),
  ]
  return remarks.length === 0 ? doc : `${doc} [${remarks.join('; ')}]`.trim()
}

/** The operation's example as it is typed: by place as far as places go without a gap, the rest by flag. */
export function exampleOf({ site, command, example }: Operation, specs: readonly ArgumentSpec[]): string {
  let placed = true
  const words = specs.flatMap(spec => {
    if (!Object.hasOwn(example, spec.name)) {
      placed = false
      return []
    }
    const value = example[spec.name]
    if (isBare(spec)) return [value === true ? spec.flag : spec.flag.replace(/^--/, '--no-')]
    const values = (spec.list && Array.isArray(value) ? value : [value]).map(asWord)
    placed &&= spec.place !== null && !values.some(word => word.startsWith('-'))
    return placed ? values : values.flatMap(word => [spec.flag, word])
  })
  return ['unicli', site, command, ...words].join(' ')
}

function asWord(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\p{L}\p{N}_.,:/=@%+-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function notesOf(operation: Operation): string[] {
  const { effect, strategy, strategies, aliases, verified, alternatives } = operation
  const facts = [
    `Effect: ${effect}.`,
    ...(strategy === null
      ? []
      : [`Strategy: ${strategy}${strategies.length > 1 ? ` (${strategies.join(', ')})` : ''}.`]),
    ...(verified === null ? [] : [`Verified: ${verified.how}, ${verified.date}.`]),
    ...(aliases.length === 0 ? [] : [`Also called: ${aliases.join(', ')}.`]),
    ...(alternatives.length === 0 ? [] : [`When it fails, try: ${alternatives.join(', ')}.`]),
  ]
  return [facts.join(' ')]
}
