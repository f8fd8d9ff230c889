import { describe, expect, test } from 'vitest'
import { type DateType, readDate, withPart } from './calendar.ts'

const read = (type: DateType, text: string, monthFirst = true) =>
  readDate(type, text, monthFirst)?.value ?? null

describe('dates and times as people write them', () => {
  test.each<[DateType, string, string]>([
    ['date', '2024-05-01', '2024-05-01'],
    ['date', '01.05.2024', '2024-05-01'],
    ['date', '1. 5. 2024', '2024-05-01'],
    ['date', '2024/5/1', '2024-05-01'],
    ['date', '2024年5月1日', '2024-05-01'],
    ['date', '2024년 5월 1일', '2024-05-01'],
    ['date', '５/１/２０２４', '2024-05-01'],
    ['date', '5/31/2024', '2024-05-31'],
    ['date', '31/5/2024', '2024-05-31'],
    ['date', 'May 1, 2024', '2024-05-01'],
    ['date', 'Wed, 1st of May 2024', '2024-05-01'],
    ['date', '1 Sept 2024', '2024-09-01'],
    ['datetime-local', '5/1/2024 3:30 PM', '2024-05-01T15:30'],
    ['datetime-local', '5/1/2024, 12:05:09 a.m.', '2024-05-01T00:05:09'],
    ['datetime-local', '01.05.2024 15:30', '2024-05-01T15:30'],
    ['datetime-local', '2024-05-01T15:30', '2024-05-01T15:30'],
    ['datetime-local', '2024-05-01 15:30:20', '2024-05-01T15:30:20'],
    ['datetime-local', '2024年5月1日 下午3:30', '2024-05-01T15:30'],
    ['datetime-local', 'May 1, 2024 at 3 PM', '2024-05-01T15:00'],
    ['time', '15:30', '15:30'],
    ['time', '3:30 pm', '15:30'],
    ['time', '12 AM', '00:00'],
    ['time', '15時30分', '15:30'],
    ['time', '下午3点', '15:00'],
    ['month', '2024-05', '2024-05'],
    ['month', '05/2024', '2024-05'],
    ['month', 'May 2024', '2024-05'],
    ['month', '2024年5月', '2024-05'],
    ['week', '2024-W18', '2024-W18'],
    ['week', 'Week 18, 2024', '2024-W18'],
    ['week', '2024年第18周', '2024-W18'],
  ])('%s takes %s as %s', (type, text, value) => expect(read(type, text)).toBe(value))

  test.each<[DateType, string]>([
    ['date', 'tomorrow'],
    ['date', '1/5/24'],
    ['date', '2024-05-01T10:00'],
    ['date', 'Mayor 1, 2024'],
    ['datetime-local', '2024-05-01'],
    ['datetime-local', '2024-05-01T15:30Z'],
    ['time', '15'],
    ['time', '13:00 PM'],
    ['month', '2024'],
    ['week', '18'],
  ])('%s refuses %s', (type, text) => expect(read(type, text)).toBeNull())

  test('an order that could be either is the browser’s, and said to be a guess', () => {
    expect(readDate('date', '5/1/2024', true)).toEqual({ value: '2024-05-01', isGuessed: true })
    expect(readDate('date', '5/1/2024', false)).toEqual({ value: '2024-01-05', isGuessed: true })
    expect(readDate('date', '5/5/2024', false)?.isGuessed).toBe(false)
    expect(readDate('date', '01.05.2024', true)?.isGuessed).toBe(false)
  })
})

describe('one segment of a value', () => {
  test.each([
    ['2024-05-01', 'year', '2025', '2025-05-01'],
    ['2024-05-01', 'month', 'Dec', '2024-12-01'],
    ['2024-05-01T10:30', 'day', '9', '2024-05-09T10:30'],
    ['2024-05-01T10:30', 'hour', '3 PM', '2024-05-01T15:30'],
    ['10:30', 'minute', '5', '10:05'],
    ['10:30', 'second', '7', '10:30:07'],
    ['10:30', 'dayperiod', 'PM', '22:30'],
    ['22:30', 'dayperiod', '上午', '10:30'],
    ['2024-W18', 'week', '20', '2024-W20'],
    ['2024-W18', 'year', '2025', '2025-W18'],
  ] as const)('of %s the %s is set to %s', (value, part, text, now) =>
    expect(withPart(value, part, text)).toBe(now),
  )

  test('is refused where the text is none', () => {
    expect(withPart('2024-05-01', 'year', '25')).toBeNull()
    expect(withPart('2024-05-01', 'day', 'first')).toBeNull()
    expect(withPart('10:30', 'dayperiod', 'noon')).toBeNull()
  })
})
