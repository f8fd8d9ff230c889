import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

describe('date_parse', () => {
  it.each([
    ['ISO', '2024-03-05T08:30:00+08:00', {}, '2024-03-05T00:30:00.000Z'],
    ['a day', '2024-03-05', {}, '2024-03-05T00:00:00.000Z'],
    ['a day in a zone', '2024-03-05', { zone: 'Asia/Shanghai' }, '2024-03-04T16:00:00.000Z'],
    ['a date of mail', 'Tue, 05 Mar 2024 00:30:00 GMT', {}, '2024-03-05T00:30:00.000Z'],
    ['a date of SQL', '2024-03-05 00:30:00', {}, '2024-03-05T00:30:00.000Z'],
    ['seconds', 1709598600, {}, '2024-03-05T00:30:00.000Z'],
    ['milliseconds as text', '1709598600000', {}, '2024-03-05T00:30:00.000Z'],
    [
      'tokens in a language',
      '5 mars 2024',
      { formats: 'd MMMM yyyy', locale: 'fr' },
      '2024-03-05T00:00:00.000Z',
    ],
    [
      'one of several formats',
      '05.03.2024',
      { formats: ['yyyy-MM-dd', 'dd.MM.yyyy'] },
      '2024-03-05T00:00:00.000Z',
    ],
    [
      'the hour that summer time skips',
      '2024-03-31 02:30',
      { formats: 'yyyy-MM-dd HH:mm', zone: 'Europe/Berlin' },
      '2024-03-31T01:30:00.000Z',
    ],
    ['a day as seconds', '2024-03-05', { as: 's' }, 1709596800],
    ['a day as milliseconds', '2024-03-05', { as: 'ms' }, 1709596800000],
    ['nothing as nothing', '', {}, null],
  ])('reads %s', async (_, text, options, want) => {
    expect(await answerOf([{ date_parse: options }], text)).toBe(want)
  })

  it.each(['yesterday', '2024-13-45', '5', '99999999999999999999', '10:30', 'T10:30'])(
    'refuses "%s"',
    async text => {
      expect((await failureOf([{ date_parse: {} }], text)).message).toContain(`"${text}" is not a date`)
    },
  )

  it('refuses zones and languages that are none', async () => {
    await expect(answerOf([{ date_parse: { zone: 'Mars/Base' } }], '')).rejects.toThrow('no time zone')
    await expect(answerOf([{ date_parse: { locale: 'no_tag!' } }], '')).rejects.toThrow('no language tag')
  })
})

describe('date_format', () => {
  const at = '2024-03-05T00:30:00Z'
  it.each([
    [{ format: 'yyyy-MM-dd HH:mm', zone: 'America/New_York' }, '2024-03-04 19:30'],
    [{ date: 'long', locale: 'zh-CN' }, '2024年3月5日'],
    [{ date: 'full', time: 'short', locale: 'en-US' }, 'Tuesday, March 5, 2024 at 12:30 AM'],
    [{ format: 'EEEE', locale: 'ja' }, '火曜日'],
    [{ zone: 'UTC+8', format: 'HH:mm' }, '08:30'],
    [{}, 'Mar 5, 2024'],
  ])('writes %j', async (options, want) => {
    expect(await answerOf([{ date_format: options }], at)).toBe(want)
  })

  it('writes a field of every row and leaves rows without a date', async () => {
    const rows = [
      { at, n: 1 },
      { at: null, n: 2 },
    ]
    expect(await answerOf([{ date_format: { field: 'at', to: 'day', format: 'd.M.' } }], rows)).toEqual([
      { at, n: 1, day: '5.3.' },
      { at: null, n: 2, day: null },
    ])
  })
})
