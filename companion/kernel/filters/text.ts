import { text } from '../expression-values.ts'
import { columnsOf, countOf, type Filter, graphemesOf, numberOf, textOf } from './filter.ts'

/** More than any column is wide. */
const MOST_PADDING = 10_000

export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  string: {
    doc: 'As text: nothing for null, JSON for lists and objects.',
    params: [],
    example: ['12 | string', '12'],
    aliases: ['str', 'text'],
    run: (v, _, fuel) => textOf(v, fuel),
  },
  upper: {
    doc: 'Upper case.',
    params: [],
    example: ["'abc' | upper", 'ABC'],
    aliases: ['uppercase'],
    run: (v, _, fuel) => textOf(v, fuel, 2).toUpperCase(),
  },
  lower: {
    doc: 'Lower case.',
    params: [],
    example: ["'ABC' | lower", 'abc'],
    aliases: ['lowercase'],
    run: (v, _, fuel) => textOf(v, fuel, 2).toLowerCase(),
  },
  capitalize: {
    doc: 'The first letter in upper case, the rest as it is.',
    params: [],
    example: ["'hello World' | capitalize", 'Hello World'],
    run: (v, _, fuel) => textOf(v, fuel).replace(/^\p{Ll}/u, letter => letter.toUpperCase()),
  },
  title: {
    doc: 'Every word with a capital.',
    params: [],
    example: ["'the quick fox' | title", 'The Quick Fox'],
    aliases: ['titlecase', 'title_case'],
    run: (v, _, fuel) =>
      textOf(v, fuel, 10).replaceAll(
        /\p{L}[\p{L}\p{M}\p{N}'’]*/gu,
        word => `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`,
      ),
  },
  trim: {
    doc: 'Without white space, or without any of the given characters, at both ends.',
    params: ['characters?'],
    example: ["'  a ' | trim", 'a'],
    run: (v, [characters], fuel) =>
      characters === undefined
        ? textOf(v, fuel).trim()
        : trimmed(textOf(v, fuel), new Set(text(characters).slice(0, 100))),
  },
  squeeze: {
    doc: 'White space of any length becomes one space, and none at the ends.',
    params: [],
    example: ["' a \\n  b ' | squeeze", 'a b'],
    run: (v, _, fuel) => textOf(v, fuel, 3).replaceAll(/\s+/g, ' ').trim(),
  },
  truncate: {
    doc: 'At most n characters as people count them; a cut ends in the given sign.',
    params: ['n = 80', "end = '…'"],
    example: ["'你好世界' | truncate(3)", '你好…'],
    run: (v, [n, end], fuel) => {
      const parts = graphemesOf(textOf(v, fuel), fuel)
      const limit = Math.max(0, numberOf(n, 80))
      if (parts.length <= limit) return text(v)
      const sign = end === undefined ? ['…'] : graphemesOf(textOf(end, fuel), fuel)
      return [...parts.slice(0, Math.max(limit - sign.length, 0)), ...sign].slice(0, limit).join('')
    },
  },
  truncate_width: {
    doc: 'At most n columns of a terminal, where a Chinese character takes two.',
    params: ['n = 80', "end = '…'"],
    example: ["'你好世界' | truncate_width(5)", '你好…'],
    run: (v, [n, end], fuel) => {
      const all = textOf(v, fuel)
      const limit = Math.max(0, numberOf(n, 80))
      if (columnsOf(all, fuel) <= limit) return all
      const sign = fitting(end === undefined ? '…' : textOf(end, fuel), limit, fuel)
      return `${fitting(all, limit - columnsOf(sign, fuel), fuel)}${sign}`
    },
  },
  width: {
    doc: 'How many columns of a terminal it takes.',
    params: [],
    example: ["'ab你' | width", 4],
    run: (v, _, fuel) => columnsOf(textOf(v, fuel), fuel),
  },
  pad_start: {
    doc: 'Filled up in front to n characters.',
    params: ['n', "fill = ' '"],
    example: ["7 | pad_start(3, '0')", '007'],
    aliases: ['padstart', 'lpad'],
    run: (v, [n, fill], fuel) => {
      const count = countOf(n, 0, MOST_PADDING)
      fuel.spend(count)
      return textOf(v, fuel).padStart(count, fill === undefined ? ' ' : textOf(fill, fuel))
    },
  },
  pad_end: {
    doc: 'Filled up behind to n characters.',
    params: ['n', "fill = ' '"],
    example: ["'a' | pad_end(3, '.')", 'a..'],
    aliases: ['padend', 'rpad'],
    run: (v, [n, fill], fuel) => {
      const count = countOf(n, 0, MOST_PADDING)
      fuel.spend(count)
      return textOf(v, fuel).padEnd(count, fill === undefined ? ' ' : textOf(fill, fuel))
    },
  },
  repeat: {
    doc: 'So many times in a row.',
    params: ['n'],
    example: ["'ab' | repeat(3)", 'ababab'],
    run: (v, [n], fuel) => {
      const once = textOf(v, fuel)
      const count = countOf(n, 0, MOST_PADDING)
      fuel.spend(once.length * count)
      return once.repeat(count)
    },
  },
  replace: {
    doc: 'Every a becomes b; a is plain text, see replace_regex for patterns.',
    params: ['a', "b = ''"],
    example: ["'a b c' | replace(' ', '_')", 'a_b_c'],
    run: (v, [a, b], fuel) => {
      const from = textOf(a, fuel)
      if (from === '') return textOf(v, fuel)
      const to = textOf(b, fuel)
      const parts = textOf(v, fuel, 2).split(from)
      fuel.spend((parts.length - 1) * (to.length + 2))
      return parts.join(to)
    },
  },
  split: {
    doc: 'A list of the parts between separators; with empty text, of the characters.',
    params: ["separator = ','"],
    example: ["'a,b' | split(',')", ['a', 'b']],
    run: (v, [separator], fuel) => {
      const all = textOf(v, fuel, 4)
      const by = separator === undefined ? ',' : textOf(separator, fuel)
      return by === '' ? graphemesOf(all, fuel) : all.split(by)
    },
  },
  lines: {
    doc: 'A list of its lines, without empty ones.',
    params: [],
    example: ["'a\\n\\nb' | lines", ['a', 'b']],
    run: (v, _, fuel) =>
      textOf(v, fuel, 4)
        .split(/\r?\n|\r/)
        .filter(line => line.trim() !== ''),
  },
  before: {
    doc: 'What stands before the first a; all of it when there is none.',
    params: ['a'],
    example: ["'user@host' | before('@')", 'user'],
    run: (v, [a], fuel) => {
      const all = textOf(v, fuel, 2)
      const at = all.indexOf(textOf(a, fuel))
      return at === -1 ? all : all.slice(0, at)
    },
  },
  after: {
    doc: 'What stands after the first a; nothing when there is none.',
    params: ['a'],
    example: ["'user@host' | after('@')", 'host'],
    run: (v, [a], fuel) => {
      const all = textOf(v, fuel, 2)
      const mark = textOf(a, fuel)
      const at = all.indexOf(mark)
      return at === -1 ? '' : all.slice(at + mark.length)
    },
  },
  starts_with: {
    doc: 'Whether it starts so.',
    params: ['a'],
    example: ["'abc' | starts_with('ab')", true],
    run: (v, [a], fuel) => textOf(v, fuel).startsWith(textOf(a, fuel)),
  },
  ends_with: {
    doc: 'Whether it ends so.',
    params: ['a'],
    example: ["'abc' | ends_with('bc')", true],
    run: (v, [a], fuel) => textOf(v, fuel).endsWith(textOf(a, fuel)),
  },
  slugify: {
    doc: 'Lower-case words with hyphens between; letters of every script stay, accents go.',
    params: ["separator = '-'"],
    example: ["'Crème Brûlée, 你好!' | slugify", 'creme-brulee-你好'],
    aliases: ['slug'],
    run: (v, [separator], fuel) =>
      (
        textOf(v, fuel, 20)
          .normalize('NFKD')
          .replaceAll(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
          .normalize('NFC')
          .toLowerCase()
          .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
      ).join(separator === undefined ? '-' : textOf(separator, fuel).slice(0, 10)),
  },
}

/** The beginning of a text that takes no more columns than there are. */
function fitting(value: string, room: number, fuel: Parameters<Filter['run']>[2]): string {
  const parts = graphemesOf(value, fuel)
  let width = 0
  const over = parts.findIndex(grapheme => {
    width += columnsOf(grapheme, fuel)
    return width > room
  })
  return over === -1 ? value : parts.slice(0, over).join('')
}

function trimmed(value: string, characters: ReadonlySet<string>): string {
  let start = 0
  let end = value.length
  while (start < end && characters.has(value.charAt(start))) start += 1
  while (end > start && characters.has(value.charAt(end - 1))) end -= 1
  return value.slice(start, end)
}
