import { parseFeed } from 'feedsmith'
import { z } from 'zod'
import { defineStep } from '../kernel/step.ts'
import { notWanted } from './answers.ts'
import { atField, changeAt, isRow, parseFailure, textOf } from './fields.ts'
import { reach } from './paths.ts'

export const parseJson = defineStep({
  name: 'parse_json',
  doc: 'Turn JSON text into values; guards against inclusion as a script and calls of JSONP around it are taken off.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({
    lines: z.boolean().default(false).describe('a value on every line, as in JSON Lines; gives a list'),
    ...atField,
  }),
  example: { lines: true },
  exampleInput: '{"id":1}\n{"id":2}\n',
  exampleOutput: [{ id: 1 }, { id: 2 }],
  run: async ({ data }, { lines, ...place }) =>
    changeAt(data, place, value => {
      const text = textOf(value, 'parse_json').replace(/^\uFEFF/, '')
      if (!lines) return jsonOf(text)
      return text
        .split(/\r?\n/)
        .filter(line => line.trim() !== '')
        .map(jsonOf)
    }),
})

const GUARD = /^\)\]\}',?\s*|^for\s*\(;;\);|^while\s*\(1\);/
const CALL = /^[\w$.]{1,100}\s*\((?<inside>[\s\S]*)\)\s*;?$/

function jsonOf(text: string): unknown {
  const bare = text.trim().replace(GUARD, '')
  try {
    return JSON.parse(CALL.exec(bare)?.groups?.inside ?? bare)
  } catch (cause) {
    throw parseFailure('The text', new Error(`it is not JSON but "${bare.slice(0, 60)}"`, { cause }))
  }
}

const Csv = z.strictObject({
  delimiter: z.string().min(1).max(8).default(','),
  header: z
    .union([z.boolean(), z.array(z.string().min(1)).min(1)])
    .default(true)
    .describe('true: the first line names the columns; a list: these names; false: rows are lists'),
  numbers: z.boolean().default(false).describe('cells that are numbers become numbers'),
  quote: z.string().length(1).default('"'),
  comment: z.string().min(1).optional().describe('what starts a line that is left out'),
  trim: z.boolean().default(true),
  skip_lines: z.number().int().min(0).default(0).describe('lines before the table'),
  ragged: z.boolean().default(false).describe('take rows that are shorter or longer than the header'),
})

export const parseCsv = defineStep({
  name: 'parse_csv',
  doc: 'Turn CSV, or text with another delimiter, into rows.',
  needs: [],
  effect: 'pure',
  schema: Csv,
  example: { numbers: true },
  exampleInput: 'name,length\n"桥, 旧",12.5\nBridge,7\n',
  exampleOutput: [
    { name: '桥, 旧', length: 12.5 },
    { name: 'Bridge', length: 7 },
  ],
  run: async ({ data }, params) => {
    const { parse } = await import('csv-parse/sync')
    const text = textOf(data, 'parse_csv')
    try {
      return parse(text, {
        bom: true,
        columns: params.header === true ? uniqueNames : params.header,
        delimiter: params.delimiter,
        quote: params.quote,
        trim: params.trim,
        skip_empty_lines: true,
        from_line: params.skip_lines + 1,
        relax_column_count: params.ragged,
        ...(params.comment !== undefined && { comment: params.comment }),
        // A header of years is names all the same.
        ...(params.numbers && {
          cast: (cell: string, { header }: { header: boolean }) => (header ? cell : numberOr(cell)),
        }),
      }) as unknown
    } catch (cause) {
      throw parseFailure('The CSV', cause)
    }
  },
})

/** Two columns of one name would otherwise become one, and the first be lost. */
export function uniqueNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((raw, index) => {
    const name = raw.trim() === '' ? `column_${index + 1}` : raw
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return times === 1 ? name : `${name}_${times}`
  })
}

/** "007" and a card number of 19 digits are names, not numbers. */
const numberOr = (cell: string): string | number =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell) && Number.isSafeInteger(Math.trunc(Number(cell)))
    ? Number(cell)
    : cell

export const parseRss = defineStep({
  name: 'parse_rss',
  aliases: ['parse_atom', 'parse_feed'],
  doc: 'Turn the text of an RSS, Atom, RDF or JSON feed into rows of title, link, published, description and author.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({
    fields: z
      .record(z.string(), z.string().min(1))
      .optional()
      .describe('name: dot path in an entry of the feed, such as guid.value; in place of the five'),
  }),
  example: {},
  exampleInput:
    '<rss version="2.0"><channel><title>News</title><item><title>桥</title><link>https://example.com/1</link>' +
    '<pubDate>Tue, 05 Mar 2024 00:30:00 GMT</pubDate></item></channel></rss>',
  exampleOutput: [
    {
      title: '桥',
      link: 'https://example.com/1',
      published: 'Tue, 05 Mar 2024 00:30:00 GMT',
      description: null,
      author: null,
    },
  ],
  run: async ({ data, scope }, { fields }) => {
    const entries = feedEntries(textOf(data, 'parse_rss'), scope.base)
    if (fields === undefined) return entries.map(feedRow)
    return entries.map(entry =>
      Object.fromEntries(Object.entries(fields).map(([name, path]) => [name, reach(entry, path) ?? null])),
    )
  },
})

function feedEntries(text: string, base: string): Record<string, unknown>[] {
  try {
    const { feed } = parseFeed(text)
    const entries = 'items' in feed ? feed.items : 'entries' in feed ? feed.entries : []
    return (entries ?? []).filter(isRow)
  } catch (cause) {
    throw notWanted(text, base === '' ? 'The feed' : base) ?? parseFailure('The feed', cause)
  }
}

/** RSS, Atom, RDF and JSON Feed name the same five things in different words. */
function feedRow(entry: Record<string, unknown>) {
  const link = entry.link ?? entry.url ?? pageLink(entry.links) ?? permalink(entry.guid)
  return {
    title: plain(entry.title),
    link: typeof link === 'string' ? link : null,
    published: plain(entry.pubDate ?? entry.published ?? entry.updated ?? entry.date_published),
    description: plain(entry.description ?? entry.summary ?? contentOf(entry)),
    author: plain(firstOf(entry.authors, 'name') ?? firstOf(dublinCore(entry), null)),
  }
}
/** Of the links of Atom the one to the page; others lead to comments, to the entry itself or to its editor. */
function pageLink(links: unknown): unknown {
  const all = (Array.isArray(links) ? links : []).filter(isRow)
  const page = all.find(({ rel }) => rel === undefined || rel === null || rel === 'alternate')
  return (page ?? all[0])?.href
}
/** RSS may leave the link to its guid, which is an address unless it says that it is none. */
const permalink = (guid: unknown): unknown =>
  isRow(guid) && guid.isPermaLink !== false && /^https?:/i.test(String(guid.value)) ? guid.value : null
/** The whole text, where a feed gives no summary: of Atom, of RSS, of JSON Feed. */
const contentOf = ({ content, content_text, content_html }: Record<string, unknown>): unknown =>
  (isRow(content) ? (content.encoded ?? content) : content) ?? content_text ?? content_html
const dublinCore = (entry: Record<string, unknown>): unknown => (isRow(entry.dc) ? entry.dc.creators : null)
const firstOf = (list: unknown, key: string | null): unknown => {
  const first: unknown = Array.isArray(list) ? list[0] : list
  return key === null || !isRow(first) ? first : first[key]
}
const plain = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  return isRow(value) && typeof value.value === 'string' ? value.value : null
}
