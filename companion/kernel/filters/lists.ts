import { isRecord } from '../../../shared/json.ts'
import { own, text } from '../expression-values.ts'
import {
  countOf,
  type Filter,
  fieldOf,
  graphemesOf,
  kindOf,
  listOf,
  numberOf,
  recordOf,
  textOf,
} from './filter.ts'

export const LIST_FILTERS: Readonly<Record<string, Filter>> = {
  length: {
    doc: 'How many items, keys or characters.',
    params: [],
    example: ['[1, 2] | length', 2],
    aliases: ['size', 'count'],
    run: (v, _, fuel) => {
      if (typeof v === 'string') return graphemesOf(v, fuel).length
      if (v === null || v === undefined) return 0
      return Array.isArray(v) ? v.length : Object.keys(recordOf(v, fuel)).length
    },
  },
  first: {
    doc: 'The first item or character, or null.',
    params: [],
    example: ['[1, 2] | first', 1],
    run: (v, _, fuel) => (typeof v === 'string' ? graphemesOf(v, fuel)[0] : listOf(v, fuel, 0)[0]) ?? null,
  },
  last: {
    doc: 'The last item or character, or null.',
    params: [],
    example: ['[1, 2] | last', 2],
    run: (v, _, fuel) => (typeof v === 'string' ? graphemesOf(v, fuel) : listOf(v, fuel, 0)).at(-1) ?? null,
  },
  slice: {
    doc: 'Items or characters from a up to b, counted from 0; negative ones count from the end.',
    params: ['a', 'b?'],
    example: ['[1, 2, 3, 4] | slice(1, 3)', [2, 3]],
    run: (v, [a, b], fuel) => {
      const end = b === undefined || b === null ? undefined : numberOf(b)
      return Array.isArray(v)
        ? listOf(v, fuel).slice(numberOf(a), end)
        : graphemesOf(textOf(v, fuel), fuel).slice(numberOf(a), end).join('')
    },
  },
  reverse: {
    doc: 'Items or characters in the opposite order.',
    params: [],
    example: ['[1, 2, 3] | reverse', [3, 2, 1]],
    run: (v, _, fuel) =>
      typeof v === 'string' ? graphemesOf(v, fuel).toReversed().join('') : listOf(v, fuel).toReversed(),
  },
  unique: {
    doc: 'Without repeated items; with a key, without items whose field repeats. The first of each stays.',
    params: ['key?'],
    example: ["['a', 'b', 'a'] | unique", ['a', 'b']],
    aliases: ['uniq'],
    run: (v, [key], fuel) => {
      const seen = new Set<string>()
      return listOf(v, fuel, 10).filter(item => {
        const mark = JSON.stringify(key === undefined ? item : fieldOf(item, text(key))) ?? 'null'
        fuel.spend(mark.length)
        if (seen.has(mark)) return false
        seen.add(mark)
        return true
      })
    },
  },
  sort: {
    doc: 'In rising order, by a field when one is named, falling when said; what is equal keeps its order.',
    params: ['key?', "order = 'asc'"],
    example: ["[{ n: 2 }, { n: 1 }] | sort('n')", [{ n: 1 }, { n: 2 }]],
    run: (v, [key, order], fuel) => {
      const items = listOf(v, fuel, 60)
      const field = key === undefined || key === null ? null : text(key)
      const keyed = items.map(item => [field === null ? item : fieldOf(item, field), item] as const)
      for (const [value] of keyed) if (typeof value === 'string') fuel.spend(value.length)
      const sign = order === 'desc' ? -1 : 1
      return keyed.toSorted(([a], [b]) => sign * inOrder(a, b)).map(([, item]) => item)
    },
  },
  join: {
    doc: 'Items as one text with a separator between.',
    params: ["separator = ', '"],
    example: ["['a', 'b'] | join('-')", 'a-b'],
    run: (v, [separator], fuel) => {
      const between = separator === undefined ? ', ' : textOf(separator, fuel)
      const items = listOf(v, fuel).map(item => textOf(item, fuel))
      fuel.spend(items.length * (between.length + 1))
      return items.join(between)
    },
  },
  pluck: {
    doc: 'One field of every item; null where it is missing.',
    params: ['key'],
    example: ["[{ n: 1 }, { n: 2 }] | pluck('n')", [1, 2]],
    run: (v, [key], fuel) => listOf(v, fuel, 4).map(item => fieldOf(item, text(key))),
  },
  where: {
    doc: 'Only items whose field is the value, or is truthy when no value is given.',
    params: ['key', 'value?'],
    example: ["[{ n: 1 }, { n: 2 }] | where('n', 2)", [{ n: 2 }]],
    run: (v, [key, value], fuel) =>
      listOf(v, fuel, 4).filter(item => {
        const field = fieldOf(item, text(key))
        return value === undefined ? Boolean(field) : field === value
      }),
  },
  compact: {
    doc: 'Without items that are null or empty text.',
    params: [],
    example: ["[1, null, ''] | compact", [1]],
    run: (v, _, fuel) =>
      listOf(v, fuel, 2).filter(item => item !== null && item !== undefined && item !== ''),
  },
  flatten: {
    doc: 'Lists within the list become part of it, n levels deep.',
    params: ['n = 1'],
    example: ['[[1], [2, [3]]] | flatten', [1, 2, [3]]],
    run: (v, [n], fuel) => {
      const depth = countOf(n, 1, 100)
      const flat = listOf(v, fuel).flat(depth)
      fuel.spend(flat.length * 10)
      return flat
    },
  },
  chunk: {
    doc: 'Lists of n items each.',
    params: ['n'],
    example: ['[1, 2, 3] | chunk(2)', [[1, 2], [3]]],
    run: (v, [n], fuel) => {
      const size = Math.max(1, Math.trunc(numberOf(n)))
      const items = listOf(v, fuel, 10)
      return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
        items.slice(at * size, (at + 1) * size),
      )
    },
  },
  contains: {
    doc: 'Whether the item is in the list, the text in the text, or the key in the object.',
    params: ['a'],
    example: ['[1, 2] | contains(2)', true],
    aliases: ['includes', 'has'],
    run: (v, [a], fuel) => {
      if (Array.isArray(v)) return listOf(v, fuel).includes(a)
      return isRecord(v) ? Object.hasOwn(v, text(a)) : textOf(v, fuel, 2).includes(textOf(a, fuel))
    },
  },
  index_of: {
    doc: 'Where the item or the text stands first, counted from 0; -1 when it does not.',
    params: ['a'],
    example: ["['a', 'b'] | index_of('b')", 1],
    run: (v, [a], fuel) => {
      if (Array.isArray(v)) return listOf(v, fuel).indexOf(a)
      const all = textOf(v, fuel, 2)
      const at = all.indexOf(textOf(a, fuel))
      // Counted as slice and length count.
      return at <= 0 ? at : graphemesOf(all.slice(0, at), fuel).length
    },
  },
  count_by: {
    doc: 'How often each value of a field, or each item, occurs.',
    params: ['key?'],
    example: ["['a', 'b', 'a'] | count_by", { a: 2, b: 1 }],
    run: (v, [key], fuel) => {
      const counts = new Map<string, number>()
      for (const item of listOf(v, fuel, 10)) {
        const name = textOf(key === undefined ? item : fieldOf(item, text(key)), fuel)
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
      return Object.fromEntries(counts)
    },
  },
  group_by: {
    doc: 'An object of lists: the items by the value of a field.',
    params: ['key'],
    example: ["[{ k: 'x', n: 1 }, { k: 'y', n: 2 }] | group_by('k') | keys", ['x', 'y']],
    run: (v, [key], fuel) => {
      const groups = new Map<string, unknown[]>()
      for (const item of listOf(v, fuel, 10)) {
        const name = textOf(fieldOf(item, text(key)), fuel)
        const group = groups.get(name)
        if (group === undefined) groups.set(name, [item])
        else group.push(item)
      }
      return Object.fromEntries(groups)
    },
  },
  keys: {
    doc: 'The names of an object.',
    params: [],
    example: ['{ a: 1, b: 2 } | keys', ['a', 'b']],
    run: (v, _, fuel) => paid(Object.keys(recordOf(v, fuel)), fuel),
  },
  values: {
    doc: 'The values of an object.',
    params: [],
    example: ['{ a: 1, b: 2 } | values', [1, 2]],
    run: (v, _, fuel) => paid(Object.values(recordOf(v, fuel)), fuel),
  },
  entries: {
    doc: 'An object as a list of { key, value }.',
    params: [],
    example: ['{ a: 1 } | entries', [{ key: 'a', value: 1 }]],
    run: (v, _, fuel) =>
      paid(Object.entries(recordOf(v, fuel)), fuel).map(([key, value]) => ({ key, value })),
  },
  get: {
    doc: 'The field of an object, or item of a list, at a path such as a.b.0; null where there is none.',
    params: ['path'],
    example: ["{ a: [{ b: 1 }] } | get('a.0.b')", 1],
    run: (v, [path], fuel) => {
      const parts = typeof path === 'number' ? [path] : textOf(path, fuel, 10).split('.')
      return parts.reduce<unknown>(
        (at, key) => own(at, Array.isArray(at) && /^-?\d+$/.test(String(key)) ? Number(key) : key),
        v,
      )
    },
  },
  merge: {
    doc: 'Two objects as one, in which the second wins; two lists as one.',
    params: ['other'],
    example: ['{ a: 1, b: 1 } | merge({ b: 2 })', { a: 1, b: 2 }],
    run: (v, [other], fuel) => {
      if (Array.isArray(v)) return [...listOf(v, fuel, 2), ...listOf(other, fuel, 2)]
      const [a, b] = [recordOf(v ?? {}, fuel), recordOf(other ?? {}, fuel)]
      return Object.fromEntries(paid([...Object.entries(a), ...Object.entries(b)], fuel))
    },
  },
  pick: {
    doc: 'Only these fields of an object, or of each item of a list; a list of names, or names by comma.',
    params: ['names'],
    example: ["{ a: 1, b: 2 } | pick('a')", { a: 1 }],
    run: (v, [names], fuel) => {
      const wanted = namesOf(names, fuel)
      return eachRecord(v, fuel, item =>
        Object.fromEntries(wanted.filter(name => Object.hasOwn(item, name)).map(name => [name, item[name]])),
      )
    },
  },
  omit: {
    doc: 'Without these fields of an object, or of each item of a list.',
    params: ['names'],
    example: ["{ a: 1, b: 2 } | omit('a')", { b: 2 }],
    run: (v, [names], fuel) => {
      const unwanted = new Set(namesOf(names, fuel))
      return eachRecord(v, fuel, item =>
        Object.fromEntries(paid(Object.entries(item), fuel).filter(([name]) => !unwanted.has(name))),
      )
    },
  },
}

type Fuel = Parameters<Filter['run']>[2]

function paid<T>(parts: T[], fuel: Fuel): T[] {
  fuel.spend(parts.length * 10)
  return parts
}

const namesOf = (names: unknown, fuel: Fuel): string[] =>
  Array.isArray(names)
    ? listOf(names, fuel).map(text)
    : textOf(names, fuel)
        .split(',')
        .map(name => name.trim())

function eachRecord(
  value: unknown,
  fuel: Fuel,
  change: (item: Record<string, unknown>) => Record<string, unknown>,
): unknown {
  if (!Array.isArray(value)) return change(recordOf(value, fuel))
  return listOf(value, fuel, 20).map(item => {
    if (!isRecord(item)) throw new Error(`an item is ${kindOf(item)}, not an object`)
    return change(item)
  })
}

/** Numbers by size, all else as text; null comes last. */
function inOrder(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const isNothing = (value: unknown) => value === null || value === undefined
  if (isNothing(a) || isNothing(b)) return Number(isNothing(a)) - Number(isNothing(b))
  const [left, right] = [sortText(a), sortText(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** What has no order of its own, such as an object, is not worth its JSON at every comparison. */
const sortText = (value: unknown): string => (typeof value === 'object' ? '' : String(value))
