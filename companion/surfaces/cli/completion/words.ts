import type { Operation } from '../../../kernel/operation.ts'
import { ALL_COMMANDS, COMMAND_WORDS, defaultOf, findCommand, subcommandsOf } from '../commands/index.ts'
import { sitesOf } from '../commands/operations.ts'
import type { Completer, LeafSpec, OptionSpec } from '../leaf.ts'
import { operationLeaf } from '../operation-leaf.ts'
import { oneLine } from '../output/text.ts'
import type { CliParts } from '../parts.ts'
import { wordsOf } from '../routing.ts'
import { OUTPUT_OPTIONS } from '../run-flags.ts'

/** One thing that may stand at the cursor. */
export interface Candidate {
  value: string
  doc: string
}

/**
 * What fits at the last of the words, which is unfinished and may be empty.
 *
 * @param words what was typed behind `unicli`
 */
export function candidates(parts: CliParts, words: readonly string[]): Candidate[] {
  const { before, current, prefix } = atCursor(words)
  const fits = ({ value }: Candidate) => value.startsWith(current) && !/\s/.test(value)
  return fitting(parts, before, current)
    .filter(fits)
    .map(({ value, doc }) => ({ value: prefix + value, doc: oneLine(doc) }))
}

export const candidateLines = (found: readonly Candidate[]): string =>
  found.map(({ value, doc }) => `${value}\t${doc}\n`).join('')

/** `--format=js` comes as one word from zsh and fish, as three from bash, which then wants the value alone. */
function atCursor(words: readonly string[]): { before: string[]; current: string; prefix: string } {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  if (current === '=' && isLong(before.at(-1))) return { before, current: '', prefix: '' }
  if (before.at(-1) === '=' && isLong(before.at(-2)))
    return { before: before.slice(0, -1), current, prefix: '' }
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? []
  if (flag === undefined) return { before, current, prefix: '' }
  return { before: [...before, flag], current: value ?? '', prefix: `${flag}=` }
}

const isLong = (word: string | undefined): boolean => word?.startsWith('--') ?? false

function fitting(parts: CliParts, before: readonly string[], current: string): Candidate[] {
  const { first, second, rest } = wordsOf(before)
  const place = placeOf(parts, first, second)
  const options = place.leaf?.options ?? OUTPUT_OPTIONS
  const typed = rest(place.words)
  const open = optionAt(options, typed.at(-1))
  if (open !== null) return valuesOf(parts, open)
  if (current.startsWith('-')) return flagsOf(options, typed)
  if (place.leaf === null) return place.next
  const operand = operandAt(place.leaf, options, typed)
  return [...place.next, ...(operand === undefined ? [] : valuesOf(parts, operand))]
}

interface Place {
  /** What the words so far name, when it can already be run. */
  leaf: LeafSpec | null
  words: 0 | 1 | 2
  /** Words that may name it further. */
  next: Candidate[]
}

function placeOf(parts: CliParts, first: string | null, second: string | null): Place {
  const { catalogue } = parts.kernel
  if (first === null) return { leaf: null, words: 0, next: firstWords(parts) }
  if (first === 'help') return { leaf: null, words: 1, next: second === null ? firstWords(parts) : [] }
  const found = findCommand(ALL_COMMANDS, first, second)
  if (found) return { leaf: found.command, words: found.words, next: [] }
  const subcommands = subcommandsOf(first).map(value => ({
    value,
    doc: ALL_COMMANDS.find(({ name }) => name === `${first} ${value}`)?.doc ?? '',
  }))
  if (subcommands.length > 0)
    return { leaf: second === null ? defaultOf(first) : null, words: 1, next: subcommands }
  const named = first.includes('.') ? catalogue.get(first) : null
  if (named) return { leaf: operationLeaf(named), words: 1, next: [] }
  if (second === null) return { leaf: null, words: 1, next: commandsOf(parts, first) }
  const operation = catalogue.get(`${first}.${second}`)
  return { leaf: operation && operationLeaf(operation), words: 2, next: [] }
}

function firstWords(parts: CliParts): Candidate[] {
  const own = COMMAND_WORDS.map(value => ({
    value,
    doc: ALL_COMMANDS.find(({ name }) => name === value)?.doc ?? subcommandsOf(value).join(', '),
  }))
  const count = (site: string) => parts.kernel.catalogue.list().filter(each => each.site === site).length
  return [...own, ...sitesOf(parts).map(site => ({ value: site, doc: `${count(site)} commands` }))]
}

const commandsOf = (parts: CliParts, site: string): Candidate[] =>
  parts.kernel.catalogue
    .list()
    .filter((operation: Operation) => operation.site === site)
    .map(({ command, doc }) => ({ value: command, doc }))

/** The option whose value the next word is, or null. */
function optionAt(options: readonly OptionSpec[], word: string | undefined): OptionSpec | null {
  if (!word?.startsWith('-') || word.includes('=')) return null
  return options.find(({ flags }) => flags.includes('<') && namesOf(flags).includes(word)) ?? null
}

const flagsOf = (options: readonly OptionSpec[], typed: readonly string[]): Candidate[] =>
  options
    .filter(
      ({ hidden, repeats, flags }) =>
        !hidden && (repeats || !namesOf(flags).some(name => typed.includes(name))),
    )
    .map(({ flags, doc }) => ({ value: namesOf(flags).at(-1) ?? '', doc }))

const namesOf = (flags: string): string[] => flags.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g) ?? []

function operandAt(leaf: LeafSpec, options: readonly OptionSpec[], typed: readonly string[]) {
  const done = typed.filter(
    (word, at) => !word.startsWith('-') && optionAt(options, typed[at - 1]) === null,
  ).length
  const last = leaf.operands.at(-1)
  return leaf.operands[done] ?? (last?.variadic ? last : undefined)
}

function valuesOf(
  parts: CliParts,
  { choices, complete }: { choices?: readonly string[]; complete?: Completer },
): Candidate[] {
  return [...(choices ?? complete?.(parts) ?? [])].map(value => ({ value, doc: '' }))
}
