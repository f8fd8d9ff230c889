import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import type { Snapshot } from '../../shared/values.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { evaluateIn, openTab } from '../support/cdp.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type Product, startProduct } from '../support/product.ts'

// Browsers under Playwright keep no pages to go back to, and freeze and throttle none. This one is a person's.
let product: Product
let site: FixtureSite
let browser: OwnBrowser

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startFixtureSite()])
  browser = await startOwnBrowser(product, 'own')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.stop()
})

const TIMEOUT_MS = 15_000

const { does } = browserCalls(() => product, TIMEOUT_MS)

describe('a page that is left, which the browser keeps to come back to', () => {
  test('answers the act that left it, time and again', async () => {
    for (let round = 0; round < 10; round += 1) {
      const session = `login-${round}`
      await does(session, 'navigate', { url: `${site.url}/login` })
      await does(session, 'type', { target: 'css=input[name=user]', text: site.user })
      const submitted = await does(session, 'type', {
        target: 'css=input[name=password]',
        text: site.password,
        submit: true,
      })
      expect(submitted).toMatchObject({ verdict: 'confirmed' })
      await does(session, 'wait', { target: 'css=#new-note' })
      await does(session, 'click', { target: 'role=button[name="Log out"]' })
      await does(session, 'wait', { url: '/login' })
    }
  })

  test('does not hold a wait that began in it', async () => {
    await does('waiting', 'navigate', { url: `${site.url}/controls` })
    const waited = does('waiting', 'wait', { text: 'Bamboo flute' })
    await does('waiting', 'evaluate', { expression: "void setTimeout(() => location.assign('/feed'))" })
    expect(await waited).toMatchObject({ url: `${site.url}/feed` })
  })

  test('does not hold a script that left it: nobody knows how far it came', async () => {
    await does('leaving', 'navigate', { url: `${site.url}/controls` })
    const started = Date.now()
    const expression = "new Promise(() => location.assign('/feed'))"
    const { error } = await product.run('browser.evaluate', { expression }, { session: 'leaving' })
    expect(error?.code).toBe('outcome_unknown')
    expect(Date.now() - started).toBeLessThan(TIMEOUT_MS)
    expect(await does('leaving', 'evaluate', { expression: 'document.title' })).toBe('Feed')
  })

  test('still knows its elements by their refs when it is shown again', async () => {
    await does('back', 'navigate', { url: `${site.url}/controls` })
    const { text } = await does<Snapshot>('back', 'snapshot', { interactive: true })
    const ref = /button "Count" \[(d\d+e\d+)\]/.exec(text)?.[1]
    await does('back', 'click', { target: 'role=button[name="Go to the feed"]' })
    await does('back', 'wait', { text: 'Bamboo flute' })
    await does('back', 'evaluate', { expression: 'void setTimeout(() => history.back())' })
    await does('back', 'wait', { target: 'role=button[name="Count"]' })
    expect(await does('back', 'click', { target: ref })).toMatchObject({ verdict: 'confirmed' })
    await does('back', 'wait', { text: 'count 1' })
  })
})

describe('a page of every kind of control', () => {
  const acts = async (command: string, args: Record<string, unknown>) =>
    expect(await does('acting', command, args)).toMatchObject({ verdict: 'confirmed' })

  test('is filled in, pointed at, scrolled and sent without a script', async () => {
    await does('acting', 'navigate', { url: `${site.url}/controls` })
    await acts('focus', { target: 'label=姓名' })
    await acts('press', { key: '王' })
    await acts('select_option', { target: 'label=城市', option: '上海' })
    await acts('check', { target: 'label=订阅通知' })
    await acts('check', { target: 'label=Large' })
    await acts('click', { target: 'role=button[name="提交"]' })
    await does('acting', 'wait', { text: '已保存：王' })
    const expression = "Object.fromEntries(new FormData(document.querySelector('#person')))"
    expect(await does('acting', 'evaluate', { expression })).toEqual({
      name: '王',
      city: 'shanghai',
      subscribe: 'on',
      size: 'large',
    })
    await acts('scroll', { direction: 'bottom' })
    await acts('scroll', { target: 'role=button[name="Count"]' })
    const button = "document.querySelector('[data-does=count]')"
    const shown = "document.querySelector('#later').append('竹')"
    await does('acting', 'evaluate', { expression: `void (${button}.onmouseover = () => ${shown})` })
    await acts('hover', { target: 'role=button[name="Count"]' })
    await does('acting', 'wait', { target: 'css=#later', text: '竹' })
  })
})

describe('an act that was seen to have no effect', () => {
  test('fails, so that nothing goes on as if it had worked', async () => {
    await does('refused', 'navigate', { url: `${site.url}/login` })
    const refuse = "addEventListener('input', event => { event.target.value = 'kept' }, true)"
    await does('refused', 'evaluate', { expression: `void ${refuse}` })
    const typing = { target: 'css=input[name=user]', text: 'someone', submit: true }
    const { ok, error, exit_code, meta } = await product.run('browser.type', typing, { session: 'refused' })
    expect({ ok, exit_code, verdict: meta.verdict }).toEqual({ ok: false, exit_code: 69, verdict: 'failed' })
    expect(error).toMatchObject({
      code: 'act_failed',
      message: 'Typing into css=input[name=user] did not take effect: the element now has "kept".',
    })
    expect(await does('refused', 'evaluate', { expression: 'location.pathname' })).toBe('/login')
  })
})

describe("the session's own page", () => {
  test('gives its HTML, what it stores without the values, and its tab until that is closed', async () => {
    const options = { session: 'looking' }
    await does('looking', 'navigate', { url: `${site.url}/controls` })
    await does('looking', 'evaluate', { expression: "localStorage.setItem('主题', 'dark')" })
    expect(await does('looking', 'html', { target: 'role=button[name="Count"]' })).toMatch(
      /^<button.*<\/button>$/s,
    )
    expect(await does('looking', 'storage', { keys: ['主题'] })).toEqual([{ key: '主题', chars: 4 }])
    expect(await does('looking', 'storage', { keys: ['主题'], values: true })).toEqual([
      { key: '主题', chars: 4, value: 'dark' },
    ])
    expect(await does('looking', 'storage', { area: 'session' })).toEqual([])
    expect(await does('looking', 'tabs', {})).toMatchObject([{ url: `${site.url}/controls` }])
    expect(await does('looking', 'close', {})).toEqual({ closed: 1 })
    expect(await does('looking', 'tabs', {})).toEqual([])
    const { error } = await product.run('browser.html', {}, options)
    expect(error).toMatchObject({ code: 'tab_gone' })
  })
})

describe('a tab that the browser has frozen, because a person collapsed its group', () => {
  test('is woken by the next operation in it', async () => {
    await does('cold', 'navigate', { url: `${site.url}/feed` })
    const onFreeze = "addEventListener('freeze', () => void fetch('/api/echo', { keepalive: true }))"
    await does('cold', 'evaluate', { expression: `document.${onFreeze}` })
    const frozen = site.nextRequest('GET', '/api/echo')
    const panel = await openTab(browser.cdp, `chrome-extension://${EXTENSION_ID}/popup.html`)
    await evaluateIn(
      browser.cdp,
      panel,
      "chrome.tabGroups.query({ title: 'unicli: cold' }).then(([{ id }]) => chrome.tabGroups.update(id, { collapsed: true }))",
    )
    await frozen
    expect(await does('cold', 'evaluate', { expression: 'document.title' })).toBe('Feed')
  })
})
