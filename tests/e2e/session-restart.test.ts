import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { evaluateIn, killServiceWorker, openTab } from '../support/cdp.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { waitFor } from '../support/processes.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let browser: OwnBrowser

beforeAll(async () => {
  const page = (title: string) => `<!doctype html><title>${title}</title><button>${title}</button>`
  site = await startPageServer({ '/one': page('One'), '/two': page('二'), '/person': page('Mine') })
  product = await startProduct()
  browser = await startOwnBrowser(product, 'restart')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

async function does<T = unknown>(
  tab: string | undefined,
  command: string,
  args: Record<string, unknown> = {},
): Promise<T> {
  const options = { session: '长', tab, timeout_ms: 40_000 }
  const { data, error } = await product.run(`browser.${command}`, args, options)
  expect(error).toBeNull()
  return data as T
}

const BOTH = [
  { tab: 't1', title: 'One' },
  { tab: 't2', title: '二', current: true },
]

test('a session goes on with its tabs when the worker is killed during an operation', async () => {
  await does(undefined, 'navigate', { url: `${site.url}/one` })
  await does('t1', 'tab_new', { url: `${site.url}/two` })
  const options = { session: '长', tab: 't1', timeout_ms: 40_000 }
  const waiting = product.run('browser.wait', { text: 'Late' }, options)
  await does('t2', 'snapshot')
  await killServiceWorker(browser.cdp, EXTENSION_ID)
  // Nobody knows what an operation saw whose worker is gone; it says so and can be called again.
  expect((await waiting).error).toMatchObject({ code: 'link_lost', retryable: true })
  await does('t1', 'evaluate', { expression: "void document.body.append('Late')" })
  expect(await does('t1', 'wait', { text: 'Late' })).toMatchObject({ url: `${site.url}/one` })
  expect(await does('t1', 'tabs')).toMatchObject(BOTH)
})

test('it finds its tabs again when the browser was started anew, and no tab of the person', async () => {
  await openTab(browser.cdp, `${site.url}/one`)
  const panel = await openTab(browser.cdp, `chrome-extension://${EXTENSION_ID}/popup.html`)
  const grouped = 'chrome.tabs.query({}).then(all => all.filter(tab => tab.groupId >= 0).length === 2)'
  await waitFor(() => evaluateIn<boolean>(browser.cdp, panel, grouped), { what: 'the tabs in their group' })
  await browser.close()
  browser = await startOwnBrowser(product, 'restart', { args: ['--restore-last-session'] })
  expect(await does('t1', 'evaluate', { expression: 'document.title' })).toBe('One')
  expect(await does('t2', 'click', { target: 'role=button' })).toMatchObject({ title: '二' })
  expect(await does('t1', 'tabs')).toMatchObject(BOTH)
  expect(await does('t1', 'session_end')).toEqual({ closed: 2 })
  const again = await openTab(browser.cdp, `chrome-extension://${EXTENSION_ID}/popup.html`)
  const left = await evaluateIn<number>(
    browser.cdp,
    again,
    "chrome.tabs.query({ url: '*://*/one' }).then(all => all.length)",
  )
  expect(left).toBe(1)
})
