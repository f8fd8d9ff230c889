import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
  await rig.show(`
    <main><ul aria-label=Cart><li>Tea 3 EUR <button>Drop</button></li><li>Rum 40 EUR <button>Drop</button></li></ul></main>
    <label>Your name <input data-testid=who></label>
    <button id=under style="position:absolute;left:300px;top:0;width:80px;height:30px">Under</button>
    <div id=cover style="position:absolute;left:300px;top:0;width:90px;height:40px;background:red"></div>
    <button hidden>Drop it</button>
    <div style="height:3000px"></div><p>Far down below</p>`)
})
afterAll(() => rig.close())

const found = async (query: Parameters<AgentRig['call']>[1]) => rig.call('find', query as object)

describe('finding', () => {
  test('by role and name gives refs, and where each one is', async () => {
    const {
      count,
      found: [first, second],
    } = await found({ role: 'button', name: 'Drop' })
    expect(count).toBe(2)
    expect(first).toEqual({
      ref: expect.stringMatching(/^d1e\d+$/),
      role: 'button',
      name: 'Drop',
      path: 'main > list "Cart" > listitem',
      seen: 'visible',
    })
    expect((await rig.call('read', { target: second?.ref ?? '' })).name).toBe('Drop')
  })

  test('by text tells what is off screen, and what is covered by what', async () => {
    expect((await found({ text: 'far down' })).found).toMatchObject([
      { name: 'Far down below', seen: 'off screen' },
    ])
    expect((await found({ text: 'Under' })).found).toMatchObject([
      { seen: expect.stringContaining('div#cover') },
    ])
  })

  test('by label, by test id, and by selector', async () => {
    for (const query of [{ label: 'your name' }, { testid: 'who' }, { target: 'css=input' }]) {
      expect((await found(query)).found).toMatchObject([{ role: 'textbox', name: 'Your name' }])
    }
  })

  test('by pattern, in time linear in the text', async () => {
    expect((await found({ regex: '^Rum \\d+ EUR' })).found).toMatchObject([{ name: 'Rum 40 EUR Drop' }])
    await rig.page.evaluate(() => document.body.append(`${'a'.repeat(4000)}!`))
    expect((await found({ regex: '^(a+)+$' })).count).toBe(0)
    expect((await rig.failure('find', { regex: '(?=x)' })).code).toBe('invalid_args')
  })

  test('all that is given has to fit, and no more is told than asked for', async () => {
    expect(await found({ role: 'listitem', text: 'Tea' })).toMatchObject({ count: 1 })
    const { count, found: told } = await found({ role: 'button', limit: 1 })
    expect(count).toBeGreaterThan(1)
    expect(told).toHaveLength(1)
  })
})
