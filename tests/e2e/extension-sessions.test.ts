import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { connectProtocol } from '../support/browser-protocol.ts'
import { killServiceWorker } from '../support/cdp.ts'
import { type ExtensionRig, startExtension } from '../support/extension-rig.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { waitFor } from '../support/processes.ts'

let rig: ExtensionRig
let site: PageServer

beforeAll(async () => {
  site = await startPageServer({
    '/two': '<!doctype html><title>Two</title><h1 id="there">Two</h1>',
    '/bounce': (_, response) => response.writeHead(302, { location: '/two' }).end(),
    '/script-bounce': '<!doctype html><title>Away</title><script>location.replace("/two")</script>',
    '/empty': (_, response) => response.writeHead(204).end(),
    '/download': (_, response) =>
      response
        .writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment; filename=x.bin',
        })
        .end('x'),
    '/missing': (_, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<title>None</title>'),
    '/slow-image': '<!doctype html><title>Slow</title><img src="/never.png">',
    '/never.png': () => undefined,
  })
  rig = await startExtension()
})
afterAll(async () => {
  await rig.close()
  await site.close()
})

/** Playwright hears of a tab some time after the extension. */
const pageAt = (url: string): Promise<Page> =>
  waitFor(() => rig.browser.context.pages().find(page => page.url() === url), { what: `a tab at ${url}` })

/** Of all tabs: which are in front. The page itself cannot tell: Playwright makes each believe that it is. */
async function activeUrls(): Promise<string[]> {
  const worker = await rig.browser.serviceWorker()
  return await worker.evaluate(async () =>
    (await chrome.tabs.query({ active: true })).map(tab => tab.url ?? ''),
  )
}

describe('a session', () => {
  test('opens its tab in the background and leaves the others alone', async () => {
    const person = rig.browser.context.pages()[0]
    await person?.goto(`${site.url}/two?person`)
    await person?.bringToFront()
    const tab = await rig.link.call('page.navigate', {
      session: 'one',
      url: `${site.url}/two`,
      until: 'load',
    })
    expect(tab).toMatchObject({ session: 'one', url: `${site.url}/two`, title: 'Two' })
    expect(await activeUrls()).toEqual([`${site.url}/two?person`])
    const again = await rig.link.call('page.navigate', {
      session: 'one',
      url: `${site.url}/`,
      until: 'commit',
    })
    expect(again.tab).toBe(tab.tab)
    const other = await rig.link.call('page.navigate', {
      session: 'two',
      url: `${site.url}/`,
      until: 'load',
    })
    expect(other.tab).not.toBe(tab.tab)
    expect(await rig.link.call('session.tabs', { session: 'two' })).toEqual([other])
    expect(await rig.link.call('session.close', { session: 'two' })).toEqual({ closed: 1 })
    expect(await rig.link.call('session.close', { session: 'two' })).toEqual({ closed: 0 })
    expect(await rig.link.call('session.tabs', { session: 'two' })).toEqual([])
  })

  test('keeps its tab when the worker is killed', async () => {
    const [before] = await rig.link.call('session.tabs', { session: 'one' })
    const cdp = await connectProtocol(await rig.browser.cdpUrl())
    const next = rig.standIn.nextLink()
    await killServiceWorker(cdp, EXTENSION_ID)
    rig.link = await next
    await cdp.close()
    expect(before).toBeDefined()
    expect(await rig.link.call('session.tabs', { session: 'one' })).toEqual([before])
  })

  test('tells when a person closed its tab, and fails until it navigates again', async () => {
    const { tab } = await rig.link.call('page.navigate', {
      session: 'closed',
      url: `${site.url}/two?closed`,
      until: 'load',
    })
    const told = rig.link.nextEvent('session.tab_closed')
    await (await pageAt(`${site.url}/two?closed`)).close()
    expect(await told).toEqual({ session: 'closed', tab })
    expect(
      await rig.link.ask('page.evaluate', { session: 'closed', expression: 'document.title' }),
    ).toMatchObject({ k: 'fail', failure: { code: 'tab_gone', params: { session: 'closed' } } })
    await rig.link.call('page.navigate', { session: 'closed', url: `${site.url}/`, until: 'load' })
    await rig.link.call('session.close', { session: 'closed' })
  })
})

describe('navigation', () => {
  const go = (path: string, until: 'commit' | 'domcontentloaded' | 'load' = 'load') =>
    rig.link.ask('page.navigate', { session: 'way', url: `${site.url}${path}`, until })

  test('follows redirects of the server and of scripts to where they lead', async () => {
    expect(await go('/bounce')).toMatchObject({ result: { url: `${site.url}/two`, title: 'Two' } })
    expect(await go('/script-bounce')).toMatchObject({ result: { url: `${site.url}/two` } })
  })

  test('within the document ends at once, also to the address that it already has', async () => {
    await go('/two')
    await rig.link.call('page.evaluate', { session: 'way', expression: 'window.kept = 1' })
    expect(await go('/two#there')).toMatchObject({ result: { url: `${site.url}/two#there` } })
    expect(await rig.link.call('page.evaluate', { session: 'way', expression: 'window.kept' })).toEqual({
      value: 1,
    })
    expect(await go('/two#there')).toMatchObject({ result: { url: `${site.url}/two#there` } })
  })

  test('counts a page of any status as loaded', async () => {
    expect(await go('/missing')).toMatchObject({ result: { title: 'None' } })
  })

  test('waits for as much as was asked', async () => {
    expect(await go('/slow-image', 'domcontentloaded')).toMatchObject({ result: { title: 'Slow' } })
    const late = await rig.link.ask(
      'page.navigate',
      { session: 'way', url: `${site.url}/slow-image?2`, until: 'load' },
      { deadline: Date.now() + 500 },
    )
    expect(late).toMatchObject({ k: 'fail', failure: { code: 'deadline_exceeded' } })
  })

  test('says why an address did not load', async () => {
    const refused = await rig.link.ask('page.navigate', {
      session: 'way',
      url: 'http://127.0.0.1:9/',
      until: 'load',
    })
    expect(refused).toMatchObject({ failure: { code: 'navigation_failed' } })
    expect(JSON.stringify(refused)).toContain('ERR_')
    expect(await go('/empty')).toMatchObject({ failure: { code: 'navigation_failed' } })
    expect(await go('/download')).toMatchObject({ failure: { code: 'navigation_failed' } })
    expect(
      await rig.link.ask('page.navigate', { session: 'way', url: 'chrome://version', until: 'load' }),
    ).toMatchObject({ failure: { code: 'page_unreachable' } })
  })
})

describe('evaluate', () => {
  const run = (expression: string) => rig.link.ask('page.evaluate', { session: 'script', expression })

  test('awaits promises and returns JSON of the page’s own world', async () => {
    await rig.link.call('page.navigate', { session: 'script', url: `${site.url}/two`, until: 'load' })
    await run('window.mine = {a: [1, null]}')
    expect(await run('Promise.resolve(window.mine)')).toMatchObject({ result: { value: { a: [1, null] } } })
    expect(await run('undefined')).toMatchObject({ result: { value: null } })
    expect(await run('document.body')).toMatchObject({ k: 'done' })
  })

  test('tells what a script threw', async () => {
    expect(await run('nothing.here')).toMatchObject({
      failure: { code: 'script_failed', params: { reason: 'ReferenceError: nothing is not defined' } },
    })
    expect(await run('const = 1')).toMatchObject({ failure: { code: 'script_failed' } })
  })
})
