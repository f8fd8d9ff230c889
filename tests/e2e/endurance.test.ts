import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { targets } from '../support/cdp.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { addAdapters } from '../support/overlay.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { hostsOfHome, openHandles, processesOfHome, residentBytes } from '../support/process-table.ts'
import { waitFor } from '../support/processes.ts'
import { type Product, startProduct } from '../support/product.ts'

const OPERATIONS = 500
/** After these everything that is made once has been made. */
const WARM_UP = 100
/** What the heap of a program of this size moves by itself between two collections. */
const MEMORY_BYTES = 40 * 1024 * 1024
const WITHIN_MS = 90_000

let product: Product
let site: FixtureSite
let browser: OwnBrowser

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startFixtureSite()])
  const adapter = (strategy: string, step: string) =>
    `base: ${site.url}\ndescription: Ask the site.\ntype: web-api\nstrategy: ${strategy}\neffect: read\npipeline: [${step}]\n`
  await addAdapters(product, 'probe', {
    items: adapter('public', '{ fetch: /api/items }, { select: items }'),
    echo: adapter('cookie', '{ fetch: /api/echo }'),
    feed: adapter('intercept', '{ intercept: { match: /api/items, navigate: /feed } }, { select: items }'),
  })
  browser = await startOwnBrowser(product, 'own')
  await product.run('browser.navigate', { url: `${site.url}/feed` }, { session: 'kept' })
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.stop()
})

/** The mix of a day, one after the other; now and then one that needs a tab of its own for as long as it runs. */
async function operate(from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 1)
    expect(await ask(index)).toMatchObject({ ok: true, error: null })
}

function ask(index: number) {
  if (index % 50 === 49) return product.run('probe.feed')
  if (index % 3 === 0)
    return product.run('browser.evaluate', { expression: `${index} + 1` }, { session: 'kept' })
  return product.run(index % 3 === 1 ? 'probe.echo' : 'probe.items')
}

interface Footprint {
  bytes: number
  processes: number
  /** Of companion and host. */
  handles: number
  tabs: string[]
}

async function footprint(): Promise<Footprint> {
  const { pid } = await product.discovery()
  const hosts = await hostsOfHome(product.env.unicliHome)
  const handles = await Promise.all([pid, ...hosts].map(openHandles))
  return {
    bytes: await residentBytes(pid),
    processes: (await processesOfHome(product.env.unicliHome)).length,
    handles: handles.flat().length,
    tabs: await openTabs(),
  }
}

const openTabs = async (): Promise<string[]> =>
  (await targets(browser.cdp)).filter(({ type }) => type === 'page').map(({ url }) => url)

/** Once the tabs are those again: the tab of the last run that had one is closed behind its answer. */
const footprintWith = (tabs: readonly string[]): Promise<Footprint> =>
  waitFor(
    async () => {
      const now = await footprint()
      expect(now.tabs).toEqual(tabs)
      return now
    },
    { what: 'the tabs to be as before' },
  )

describe('500 operations in a row', () => {
  test('leave memory, processes, open handles and tabs as they were', async () => {
    const tabs = await openTabs()
    const startedAt = Date.now()
    await operate(0, WARM_UP)
    const before = await footprintWith(tabs)
    await operate(WARM_UP, OPERATIONS)
    const tookMs = Date.now() - startedAt
    const after = await footprintWith(tabs)
    const grown = after.bytes - before.bytes
    console.log(
      `${OPERATIONS} operations in ${tookMs} ms; companion ${mb(before.bytes)} → ${mb(after.bytes)} MB; ` +
        `${after.processes} processes, ${before.handles} → ${after.handles} handles`,
    )
    expect({ ...after, bytes: 0 }).toEqual({ ...before, bytes: 0 })
    expect(grown).toBeLessThan(MEMORY_BYTES)
    expect(tookMs).toBeLessThan(WITHIN_MS)
    const { profiles } = await product.status(() => true)
    expect(profiles).toMatchObject([{ state: 'linked', cause: 'ok' }])
  })
})

const mb = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0)
