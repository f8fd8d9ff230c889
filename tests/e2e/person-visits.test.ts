import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownExtension } from '../../companion/managed/own-extension.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { evaluateIn, openTab } from '../support/cdp.ts'
import { builtExtension } from '../support/extension-rig.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let browser: OwnBrowser

beforeAll(async () => {
  const page = (title: string) => `<!doctype html><title>${title}</title>`
  site = await startPageServer({ '/stone': page('石桥 Stone bridge'), '/river': page('River') })
  product = await startProduct()
  // As it is once the person has allowed what is optional: no test can click the browser's prompt.
  const extension = ownExtension(builtExtension('chrome'), product.env.root)
  browser = await startOwnBrowser(product, 'allowed', { extension })
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

const run = (command: string, args = {}): Promise<Envelope> => product.run(`browser.${command}`, args)
async function does<T>(command: string, args = {}): Promise<T> {
  const { data, error } = await run(command, args)
  expect(error).toBeNull()
  return data as T
}

test('where the person was is found by words of title and address, the latest first', async () => {
  for (const path of ['/stone', '/river', '/stone']) await openTab(browser.cdp, site.url + path)
  const [found, ...others] = await does<{ url: string; at: string; visits: number }[]>('history', {
    text: '石桥',
  })
  expect(found).toMatchObject({ url: `${site.url}/stone`, title: '石桥 Stone bridge', visits: 2 })
  expect(Date.parse(found?.at ?? '')).toBeGreaterThan(Date.now() - 600_000)
  expect(others).toEqual([])
  expect(await does('history', { text: 'river', days: 1 })).toMatchObject([{ url: `${site.url}/river` }])
  expect(await does<unknown[]>('history', { limit: 1 })).toHaveLength(1)
  expect(await does('history', { text: 'nowhere at all' })).toEqual([])
})

test('bookmarks are found with the folder that they lie in', async () => {
  const options = await openTab(browser.cdp, `chrome-extension://${EXTENSION_ID}/options.html`)
  const made = `(async () => {
    const folder = await chrome.bookmarks.create({ parentId: '1', title: '桥' })
    await chrome.bookmarks.create({ parentId: folder.id, title: 'The stone one', url: '${site.url}/stone' })
    await chrome.bookmarks.create({ parentId: '1', title: 'River', url: '${site.url}/river' })
  })()`
  await evaluateIn(browser.cdp, options, made)
  expect(await does('bookmarks', { text: 'stone' })).toMatchObject([
    { title: 'The stone one', url: `${site.url}/stone`, folder: expect.stringMatching(/ \/ 桥$/) },
  ])
  expect(await does<unknown[]>('bookmarks')).toHaveLength(2)
})

test('a person who is careful is asked before either is read', async () => {
  for (const command of ['history', 'bookmarks']) {
    const { stdout } = await product.cli(
      ...['policy', 'test', `browser.${command}`, '--policy-profile', 'careful', '--json'],
    )
    expect(JSON.parse(stdout).data).toMatchObject({ decision: 'ask' })
  }
})
