import type { OptionSpec } from './leaf.ts'
import { OUTPUT_OPTIONS, RUN_OPTIONS } from './run-flags.ts'

/** The first two words that are no options, and how to take them out again. */
export interface Words {
  first: string | null
  second: string | null
  /** What is left for the command that `count` of these words name. */
  rest(count: 0 | 1 | 2): string[]
}

/**
 * Options may come before the words that choose the command, but only those that every command knows: of any
 * other one cannot tell yet whether the next word is its value.
 */
export function wordsOf(argv: readonly string[]): Words {
  const places: number[] = []
  for (let at = 0; at < argv.length && places.length < 2; at += 1) {
    const word = argv[at] ?? ''
    if (!word.startsWith('-') || word === '-') {
      places.push(at)
      continue
    }
    const option = COMMON.get(word.split('=', 1)[0] ?? '')
    if (option === undefined) break
    if (option.flags.includes('<') && !word.includes('=')) at += 1
  }
  const [first, second] = places
  return {
    first: first === undefined ? null : (argv[first] ?? null),
    second: second === undefined ? null : (argv[second] ?? null),
    rest: count => argv.filter((_, at) => !places.slice(0, count).includes(at)),
  }
}

const COMMON: ReadonlyMap<string, OptionSpec> = new Map(
  [...OUTPUT_OPTIONS, ...RUN_OPTIONS].flatMap(option =>
    (option.flags.match(/--?[\w-]+/g) ?? []).map(name => [name, option] as const),
  ),
)
