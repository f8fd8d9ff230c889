import type { DatePart } from '../../shared/values.ts'
import { type DateType, PARTS, readDate, withPart } from './calendar.ts'
import type { Entry } from './entry.ts'
import { isInput } from './field-values.ts'
import { notReady } from './readiness.ts'
import { bySetting, tellSet } from './setting.ts'

/**
 * Inputs of dates and times. A person fills their segments one by one; those lie in a tree of the browser's own, out of
 * every script's reach, so the value is set as a whole, in whichever way it is written.
 */

export const DATE_FORMATS: Record<DateType, string> = {
  date: 'a date such as 2026-08-21',
  'datetime-local': 'a date and time such as 2026-08-21T14:30',
  month: 'a month such as 2026-08',
  time: 'a time such as 14:30',
  week: 'a week such as 2026-W34',
}

type DateInput = HTMLInputElement & { type: DateType }

export const isDateInput = (element: Element): element is DateInput =>
  isInput(element) && element.type in DATE_FORMATS

const STEP_UNITS: Record<DateType, string> = {
  date: 'days',
  'datetime-local': 'seconds',
  month: 'months',
  time: 'seconds',
  week: 'weeks',
}

/** @throws element_not_ready for what is no such value, and for one that the input's limits do not allow */
export function dateEntry(input: DateInput, text: string, part: DatePart | null, words: string): Entry {
  const { value, note } = wantedOf(input, text.trim(), part, words)
  const write = (): void => {
    if (input.value === value) return
    input.value = value
    tellSet(input)
  }
  const entry = bySetting(input, write, () => (sameMoment(input.value, value) ? 'confirmed' : 'failed'))
  return note === null ? entry : { ...entry, note }
}

interface Wanted {
  value: string
  note: string | null
}

function wantedOf(input: DateInput, text: string, part: DatePart | null, words: string): Wanted {
  if (part !== null)
    return { value: checked(input, partSet(input, text, part, words), text, words), note: null }
  if (text === '') return { value: '', note: null }
  const monthFirst = isMonthFirst()
  const reading = readDate(input.type, text, monthFirst)
  if (reading === null) throw notReady(words, `it takes ${DATE_FORMATS[input.type]}, not "${text}"`)
  const value = checked(input, reading.value, text, words)
  const order = monthFirst ? 'month' : 'day'
  const note = `"${text}" was read as ${value}: the ${order} first, as this browser writes dates`
  return { value, note: reading.isGuessed ? note : null }
}

function partSet(input: DateInput, text: string, part: DatePart, words: string): string {
  const parts = PARTS[input.type]
  if (!parts.includes(part)) throw notReady(words, `it has no ${part}: its parts are ${parts.join(', ')}`)
  if (input.value === '')
    throw notReady(words, `it is empty, so that no part can be set alone: type ${DATE_FORMATS[input.type]}`)
  const value = withPart(input.value, part, text)
  if (value === null) throw notReady(words, `"${text}" is no ${part}`)
  return value
}

/** As the input itself writes it. */
function checked(input: DateInput, value: string, text: string, words: string): string {
  const probe = document.createElement('input')
  probe.type = input.type
  probe.min = input.min
  probe.max = input.max
  probe.step = input.step
  // Steps are counted from the minimum, or else from the first value.
  probe.defaultValue = input.defaultValue
  probe.value = value
  if (probe.value === '')
    throw notReady(words, `it takes ${DATE_FORMATS[input.type]}, and there is no ${value} ("${text}")`)
  const { rangeUnderflow, rangeOverflow, stepMismatch } = probe.validity
  if (rangeUnderflow || rangeOverflow || stepMismatch)
    throw notReady(words, `it takes ${DATE_FORMATS[input.type]}${limitsOf(input)}, not ${probe.value}`)
  return probe.value
}

function limitsOf({ type, min, max, step }: DateInput): string {
  const limits = [
    min === '' ? '' : `from ${min}`,
    max === '' ? '' : `to ${max}`,
    step === '' || step === 'any' ? '' : `in steps of ${step} ${STEP_UNITS[type]}`,
  ]
  const told = limits.filter(limit => limit !== '').join(' ')
  return told === '' ? ' in whole minutes' : ` ${told}`
}

/** The browser writes a time without its seconds where they are none. */
const sameMoment = (left: string, right: string): boolean => bare(left) === bare(right)
const bare = (value: string): string => value.replace(/(:\d\d):00(?:\.0+)?$/, '$1')

function isMonthFirst(): boolean {
  const parts = new Intl.DateTimeFormat(navigator.language).formatToParts(0).map(({ type }) => type)
  return parts.indexOf('month') < parts.indexOf('day')
}
