import { DateTime, type DateTimeUnit, IANAZone } from 'luxon'
import { text } from '../expression-values.ts'
import { type Filter, numberOf, quoted, textOf } from './filter.ts'
import { checkedLocale } from './numbers.ts'

/** Luxon takes a moment to read a date, and Intl to write one. */
const COST = 3000

export const DATE_FILTERS: Readonly<Record<string, Filter>> = {
  date_iso: {
    doc: 'A date, or seconds or milliseconds since 1970, as ISO 8601 in UTC; a date without a zone is taken as UTC.',
    params: [],
    example: ['1700000000 | date_iso', '2023-11-14T22:13:20.000Z'],
    run: (v, _, fuel) => {
      fuel.spend(COST)
      return dateOf(v).toUTC().toISO()
    },
  },
  date_format: {
    doc: 'A date in the words of a format (yyyy-MM-dd HH:mm:ss, d LLLL yyyy, cccc), a time zone and a language.',
    params: ["format = 'yyyy-MM-dd'", "zone = 'UTC'", "locale = 'en'"],
    example: [
      "1700000000 | date_format('d LLLL yyyy, HH:mm', 'Asia/Shanghai', 'zh')",
      '15 十一月 2023, 06:13',
    ],
    aliases: ['date'],
    run: (v, [format, zone, locale], fuel) => {
      fuel.spend(COST)
      const words = format === undefined || format === null ? 'yyyy-MM-dd' : textOf(format, fuel, 200)
      const tag = locale === undefined || locale === null ? 'en' : text(locale)
      return inZone(dateOf(v), zone).setLocale(checkedLocale(tag)).toFormat(words)
    },
  },
  timestamp: {
    doc: 'A date as seconds since 1970; as milliseconds with unit ms.',
    params: ["unit = 's'"],
    example: ["'2023-11-14T22:13:20Z' | timestamp", 1_700_000_000],
    aliases: ['unix'],
    run: (v, [unit], fuel) => {
      fuel.spend(COST)
      const millis = dateOf(v).toMillis()
      return unit === 'ms' ? millis : Math.floor(millis / 1000)
    },
  },
  date_add: {
    doc: 'A date so many units later, or earlier: years, months, weeks, days, hours, minutes, seconds.',
    params: ['amount', "unit = 'days'"],
    example: ["'2024-01-31' | date_add(1, 'months')", '2024-02-29T00:00:00.000Z'],
    run: (v, [amount, unit], fuel) => {
      fuel.spend(COST)
      return dateOf(v)
        .toUTC()
        .plus({ [unitOf(unit ?? 'days')]: numberOf(amount) })
        .toISO()
    },
  },
  date_start: {
    doc: 'The beginning of the year, month, week, day or hour that a date is in, in a time zone.',
    params: ["unit = 'day'", "zone = 'UTC'"],
    example: ["'2024-05-17T10:00:00Z' | date_start('month')", '2024-05-01T00:00:00.000Z'],
    run: (v, [unit, zone], fuel) => {
      fuel.spend(COST)
      return inZone(dateOf(v), zone)
        .startOf(unitOf(unit ?? 'day').replace(/s$/, '') as DateTimeUnit)
        .toUTC()
        .toISO()
    },
  },
}

const UNITS = ['years', 'quarters', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds']
function unitOf(unit: unknown): string {
  const name = `${text(unit).replace(/s$/, '')}s`
  if (UNITS.includes(name)) return name
  throw new Error(`"${quoted(unit)}" is no unit of time; there is ${UNITS.join(', ')}`)
}

function inZone(date: DateTime, zone: unknown): DateTime {
  const name = zone === undefined || zone === null ? 'UTC' : text(zone)
  const isOffset = /^(utc|z|[+-]\d{2}:?\d{2})$/i.test(name)
  if (!isOffset && !IANAZone.isValidZone(name)) throw new Error(`"${quoted(name)}" is no time zone`)
  return date.setZone(/^[+-]/.test(name) ? `UTC${name}` : /^z$/i.test(name) ? 'UTC' : name)
}

const UTC = { zone: 'utc', setZone: true } as const
/** What a text may be, in the order of how exactly it is told. */
const READERS: readonly ((written: string) => DateTime)[] = [
  written => DateTime.fromISO(written, UTC),
  written => DateTime.fromRFC2822(written, UTC),
  written => DateTime.fromHTTP(written, UTC),
  written => DateTime.fromSQL(written, UTC),
  ...['yyyy/M/d', 'yyyy/M/d H:mm', 'yyyy/M/d H:mm:ss', 'yyyy.M.d', 'yyyy年M月d日', 'yyyy年M月d日 H:mm'].map(
    format => (written: string) => DateTime.fromFormat(written, format, UTC),
  ),
  ...[
    'LLLL d, yyyy',
    'LLL d, yyyy',
    'd LLLL yyyy',
    'd LLL yyyy',
    'LLL d yyyy',
    'EEE LLL dd HH:mm:ss ZZZ yyyy',
  ].map(format => (written: string) => DateTime.fromFormat(written, format, { ...UTC, locale: 'en' })),
]

/** Luxon takes it for a time of today, which is another date every day. */
export const TIME_ALONE = /^(?:T\d|\d{1,2}:\d)/i

/** Seconds and milliseconds since 1970 are told apart by size: 1e11 s is the year 5138. */
function dateOf(value: unknown): DateTime {
  const written = text(value).slice(0, 100).trim()
  if (typeof value === 'number' || /^-?\d{9,}$/.test(written)) {
    const number = Number(value)
    const date = DateTime.fromMillis(checkedMillis(Math.abs(number) < 1e11 ? number * 1000 : number), UTC)
    if (date.isValid) return date
  } else if (!TIME_ALONE.test(written))
    for (const read of READERS) {
      const date = read(written)
      if (date.isValid) return date
    }
  throw new Error(`"${quoted(value)}" is not a date`)
}

/** Beyond it, Date ends and Luxon throws. */
const MAX_MILLIS = 8.64e15
function checkedMillis(millis: number): number {
  if (Number.isFinite(millis) && Math.abs(millis) <= MAX_MILLIS) return millis
  throw new Error(`"${millis}" is not a date`)
}
