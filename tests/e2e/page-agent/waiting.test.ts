import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

const soon = (script: string): string => `<script>setTimeout(() => { ${script} }, 300)</script>`

describe('waiting', () => {
  test.each([
    [
      'an element that comes',
      '<main></main>',
      "document.querySelector('main').innerHTML = '<b id=x>x</b>'",
      { target: 'css=#x' },
    ],
    ['an element that is shown', '<p id=x hidden>x</p>', 'x.hidden = false', { target: 'css=#x' }],
    ['an element that goes', '<p id=x>x</p>', 'x.remove()', { target: 'css=#x', gone: true }],
    [
      'an element that is hidden',
      '<p id=x>x</p>',
      "x.style.display = 'none'",
      { target: 'css=#x', gone: true },
    ],
    ['a text that comes', '<p id=x></p>', "x.innerHTML = 'All <b>done</b>'", { text: 'all done' }],
    ['a text that goes', '<p id=x>Loading</p>', 'x.remove()', { text: 'loading', gone: true }],
    ['an address', '', "history.pushState(0, '', '/done?x=1')", { url: '/done' }],
    ['an address by pattern', '', "history.pushState(0, '', '/done?x=1')", { url: '*/done*' }],
    ['a place in the page', '', "location.hash = 'there'", { url: '#there' }],
    ['all that is asked for', '<p id=x></p>', "x.textContent = 'Ready'", { target: 'css=#x', text: 'ready' }],
    ['what is filled into a field', '<input id=x>', "x.value = 'Ready'", { target: 'css=#x', text: 'ready' }],
    [
      'the words of one element, wherever else they stand',
      '<p id=x></p><p>Ready</p>',
      "x.textContent = 'ready'",
      { target: 'css=#x', text: 'ready' },
    ],
    [
      'text in a shadow root that is attached later',
      '<my-x></my-x>',
      "document.querySelector('my-x').attachShadow({ mode: 'open' }).innerHTML = '<p>Inside</p>'",
      { text: 'inside' },
    ],
    [
      'a button with a name',
      '',
      "document.body.insertAdjacentHTML('beforeend', '<button>Next</button>')",
      { target: 'role=button[name="Next"]' },
    ],
  ])('ends with %s', async (_, markup, script, request) => {
    await rig.show(markup + soon(script))
    const { waited_ms, url } = await rig.call('wait', request)
    expect(waited_ms).toBeLessThan(5000)
    expect(url).toContain(rig.site.url)
  })

  test('ends at once with what is there already', async () => {
    await rig.show('<p>Here</p>')
    expect((await rig.call('wait', { text: 'here' })).waited_ms).toBeLessThan(500)
  })

  test('ends with the deadline', async () => {
    await rig.show('<p>Here</p>')
    const started = Date.now()
    const { code, params } = await rig.failure('wait', { text: 'never' }, { deadline: Date.now() + 700 })
    expect(code).toBe('deadline_exceeded')
    expect(params.action).toBe('wait')
    expect(Date.now() - started).toBeLessThan(3000)
  })

  test('takes a ref that is gone for gone', async () => {
    await rig.show('<button id=x>One</button>')
    const ref = await rig.refOf('button "One"')
    await rig.page.evaluate(() => document.querySelector('button')?.remove())
    expect(await rig.call('wait', { target: ref, gone: true })).toBeTruthy()
  })

  test('needs something to wait for', async () => {
    expect((await rig.failure('wait')).code).toBe('invalid_args')
  })
})
