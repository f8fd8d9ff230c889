import type { DateTime } from 'luxon'
import { z } from 'zod'
import { TIME_ALONE } from '../kernel/filters/dates.ts'
import { defineStep } from '../kernel/step.ts'
import { atField, changeAt, parseFailure, textOf } from './fields.ts'
import { Locale, Zone } from './locale.ts'

/** As many rows have no date; a step on dates passes nothing on as nothing. */
const isNothing = (value: unknown): boolean => value === null || value === undefined || value === ''

const Style = z.enum(['short', 'medium', 'long', 'full'])
const Formats = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])

const Parse = z.strictObject({
  formats: Formats.optional().describe(
    'how dates are written, as tokens such as yyyy年M月d日 HH:mm; default: ISO, mail and web dates, SQL, seconds or milliseconds since 1970',
  ),
  zone: Zone.default('UTC').describe('of dates that do not say theirs'),
  locale: Locale.default('en').describe('language of the names of months and days'),
  as: z
    .enum(['iso', 's', 'ms'])
    .default('iso')
    .describe('ISO 8601 in UTC, or seconds or milliseconds since 1970'),
  ...atField,
})

export const dateParse = defineStep({
  name: 'date_parse',
  doc: 'Read dates as sites write them, in any zone and language, into one form.',
  needs: [],
  effect: 'pure',
  schema: Parse,
  example: { formats: 'yyyy年M月d日 HH:mm', zone: 'Asia/Shanghai', field: 'at' },
  exampleInput: [{ at: '2024年3月5日 08:30' }],
  exampleOutput: [{ at: '2024-03-05T00:30:00.000Z' }],
  run: async ({ data }, params) => {
    const { DateTime } = await import('luxon')
    const formats = params.formats === undefined ? [] : [params.formats].flat()
    return changeAt(data, params, value => {
      if (isNothing(value)) return null
      const date = readDate(DateTime, value, formats, params)
      if (params.as === 'iso') return date.toUTC().toISO()
      return params.as === 'ms' ? date.toMillis() : Math.floor(date.toSeconds())
    })
  },
})

const Format = z.strictObject({
  format: z.string().min(1).optional().describe('tokens, such as yyyy-MM-dd HH:mm'),
  date: Style.optional().describe('how the language writes a date, in place of format'),
  time: Style.optional().describe('how the language writes a time, in place of format'),
  zone: Zone.default('UTC'),
  locale: Locale.default('en'),
  ...atField,
})

export const dateFormat = defineStep({
  name: 'date_format',
  doc: 'Write dates for people: by tokens, or as a language writes them, in any time zone.',
  needs: [],
  effect: 'pure',
  schema: Format,
  example: { date: 'long', time: 'short', zone: 'Asia/Shanghai', locale: 'zh-CN' },
  exampleInput: '2024-03-05T00:30:00Z',
  exampleOutput: '2024年3月5日 08:30',
  run: async ({ data }, { format, date, time, ...params }) => {
    const { DateTime } = await import('luxon')
    const style =
      date === undefined && time === undefined
        ? { dateStyle: 'medium' as const }
        : { ...(date && { dateStyle: date }), ...(time && { timeStyle: time }) }
    return changeAt(data, params, value => {
      if (isNothing(value)) return null
      const at = readDate(DateTime, value, [], { zone: 'UTC', locale: 'en' }).setZone(params.zone)
      const local = at.setLocale(params.locale)
      if (format !== undefined) return local.toFormat(format)
      // Releases of ICU differ in which of its spaces they take.
      return local.toLocaleString(style).replaceAll(/[\u202f\u2009\u00a0]/g, ' ')
    })
  },
})

/** Seconds and milliseconds since 1970 are told apart by size: 1e11 s is the year 5138. */
const MAX_SECONDS = 1e11

function readDate(
  dates: typeof DateTime,
  value: unknown,
  formats: readonly string[],
  options: { zone: string; locale: string },
): DateTime {
  const text = textOf(value, 'date').trim()
  const zone = { zone: options.zone, locale: options.locale }
  if (
    formats.length === 0 &&
    /^-?\d+(\.\d+)?$/.test(text) &&
    (typeof value === 'number' || text.length > 8)
  ) {
    const number = Number(text)
    const date = dates.fromMillis(Math.abs(number) < MAX_SECONDS ? number * 1000 : number, { zone: 'UTC' })
    if (date.isValid) return date
  }
  const readers =
    formats.length > 0
      ? formats.map(format => () => dates.fromFormat(text, format, zone))
      : TIME_ALONE.test(text)
        ? []
        : [dates.fromISO, dates.fromRFC2822, dates.fromHTTP, dates.fromSQL].map(
            read => () => read(text, zone),
          )
  for (const read of readers) {
    const date = read()
    if (date.isValid) return date
  }
  const known =
    formats.length > 0 ? formats.join(' or ') : 'a date of ISO 8601, of mail, of SQL or since 1970'
  throw parseFailure('A date', `"${text.slice(0, 60)}" is not ${known}`)
}
