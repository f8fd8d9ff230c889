import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { evaluateIn, killServiceWorker, serviceWorkerTarget } from '../support/cdp.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { waitFor } from '../support/processes.ts'
import { isLinkedSince, type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let browser: OwnBrowser

beforeAll(async () => {
  site = await startPageServer({ '/said': (_, response) => response.end('said') })
  product = await startProduct()
  browser = await startOwnBrowser(product, 'hooked')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

async function does<T = Record<string, unknown>>(session: string, operation: string, args = {}): Promise<T> {
  const { data, error } = await product.run(operation, args, { session, timeout_ms: 30_000 })
  expect(error, operation).toBeNull()
  return data as T
}

/** The scripts that the extension has registered for pages. */
async function hooks(): Promise<string[]> {
  const worker = await serviceWorkerTarget(browser.cdp, EXTENSION_ID)
  const ids = 'chrome.scripting.getRegisteredContentScripts().then(all => all.map(each => each.id))'
  return worker === undefined ? [] : await evaluateIn<string[]>(browser.cdp, worker.targetId, ids)
}
const areGone = () => waitFor(async () => (await hooks()).length === 0, { what: 'the end of the hook' })

async function hooked(session: string): Promise<void> {
  await does(session, 'network.start', { source: 'page' })
  await does(session, 'browser.navigate', { url: `${site.url}/` })
  expect(await hooks()).toHaveLength(2)
}

/** What is known of the body of a request that the page makes now; `fetch` is its kind once the hook has told of it. */
async function bodyOf(session: string, mark: string, kind: string): Promise<unknown> {
  await does(session, 'browser.evaluate', { expression: `fetch('/said?${mark}').then(r => r.text())` })
  const { id } = await does<{ id: string }>(session, 'network.wait', { url: `?${mark}`, kind, since: 0 })
  return (await does(session, 'network.get', { id })).response_body
}

test('the hook in pages goes with the session that wanted it', async () => {
  await hooked('ended')
  expect(await bodyOf('ended', 'one', 'fetch')).toBe('said')
  await does('ended', 'browser.session_end')
  await areGone()
})

test('it goes when nobody has used the session for as long as its lease says', async () => {
  await hooked('leased')
  await does('leased', 'browser.session_keep', { minutes: 1 / 60 })
  await areGone()
})

test('it is taken up by the next worker when one dies', async () => {
  await hooked('died')
  const killedAt = Date.now()
  await killServiceWorker(browser.cdp, EXTENSION_ID)
  await product.status(({ profiles }) => profiles.some(isLinkedSince(killedAt)))
  expect(await bodyOf('died', 'two', 'fetch')).toBe('said')
  expect(await hooks()).toHaveLength(2)
})

test('it leaves the pages of a site that the person takes back', async () => {
  const taken = await product.cli('grants', 'deny', new URL(site.url).host)
  expect(taken.code).toBe(0)
  await areGone()
})
