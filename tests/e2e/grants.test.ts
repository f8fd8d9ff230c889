import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Chromium } from '../support/chromium.ts'
import { valid } from '../support/envelope-check.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { addAdapters } from '../support/overlay.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: FixtureSite
let other: FixtureSite
let panel: Page
let browser: Chromium

const READER = (base: string) => `type: web-api
strategy: cookie
effect: read
base: ${base}
pipeline:
  - fetch: /api/me
example: {}
`

beforeAll(async () => {
  // The person changed no setting: nothing is granted.
  ;[product, site, other] = await Promise.all([startProduct(''), startFixtureSite(), startFixtureSite()])
  await addAdapters(product, 'notes', { me: READER(other.url) })
  browser = await product.browser()
  panel = await browser.context.newPage()
  await panel.goto(`chrome-extension://${browser.extensionId}/sidepanel.html`)
})
afterAll(async () => {
  await product?.close()
  await Promise.all([site?.stop(), other?.stop()])
})

const hostOf = ({ url }: FixtureSite) => new URL(url).host
const button = (name: RegExp) => panel.getByRole('button', { name })
const allowFor = async (lasts: string) => {
  await panel.getByLabel('Allow it').selectOption(lasts)
  await button(/^allow/i).click()
}
const run = (command: string, args = {}, options = {}) =>
  product.run(`browser.${command}`, args, { timeout_ms: 60_000, ...options })

describe('a site that was never granted', () => {
  it('gets not one request, whatever is asked of it, while the person says nothing or no', async () => {
    for (const [command, args] of [
      ['navigate', { url: `${site.url}/feed` }],
      ['cookies', { url: site.url }],
    ] as const) {
      const waiting = run(command, args)
      await panel.getByText(hostOf(site)).first().waitFor()
      await button(/^refuse/i).click()
      expect(valid(await waiting)).toMatchObject({ exit_code: 77, error: { code: 'approval_denied' } })
    }
    const late = run('navigate', { url: `${site.url}/feed` }, { timeout_ms: 1500 })
    expect(valid(await late).error?.code).toBe('approval_required')
    expect(site.requests).toEqual([])
  })

  it('is asked about by an adapter that wants the logins of the person, once', async () => {
    const waiting = product.run('notes.me', {}, { timeout_ms: 60_000 })
    await button(/^refuse/i).click()
    expect(valid(await waiting)).toMatchObject({ error: { code: 'approval_denied' } })
    expect(other.requests).toEqual([])
    const again = product.run('notes.me', {}, { timeout_ms: 60_000 })
    await allowFor('always')
    expect((await again).error?.code).toBe('auth_required')
    expect((await product.run('notes.me', {})).error?.code).toBe('auth_required')
    expect(other.count('GET', '/api/me')).toBe(2)
    await product.cli('grants', 'forget', hostOf(other))
  })
})

describe('a site that the person grants', () => {
  it('is used from then on unasked, and listed', async () => {
    const waiting = run('navigate', { url: `${site.url}/feed` })
    await allowFor('always')
    expect(valid(await waiting)).toMatchObject({ data: { title: 'Feed' } })
    expect(valid(await run('snapshot'))).toMatchObject({ ok: true })
    const { data } = (await product.cli('grants', 'list')).json()
    expect(data).toMatchObject([{ site: hostOf(site), word: 'always' }])
  })

  it('has a page that is ready for what comes as soon as it was navigated to', async () => {
    expect((await run('navigate', { url: `${site.url}/feed` })).ok).toBe(true)
    const worker = await browser.serviceWorker()
    const hasAgent = () =>
      worker.evaluate(async url => {
        const [{ id: tabId = 0 } = {}] = await chrome.tabs.query({ url: `${url}/*` })
        const func = () => '__unicliPage' in globalThis
        return (await chrome.scripting.executeScript({ target: { tabId }, func }))[0]?.result
      }, site.url)
    await expect.poll(hasAgent).toBe(true)
  })

  it('says nothing for a site that its page leads to, until that is granted too', async () => {
    const away = `void setTimeout(() => location.assign('${other.url}/feed'))`
    await run('evaluate', { expression: away })
    const waiting = run('wait', { url: other.url })
    await panel.getByText(hostOf(other)).first().waitFor()
    await button(/^refuse/i).click()
    expect(valid(await waiting).error?.code).toBe('approval_denied')
    const asked = run('html')
    await allowFor('once')
    expect((await asked).data).toContain('<title>Feed')
    await run('navigate', { url: `${site.url}/feed` })
  })

  it('stops within a second where the person takes it back while something runs there', async () => {
    const running = run('wait', { text: 'This never comes.' })
    await product.status(({ running: runs }) => runs.some(({ operation }) => operation === 'browser.wait'))
    const began = Date.now()
    await product.cli('grants', 'deny', hostOf(site))
    expect(valid(await running).error?.code).toBe('cancelled')
    expect(Date.now() - began).toBeLessThan(5000)
    const refused = valid(await run('html'))
    expect([refused.error?.code, refused.exit_code]).toEqual(['site_refused', 77])
  })
})
