import type { DatePart } from '../../shared/values.ts'

/** Dates and times as people write them, as the values that HTML's inputs take. */

export type DateType = 'date' | 'datetime-local' | 'month' | 'time' | 'week'

export interface Reading {
  value: string
  /** It could as well mean the other order of day and month. */
  isGuessed: boolean
}

/** The segments of each kind of input. */
export const PARTS: Record<DateType, readonly DatePart[]> = {
  date: ['year', 'month', 'day'],
  'datetime-local': ['year', 'month', 'day', 'hour', 'minute', 'second', 'dayperiod'],
  month: ['year', 'month'],
  time: ['hour', 'minute', 'second', 'dayperiod'],
  week: ['year', 'week'],
}

/** Longer texts are none of these. */
const MAX_CHARS = 60

/**
 * Null for what is no such value. Whether a day or week exists is the input's own word.
 *
 * @param monthFirst how 5/1/2024 is meant where it can mean both
 */
export function readDate(type: DateType, given: string, monthFirst: boolean): Reading | null {
  const text = given.normalize('NFKC').replace(/\s+/g, ' ').trim()
  if (text.length > MAX_CHARS) return null
  switch (type) {
    case 'date':
      return readDay(text, monthFirst)
    case 'time':
      return sure(readClock(text))
    case 'month':
      return sure(readMonth(text))
    case 'week':
      return sure(readWeek(text))
    case 'datetime-local':
      return readBoth(text, monthFirst)
  }
}

const sure = (value: string | null): Reading | null => (value === null ? null : { value, isGuessed: false })

/** A day, then a time: wherever the text falls apart into the two. */
function readBoth(text: string, monthFirst: boolean): Reading | null {
  for (let at = 6; at < text.length; at += 1) {
    const day = readDay(text.slice(0, at).replace(/(?:[T,]| at)? ?$/, ''), monthFirst)
    const clock = day === null ? null : readClock(text.slice(at).trim())
    if (day !== null && clock !== null) return { ...day, value: `${day.value}T${clock}` }
  }
  return null
}

const YEAR_FIRST = /^(\d{4}) ?[-/.年년] ?(\d{1,2}) ?[-/.月월] ?(\d{1,2}) ?[日일.]?$/
const DAY_FIRST = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/
const EITHER = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/
const DAY_NAMED = /^(?:[a-z]+,? )?(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?([a-z]{3,9})\.?,? (\d{4})$/i
const NAMED_DAY = /^(?:[a-z]+,? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i

function readDay(text: string, monthFirst: boolean): Reading | null {
  const [, year, month, day] = YEAR_FIRST.exec(text) ?? []
  if (year && month && day) return sure(dayOf(year, month, day))
  const [, d, m, y] = DAY_FIRST.exec(text) ?? []
  if (d && m && y) return sure(dayOf(y, m, d))
  const [, one, , other, ofYear] = EITHER.exec(text) ?? []
  if (one && other && ofYear) return readEither(one, other, ofYear, monthFirst)
  const [, dayBefore, nameAfter, yearAfter] = DAY_NAMED.exec(text) ?? []
  if (dayBefore && nameAfter && yearAfter) return sure(dayOf(yearAfter, monthNumber(nameAfter), dayBefore))
  const [, nameBefore, dayAfter, yearLast] = NAMED_DAY.exec(text) ?? []
  if (nameBefore && dayAfter && yearLast) return sure(dayOf(yearLast, monthNumber(nameBefore), dayAfter))
  return null
}

function readEither(one: string, other: string, year: string, monthFirst: boolean): Reading | null {
  const isMonthFirst = Number(one) > 12 ? false : Number(other) > 12 ? true : monthFirst
  const value = isMonthFirst ? dayOf(year, one, other) : dayOf(year, other, one)
  const isGuessed = Number(one) <= 12 && Number(other) <= 12 && Number(one) !== Number(other)
  return value === null ? null : { value, isGuessed }
}

function dayOf(year: string, month: string | null, day: string): string | null {
  return month === null ? null : `${year}-${two(month)}-${two(day)}`
}

const two = (digits: string): string => digits.padStart(2, '0')

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
)

function monthNumber(name: string): string | null {
  const at = MONTHS.findIndex(month => month.startsWith(name.toLowerCase()))
  return at < 0 || name.length < 3 ? null : String(at + 1)
}

function readMonth(text: string): string | null {
  const [, year, month] = /^(\d{4}) ?[-/.年년] ?(\d{1,2}) ?[月월]?$/.exec(text) ?? []
  if (year && month) return `${year}-${two(month)}`
  const [, first, last] = /^(\d{1,2}) ?[-/.] ?(\d{4})$/.exec(text) ?? []
  if (first && last) return `${last}-${two(first)}`
  const [, name, ofYear] = /^([a-z]{3,9})\.?,? (\d{4})$/i.exec(text) ?? []
  const number = name ? monthNumber(name) : null
  return number === null || !ofYear ? null : `${ofYear}-${two(number)}`
}

function readWeek(text: string): string | null {
  const [, year, week] = /^(\d{4})(?: ?-? ?W|年 ?第?) ?(\d{1,2}) ?[周週]?$/i.exec(text) ?? []
  if (year && week) return `${year}-W${two(week)}`
  const [, number, ofYear] = /^W(?:eek)? ?(\d{1,2})(?:,? |[-/])(\d{4})$/i.exec(text) ?? []
  return number && ofYear ? `${ofYear}-W${two(number)}` : null
}

const CLOCK =
  /^(上午|下午|午前|午後|오전|오후)? ?(\d{1,2})(?::(\d{2})(?::(\d{2}(?:\.\d{1,3})?))?|([時时点點시]) ?(?:(\d{1,2})[分분])?)? ?([ap])?(?:\.? ?m\.?)?$/i

function readClock(text: string): string | null {
  const [, before, hour, colonMinute, second, sign, signMinute, half] = CLOCK.exec(text) ?? []
  // A bare number is no time of day.
  if (!hour || !(colonMinute || sign || before || half)) return null
  const after = before ? !/上午|午前|오전/.test(before) : half ? half.toLowerCase() === 'p' : null
  const hours = hourOf(Number(hour), after)
  if (hours === null) return null
  const minute = two(colonMinute ?? signMinute ?? '0')
  return `${two(String(hours))}:${minute}${second ? `:${second}` : ''}`
}

/** @param isAfternoon null on a clock of 24 hours */
function hourOf(hour: number, isAfternoon: boolean | null): number | null {
  if (isAfternoon === null) return hour
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (isAfternoon ? 12 : 0)
}

const VALUE = /^(?:(\d+)-(?:W(\d\d)|(\d\d)(?:-(\d\d))?))?T?(?:(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?$/

/** The value with one of its segments set; null for a text that is no such segment. */
export function withPart(value: string, part: DatePart, given: string): string | null {
  const [, year, week, month, day, hour, minute, second] = VALUE.exec(value) ?? []
  const parts = { year, week, month, day, hour, minute, second }
  const text = given.normalize('NFKC').trim()
  const set = part === 'dayperiod' ? { hour: inHalf(Number(hour), text) } : { [part]: segmentOf(part, text) }
  if (Object.values(set).includes(null)) return null
  const now = { ...parts, ...set }
  const date = [now.year, now.week ? `W${now.week}` : now.month, now.day].filter(Boolean).join('-')
  const clock = [now.hour, now.minute, now.second].filter(Boolean).join(':')
  return [date, clock].filter(each => each !== '').join('T')
}

function segmentOf(part: Exclude<DatePart, 'dayperiod'>, text: string): string | null {
  if (part === 'hour') return readClock(text)?.slice(0, 2) ?? (/^\d{1,2}$/.test(text) ? two(text) : null)
  if (part === 'month' && /^[a-z]+$/i.test(text)) return monthNumber(text)?.padStart(2, '0') ?? null
  if (part === 'year') return /^\d{4}$/.test(text) ? text : null
  return /^\d{1,2}$/.test(text) ? two(text) : null
}

function inHalf(hour: number, text: string): string | null {
  const [, morning, afternoon] = /^(?:(上午|午前|오전|am)|(下午|午後|오후|pm))$/i.exec(text) ?? []
  if (!morning && !afternoon) return null
  return two(String((hour % 12) + (afternoon ? 12 : 0)))
}
