import { Failure } from '../../../shared/failures.ts'
import { isRecord, parsedJson } from '../../../shared/json.ts'
import type { ArgumentSpec } from './arguments.ts'

/** What one argument was given: words, or a bare flag. */
export type Given = readonly string[] | boolean

export interface GivenArguments {
  operation: string
  specs: readonly ArgumentSpec[]
  flags: ReadonlyMap<string, Given>
  operands: readonly string[]
  /** Text of `--args`, or null. */
  json: string | null
  /** Reads stdin to its end; called once at most. */
  readStdin(): Promise<string>
}

/**
 * Turns words into typed values. Whether they are the right ones is for the kernel to say, with the same schema
 * as on every surface; only what is no value at all fails here, with invalid_args.
 *
 * A `-` stands for stdin: as `--args -` for the whole object, as a value for its text without the last line end.
 */
export async function argumentValues(given: GivenArguments): Promise<Record<string, unknown>> {
  const words = placed(given)
  const stdin = stdinOnce(given, words)
  const values: Record<string, unknown> = given.json === null ? {} : await wholeObject(given, stdin)
  const problems: string[] = []
  for (const spec of given.specs) {
    const word = words.get(spec.name)
    if (word === undefined) continue
    if (typeof word === 'boolean') {
      values[spec.name] = word
      continue
    }
    const parsed = await Promise.all(
      word.map(async text =>
        typedValue(spec, text === '-' ? (await stdin()).replace(/\r?\n$/, '') : text, problems),
      ),
    )
    values[spec.name] = spec.list ? parsed : parsed.at(-1)
  }
  if (problems.length > 0) throw new Failure('invalid_args', { operation: given.operation, problems })
  return values
}

/** Operands fill, in order, the places that no flag has filled; a list at the last place takes all the rest. */
function placed({ operation, specs, flags, operands }: GivenArguments): Map<string, Given> {
  const words = new Map(flags)
  const open = specs.filter(spec => spec.place !== null && !words.has(spec.name))
  const rest = [...operands]
  for (const spec of open) {
    if (rest.length === 0) break
    words.set(spec.name, spec.list ? rest.splice(0) : rest.splice(0, 1))
  }
  const [extra] = rest
  if (extra !== undefined)
    throw new Failure('invalid_args', {
      operation,
      problems: [`"${extra}" is one word too many (quote what belongs together)`],
    })
  return words
}

function stdinOnce({ operation, json, readStdin }: GivenArguments, words: ReadonlyMap<string, Given>) {
  const wanted = [...words].filter(([, word]) => typeof word !== 'boolean' && word.includes('-'))
  const names = [...(json === '-' ? ['--args'] : []), ...wanted.map(([name]) => name)]
  if (names.length > 1)
    throw new Failure('invalid_args', {
      operation,
      problems: [`stdin can be one argument only, not ${names.join(' and ')}`],
    })
  let text: Promise<string> | undefined
  return () => {
    text ??= readStdin()
    return text
  }
}

async function wholeObject(
  { operation, json }: GivenArguments,
  stdin: () => Promise<string>,
): Promise<Record<string, unknown>> {
  const text = json === '-' ? await stdin() : (json ?? '')
  const value = parsedJson(text, undefined)
  if (isRecord(value)) return { ...value }
  const problem = value === undefined ? 'is not JSON' : 'is not a JSON object'
  throw new Failure('invalid_args', { operation, problems: [`--args ${problem}`] })
}

function typedValue(spec: ArgumentSpec, text: string, problems: string[]): unknown {
  const { kinds } = spec
  if (kinds.has('number') && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (kinds.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (kinds.has('json')) {
    const value = parsedJson(text, undefined)
    if (value !== undefined && (typeof value === 'object' || !kinds.has('text'))) return value
  }
  if (kinds.has('text')) return text
  problems.push(`${spec.flag} takes ${wanted(spec)}${spec.secret ? '' : `, not "${text}"`}`)
  return undefined
}

const WORDS = { text: 'text', number: 'a number', boolean: 'true or false', json: 'JSON' } as const
const wanted = ({ kinds }: ArgumentSpec): string => [...kinds].map(kind => WORDS[kind]).join(' or ')
