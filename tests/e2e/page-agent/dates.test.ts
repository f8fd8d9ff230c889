import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { DatePart } from '../../../shared/values.ts'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

const PAGE = `
  <label>Day <input id=day type=date min=2024-01-01 max=2026-12-31></label>
  <label>When <input id=when type=datetime-local></label>
  <label>Time <input id=time type=time min=08:00 max=18:00 step=900></label>
  <label>Month <input id=month type=month min=2024-01></label>
  <label>Week <input id=week type=week max=2026-W52></label>
  <script>
    const seen = []
    for (const name of ['input', 'change']) document.addEventListener(name, event => seen.push(name + ' ' + event.target.id))
  </script>`

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())
beforeEach(() => rig.show(PAGE))

const type = (id: string, text: string, part?: DatePart) =>
  rig.call('type', { target: `css=#${id}`, text, ...(part && { part }) })
const refused = async (id: string, text: string, part?: DatePart): Promise<string> => {
  const { code, params } = await rig.failure('type', { target: `css=#${id}`, text, ...(part && { part }) })
  expect(code).toBe('element_not_ready')
  return String(params['reason'])
}
const shownIn = (id: string) => rig.page.inputValue(`#${id}`)

describe('a field of a date or time', () => {
  test('says its kind, its form while it is empty, its limits and its value', async () => {
    expect(await rig.snapshot()).toContain(
      'textbox "Day" [d1e1] type=date form=yyyy-mm-dd min=2024-01-01 max=2026-12-31',
    )
    await type('time', '9:30 AM')
    expect(await rig.snapshot()).toMatch(/"Time" \[d1e3\] type=time min=08:00 max=18:00 step=900.*: 09:30/)
  })

  test.each([
    ['day', '2024-05-01', '2024-05-01'],
    ['day', '01.05.2024', '2024-05-01'],
    ['day', '2024年5月1日', '2024-05-01'],
    ['when', '2024-05-01T15:30', '2024-05-01T15:30'],
    ['when', '5/31/2024 3:30 PM', '2024-05-31T15:30'],
    ['when', '31.05.2024, 15:30', '2024-05-31T15:30'],
    ['time', '14:15', '14:15'],
    ['time', '2:15 PM', '14:15'],
    ['month', 'May 2024', '2024-05'],
    ['week', 'Week 18, 2024', '2024-W18'],
  ])('%s takes %s', async (id, text, value) => {
    expect(await type(id, text)).toMatchObject({ verdict: 'confirmed', value })
    expect(await shownIn(id)).toBe(value)
    expect(await rig.page.evaluate('seen')).toEqual([`input ${id}`, `change ${id}`])
  })

  test('says how it understood a date that could be two', async () => {
    const typed = await type('day', '5/1/2024')
    expect(typed).toMatchObject({ verdict: 'confirmed', value: '2024-05-01' })
    expect(typed.note).toContain('was read as 2024-05-01')
  })

  test.each([
    ['day', 'tomorrow', 'it takes a date such as 2026-08-21, not "tomorrow"'],
    ['day', '31.02.2024', 'there is no 2024-02-31'],
    ['day', '2023-12-31', 'from 2024-01-01 to 2026-12-31, not 2023-12-31'],
    ['day', '1.1.2027', 'from 2024-01-01 to 2026-12-31, not 2027-01-01'],
    ['when', '2024-05-01', 'it takes a date and time such as'],
    ['when', '2024-05-01 25:00', 'there is no 2024-05-01T25:00'],
    ['when', '2024-05-01 15:30:20', 'in whole minutes'],
    ['time', '7:00', 'from 08:00 to 18:00 in steps of 900 seconds, not 07:00'],
    ['time', '9:20', 'in steps of 900 seconds, not 09:20'],
    ['month', '2023-12', 'from 2024-01, not 2023-12'],
    ['week', '2026-W60', 'there is no 2026-W60'],
    ['week', '2027-W01', 'to 2026-W52, not 2027-W01'],
  ])('%s refuses %s and says what it takes', async (id, text, reason) => {
    expect(await refused(id, text)).toContain(reason)
    expect(await shownIn(id)).toBe('')
    expect(await rig.page.evaluate('seen')).toEqual([])
  })
})

describe('one segment of it', () => {
  test('is set alone where the others are there', async () => {
    await type('when', '2024-05-31 10:30')
    expect(await type('when', '2025', 'year')).toMatchObject({
      verdict: 'confirmed',
      value: '2025-05-31T10:30',
    })
    expect(await type('when', '3 PM', 'hour')).toMatchObject({ value: '2025-05-31T15:30' })
    expect(await type('when', 'AM', 'dayperiod')).toMatchObject({ value: '2025-05-31T03:30' })
    await type('week', '2024-W18')
    expect(await type('week', '20', 'week')).toMatchObject({ value: '2024-W20' })
  })

  test('is refused where it is none, does not exist, or would make no date', async () => {
    expect(await refused('day', '2025', 'year')).toContain('it is empty')
    await type('day', '2024-05-31')
    expect(await refused('day', '9', 'hour')).toContain('its parts are year, month, day')
    expect(await refused('day', 'soon', 'year')).toContain('"soon" is no year')
    expect(await refused('day', 'Feb', 'month')).toContain('there is no 2024-02-31')
    expect(await refused('day', '2030', 'year')).toContain('to 2026-12-31, not 2030-05-31')
    expect(await shownIn('day')).toBe('2024-05-31')
  })

  test('is nothing that another field has', async () => {
    await rig.show('<input id=name aria-label=Name>')
    expect(await refused('name', 'x', 'year')).toContain('no date or time')
  })
})
