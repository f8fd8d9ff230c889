import { readFile } from 'node:fs/promises'
import { har } from 'har-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaunchedBrowsers, launchBrowsers, WAYS } from '../support/launched-browsers.ts'
import { startTrafficSite, type TrafficSite } from '../support/traffic-site.ts'

let browsers: LaunchedBrowsers
let site: TrafficSite

beforeAll(async () => {
  ;[browsers, site] = await Promise.all([launchBrowsers(), startTrafficSite()])
})
afterAll(async () => {
  await browsers?.close()
  await site?.close()
})

interface Row {
  id: string
  url: string
  kind: string
  status: number | null
}
const DONE = `new Promise(done => { const look = () => document.title === 'done' ? done() : setTimeout(look, 20); look() })`

describe.each(WAYS)('the network of a browser that was %s', way => {
  const does = <T = Record<string, unknown>>(operation: string, args = {}) =>
    browsers.does<T>(way, operation, args)
  const asks = (path: string) =>
    does<string>('browser.evaluate', {
      expression: `fetch('${path}').then(async r => r.status + ' ' + (await r.text()), e => String(e))`,
    })

  test('is kept with bodies, frames and redirects, and waited for', async () => {
    expect(await does('network.start')).toEqual({ source: 'debugger' })
    await does('browser.navigate', { url: `${site.url}/start` })
    await does('browser.evaluate', { expression: DONE })
    const { id } = await does<{ id: string }>('network.wait', { url: '/api/early', since: 0 })
    expect(await does('network.get', { id })).toMatchObject({
      request_body: '{"q":"竹","password":"[redacted]"}',
      response_body: '{"word":"早","token":"[redacted]"}',
      response_headers: { 'set-cookie': 'sid=[redacted]' },
    })
    for (const url of ['/api/from-frame', '/api/from-worker', '/api/from-sw'])
      expect(await does('network.wait', { url, since: 0 })).toMatchObject({ status: 200 })
    const { requests } = await does<{ requests: Row[] }>('network.list', {
      rows: true,
      assets: true,
      limit: 500,
    })
    const echo = requests.find(({ url }) => url.endsWith('/echo'))
    expect(await does('network.get', { id: echo?.id })).toMatchObject({
      messages: [{ text: 'hello 世界' }, { text: 'echo hello 世界' }],
    })
    const ends = (path: string) => requests.filter(({ url }) => new URL(url).pathname === path)
    expect(['/start', '/app', '/hop/1', '/hop/2', '/hop/3'].map(path => ends(path).length)).toEqual([
      1, 1, 1, 1, 1,
    ])
  })

  test('is written as an archive that is valid', async () => {
    const { path } = await does<{ path: string }>('network.export', { path: `${way}.har` })
    const text = await readFile(path, 'utf8')
    await har(JSON.parse(text))
    expect(text).toContain('/api/from-worker')
    expect(text).not.toMatch(/hunter2|abcdef123456|tok-9876543210|s3cr3t/)
  })

  test('tells what the page wrote to its console', async () => {
    const { lines, cursor } = await does<{ lines: string[]; cursor: number }>('console.list')
    expect(lines).toEqual([
      expect.stringContaining('first line {a: 1}'),
      expect.stringContaining('careful'),
      expect.stringContaining('TypeError: broken'),
      expect.stringContaining('nobody caught this'),
    ])
    await does('browser.evaluate', { expression: "console.error('later')" })
    const later = await does<{ lines: string[] }>('console.list', { since: cursor })
    expect(later.lines).toEqual([expect.stringContaining('later')])
  })

  test('is kept from the first answer of a new tab on, and of a popup where the browser waits with it', async () => {
    await does('browser.tab_new', { url: `${site.url}/hop/3?tab` })
    const bodyOf = async (url: string) => {
      const { id } = await does<{ id: string }>('network.wait', { url, kind: 'document', since: 0 })
      return (await does('network.get', { id })).response_body
    }
    expect(await bodyOf('/hop/3?tab')).toBe('arrived')
    if (way === 'launched') return
    await does('browser.evaluate', {
      expression: `document.body.innerHTML = '<button onclick="window.open(\\'/hop/3?popup\\')">Open</button>'`,
    })
    await does('browser.click', { target: 'css=button', hand: 'cdp' })
    expect(await bodyOf('/hop/3?popup')).toBe('arrived')
  })

  test('is blocked, mocked and changed by routes until they are taken off', async () => {
    await does('network.route', { match: '/api/xhr', block: true })
    expect(await asks('/api/xhr')).toContain('Failed to fetch')
    await does('network.route', { match: '*/api/mocked*', mock: { status: 201, body: { items: ['竹'] } } })
    expect(await asks('/api/mocked?x=1')).toBe('201 {"items":["竹"]}')
    await does('network.route', { match: '/api/from-worker', mock: { body: 'mocked' } })
    const worker = `new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob([
      "fetch('\${location.origin}/api/from-worker').then(r => r.text()).then(postMessage)"]))); w.onmessage = e => done(e.data) })`
    expect(
      await does('browser.evaluate', { expression: worker.replace('${location.origin}', site.url) }),
    ).toBe('mocked')
    await does('network.route', { match: '/hop/3', request_headers: { 'x-by-route': way } })
    const arrived = site.nextRequest('/hop/3')
    await asks('/hop/3')
    expect((await arrived).headers).toMatchObject({ 'x-by-route': way })
    expect(await does('network.unroute')).toEqual({ removed: 4, left: 0 })
    expect(await asks('/api/xhr')).toBe('200 [1]')
  })
})
