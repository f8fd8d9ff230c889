/** Filters of expressions: `item.title | truncate(80) | upper`. Pure; each says what it does in `doc`. */
export interface Filter {
  doc: string
  /** Throws Error with a short reason when the input is of the wrong kind. */
  run: (input: unknown, ...args: unknown[]) => unknown
}

/** How a value reads inside text: nothing for null, JSON for lists and objects. */
export const text = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
const num = (value: unknown, fallback = 0): number => {
  const number =
    typeof value === 'string' ? Number(value.replaceAll(/[,_\s]/g, '')) : Number(value ?? fallback)
  if (Number.isNaN(number)) throw new Error(`"${text(value)}" is not a number`)
  return number
}
const arr = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  if (value === null || value === undefined) return []
  throw new Error('the input is not a list')
}
const rec = (value: unknown): Record<string, unknown> => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new Error('the input is not an object')
}
/** Graphemes, so that a cut never splits an emoji or a combined character. */
const graphemes = (value: string): string[] =>
  [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(value)].map(part => part.segment)

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const unescapeHtml = (value: string): string =>
  value.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, dec, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole
    const code = dec === undefined ? Number.parseInt(String(hex), 16) : Number(dec)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const date = (value: unknown): Date => {
  // Seconds and milliseconds since 1970 are told apart by size: 1e11 s is the year 5138.
  const number = typeof value === 'number' || /^\d+$/.test(text(value)) ? Number(value) : null
  const parsed =
    number === null ? new Date(text(value)) : new Date(Math.abs(number) < 1e11 ? number * 1000 : number)
  if (Number.isNaN(parsed.getTime())) throw new Error(`"${text(value)}" is not a date`)
  return parsed
}

const filter = (doc: string, run: Filter['run']): Filter => ({ doc, run })

export const FILTERS: Readonly<Record<string, Filter>> = {
  upper: filter('Upper case.', v => text(v).toUpperCase()),
  lower: filter('Lower case.', v => text(v).toLowerCase()),
  trim: filter('Without white space at both ends.', v => text(v).trim()),
  squeeze: filter('White space of any length becomes one space.', v =>
    text(v).replaceAll(/\s+/g, ' ').trim(),
  ),
  truncate: filter('At most n characters; a cut ends in …', (v, n) => {
    const parts = graphemes(text(v))
    const limit = num(n, 80)
    return parts.length <= limit ? text(v) : `${parts.slice(0, Math.max(limit - 1, 0)).join('')}…`
  }),
  default: filter('The argument when the input is null or empty text.', (v, other) =>
    v === null || v === undefined || v === '' ? (other ?? null) : v,
  ),
  string: filter('As text.', v => text(v)),
  int: filter('As a whole number.', v => Math.trunc(num(v))),
  float: filter('As a number.', v => num(v)),
  bool: filter('False for null, 0, "", "false" and "0".', v => Boolean(v) && v !== 'false' && v !== '0'),
  round: filter('Rounded to n digits.', (v, n) => {
    const factor = 10 ** num(n, 0)
    return Math.round(num(v) * factor) / factor
  }),
  abs: filter('Without its sign.', v => Math.abs(num(v))),
  json: filter('As JSON text.', v => JSON.stringify(v ?? null)),
  parse_json: filter('JSON text as a value.', v => JSON.parse(text(v)) as unknown),
  length: filter('How many items, keys or characters.', v =>
    typeof v === 'string' ? graphemes(v).length : Array.isArray(v) ? v.length : Object.keys(rec(v)).length,
  ),
  first: filter('The first item.', v => arr(v)[0] ?? null),
  last: filter('The last item.', v => arr(v).at(-1) ?? null),
  slice: filter('Items or characters from a up to b.', (v, a, b) => {
    const end = b === undefined ? undefined : num(b)
    return Array.isArray(v) ? v.slice(num(a), end) : graphemes(text(v)).slice(num(a), end).join('')
  }),
  reverse: filter('In the opposite order.', v => arr(v).toReversed()),
  unique: filter('Without repeated items.', v => {
    const seen = new Map(arr(v).map(item => [JSON.stringify(item), item]))
    return [...seen.values()]
  }),
  sort: filter('In rising order.', v =>
    arr(v).toSorted((a, b) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : text(a) < text(b) ? -1 : 1,
    ),
  ),
  join: filter('Items as one text with the argument between.', (v, s) =>
    arr(v)
      .map(text)
      .join(s === undefined ? ', ' : text(s)),
  ),
  split: filter('Text as a list, cut at the argument.', (v, s) =>
    text(v).split(s === undefined ? ',' : text(s)),
  ),
  pluck: filter('One field of every item.', (v, key) =>
    arr(v).map(item =>
      item !== null && typeof item === 'object' && Object.hasOwn(item, text(key))
        ? rec(item)[text(key)]
        : null,
    ),
  ),
  keys: filter('The names of an object.', v => Object.keys(rec(v))),
  values: filter('The values of an object.', v => Object.values(rec(v))),
  replace: filter('Every a becomes b.', (v, a, b) => text(v).replaceAll(text(a), text(b))),
  contains: filter('Whether the argument is in it.', (v, x) =>
    Array.isArray(v) ? v.includes(x) : text(v).includes(text(x)),
  ),
  starts_with: filter('Whether it starts so.', (v, x) => text(v).startsWith(text(x))),
  ends_with: filter('Whether it ends so.', (v, x) => text(v).endsWith(text(x))),
  urlencode: filter('For use in an address.', v => encodeURIComponent(text(v))),
  urldecode: filter('From an address.', v => decodeURIComponent(text(v))),
  unescape_html: filter('Entities as characters.', v => unescapeHtml(text(v))),
  strip_html: filter('Without tags, entities as characters.', v =>
    unescapeHtml(
      text(v).replaceAll(/<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1\s*>|<[^<>]*>/gi, ''),
    ).trim(),
  ),
  date_iso: filter('A date, or seconds or milliseconds since 1970, as ISO 8601.', v => date(v).toISOString()),
}
