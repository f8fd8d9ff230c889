import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Chromium } from '../support/chromium.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: FixtureSite
let browser: Chromium
let panel: Page
let host: string

beforeAll(async () => {
  // The person changed no setting.
  ;[product, site] = await Promise.all([startProduct(''), startFixtureSite()])
  host = new URL(site.url).host
  browser = await product.browser()
  panel = await open('sidepanel')
})
afterAll(async () => {
  await product?.close()
  await site?.stop()
})

async function open(name: string): Promise<Page> {
  const page = await browser.context.newPage()
  await page.goto(`chrome-extension://${browser.extensionId}/${name}.html`)
  await page.locator('main:not([aria-busy])').waitFor()
  return page
}

const run = (command: string, args = {}, options = {}) =>
  product.run(`browser.${command}`, args, { timeout_ms: 60_000, ...options })
const button = (name: string | RegExp) => panel.getByRole('button', { name })
const region = (name: string) => panel.getByRole('region', { name })

/** Begins to wait for a text, once the panel tells of nothing older that runs; resolves when it tells of this. */
async function waitsFor(text: string) {
  await region('Running').waitFor({ state: 'hidden' })
  const running = run('wait', { text }, { session: 'work' })
  await region('Running').getByText(host).waitFor()
  return { running }
}

describe('the panel', () => {
  it('grants a site for good, and shows it in the list and on the button of its tabs', async () => {
    const waiting = run('navigate', { url: `${site.url}/controls` }, { session: 'work' })
    await panel.getByRole('article').getByText(host, { exact: true }).waitFor()
    await panel.getByLabel('Allow it').selectOption('always')
    await button(/^allow$/i).click()
    expect((await waiting).ok).toBe(true)
    expect(await region('Sites').getByRole('listitem').textContent()).toContain(`${host}granted`)
    const tab = await browser.context.newPage()
    await tab.goto(`${site.url}/feed`)
    const worker = await browser.serviceWorker()
    const marked = async () => {
      const told = await worker.evaluate(async () => {
        const [{ id: tabId } = {}] = await chrome.tabs.query({ active: true, lastFocusedWindow: true })
        return [await chrome.action.getBadgeText({ tabId }), await chrome.action.getTitle({ tabId })]
      })
      return told.join(' ')
    }
    await expect.poll(marked, { timeout: 10_000 }).toBe(`● Agents may use ${host}`)
    expect(await region('This page').textContent()).toContain('Agents may use this site.')
    await tab.close()
  })

  it('lists what runs with its site, and stops that one alone', async () => {
    const { running: one } = await waitsFor('never one')
    await button('Stop: browser.wait').click()
    expect((await one).error).toMatchObject({ code: 'cancelled', details: { by: 'person' } })
  })

  it('shows the page and what was acted on there, and leaves nothing in it', async () => {
    await run('click', { target: 'role=button[name="Count"]' }, { session: 'work' })
    const nodes = "document.querySelectorAll('*').length"
    const before = (await run('evaluate', { expression: nodes }, { session: 'work' })).data
    await region('Sessions').getByRole('button', { name: /^Show/ }).click()
    const shown = "document.visibilityState + ' ' + document.querySelectorAll('*').length"
    await expect
      .poll(async () => (await run('evaluate', { expression: shown }, { session: 'work' })).data)
      .toBe(`visible ${before}`)
    await panel.bringToFront()
  })

  it('holds back what is new while what runs goes on, until the person lets it go on', async () => {
    const { running } = await waitsFor('count 2')
    await button('Pause agents').click()
    await panel.getByText('Paused: nothing new starts').waitFor()
    expect((await run('html', {}, { session: 'work' })).error?.code).toBe('paused')
    await button('Go on').click()
    await button('Pause agents').waitFor()
    await run('click', { target: 'role=button[name="Count"]' }, { session: 'work' })
    expect((await running).ok).toBe(true)
  })

  it('shows the pictures that an operation left behind, when the person wants to see them', async () => {
    const { evidence } = await run('screenshot', {}, { session: 'work' })
    expect(evidence).toMatchObject([{ media_type: expect.stringMatching(/^image/) }])
    const taken = region('Last operations').locator('details', { hasText: 'browser.screenshot' })
    expect(await taken.textContent()).toContain('evidence: 1')
    await taken.locator('summary').click()
    const picture = taken.getByRole('img', { name: 'picture' })
    await picture.waitFor()
    await picture.evaluate(image => (image as HTMLImageElement).decode())
    expect(await picture.evaluate(image => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(300)
    await taken.locator('summary').click()
    await picture.waitFor({ state: 'detached' })
  })

  it('stops what runs on a site within a second of its grant being taken back', async () => {
    const { running } = await waitsFor('never two')
    const began = performance.now()
    await button(`Take back: ${host}`).click()
    const envelope = await running
    const at = performance.now()
    expect(envelope.error?.code).toBe('cancelled')
    console.info(`stopped ${Math.round(at - began)} ms after the click`)
    expect(at - began).toBeLessThan(1000)
  })

  it('makes a never of the answer, and tells it from then on', async () => {
    const waiting = run('navigate', { url: site.url }, { session: 'work' })
    await button('Never on this site').click()
    expect((await waiting).error?.code).toBe('approval_denied')
    expect((await run('navigate', { url: site.url }, { session: 'work' })).error?.code).toBe('site_refused')
    expect(await region('Sites').getByRole('listitem').textContent()).toContain(`${host}never`)
  })

  it('shows how the last operations ended, with the command that shows all of one', async () => {
    const recent = region('Last operations')
    await recent.getByText('browser.click').first().waitFor()
    expect(await recent.textContent()).toContain('effect seen')
    await recent.locator('summary').first().click()
    await recent
      .locator('details[open]')
      .getByText(/unicli runs show [0-9a-f]{16}/)
      .waitFor()
  })

  it('ends a session and closes its tab', async () => {
    await button('End: work').click()
    await panel.getByText('No agent has a tab here.').waitFor()
  })
})

describe('every page of the extension', () => {
  it.each(['popup', 'sidepanel', 'options'])('has no barrier that axe knows: %s', async name => {
    const waiting = run('cookies', { url: `http://${name}.example/` })
    const page = await open(name)
    if (name !== 'options') await page.getByRole('article').waitFor()
    const faults: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      faults.push(...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`))
    }
    await page.close()
    await panel.getByRole('button', { name: /^refuse$/i }).click()
    await waiting
    expect(faults).toEqual([])
  })

  it('can be used by keyboard alone: each button is reached, and shows that it is', async () => {
    await panel.bringToFront()
    await panel.locator('body').press('Tab')
    const names: string[] = []
    for (let count = 0; count < 40; count++) {
      const { name, outline } = await panel.evaluate(() => {
        const element = document.activeElement ?? document.body
        const label = element.getAttribute('aria-label') ?? element.textContent ?? ''
        return { name: `${element.tagName} ${label.trim()}`, outline: getComputedStyle(element).outlineStyle }
      })
      if (name.startsWith('BODY') || name === names[0]) break
      expect([name, outline]).toEqual([name, 'solid'])
      names.push(name)
      await panel.keyboard.press('Tab')
    }
    expect(names).toContain('BUTTON Pause agents')
    expect(names).toContain(`BUTTON Take back: ${host}`)
    expect(names).toContain('BUTTON Settings')
  })
})
