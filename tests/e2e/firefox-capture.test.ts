import { readFile } from 'node:fs/promises'
import { har } from 'har-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FIREFOX } from '../support/firefox.ts'
import { type FirefoxRig, startFirefoxRig } from '../support/firefox-rig.ts'
import { describeNeeding } from '../support/requirement.ts'
import { startTrafficSite, type TrafficSite } from '../support/traffic-site.ts'

interface Row {
  id: string
  url: string
  status: number | null
  kind: string
}
type Detail = Record<string, unknown> & { messages?: { direction: string; text: string; event?: string }[] }

/** What the page of the site asks for, but for the worker that serves pages, which belongs to no tab. */
const PATHS = [
  ...['/start', '/app', '/frame', '/style.css', '/worker.js', '/echo', '/events', '/stream', '/big'],
  ...['/api/early', '/api/xhr', '/api/beacon', '/api/from-worker', '/api/from-frame'],
  ...['/hop/1', '/hop/2', '/hop/3'],
]

let rig: FirefoxRig<TrafficSite>

describeNeeding(FIREFOX, 'requests and console in Firefox', () => {
  beforeAll(async () => {
    rig = await startFirefoxRig(startTrafficSite())
  })
  afterAll(() => rig?.close())

  const visit = async (session: string): Promise<void> => {
    await rig.open(session, '/start')
    await rig.does(session, 'network.wait', { url: '/api/from-worker', since: 0 })
    await rig.evaluate(
      session,
      `new Promise(done => { if (document.title === 'done') done()
        else new MutationObserver(() => document.title === 'done' && done()).observe(document, { subtree: true, childList: true }) })`,
    )
  }
  const rowsOf = async (session: string): Promise<Row[]> =>
    (await rig.does<{ requests: Row[] }>(session, 'network.list', { rows: true, assets: true, limit: 500 }))
      .requests
  const paths = (rows: Row[]) => new Set(rows.map(({ url }) => new URL(url).pathname))
  /** The request to that path, whole. */
  const whole = async (session: string, path: string): Promise<Detail> => {
    const { id } = await rig.does<{ id: string }>(session, 'network.wait', {
      url: `/${path}(?:$|\\?)/`,
      since: 0,
    })
    return await rig.does<Detail>(session, 'network.get', { id, max_chars: 200 })
  }

  test('every request of a tab is told from the first on, each redirect too, and of no other tab', async () => {
    await visit('plain')
    const rows = await rowsOf('plain')
    expect([...paths(rows)]).toEqual(expect.arrayContaining(PATHS))
    const { requests } = await rig.does<{ requests: string[] }>('plain', 'network.list', { url: '*/hop/*' })
    expect(requests).toEqual([
      expect.stringMatching(/^r\d+ GET 302 xhr .*\/hop\/1 → r\d+$/),
      expect.stringMatching(/^r\d+ GET 302 xhr .*\/hop\/2 → r\d+$/),
      expect.stringMatching(/^r\d+ GET 200 xhr .*\/hop\/3$/),
    ])
    expect(await whole('plain', 'app')).toMatchObject({
      response_body_note: expect.stringContaining('call network.start'),
    })
    expect(JSON.stringify(await whole('plain', 'start'))).not.toContain('moz-extension')
    expect(await rowsOf('somebody-else')).toEqual([])
  })

  test('a console that nobody listened to is refused, not called empty, and says what to do', async () => {
    expect((await rig.run('plain', 'console.list')).error).toMatchObject({
      code: 'unsupported',
      suggestion: expect.stringMatching(/network\.start.*browser\.reload/),
    })
  })

  test('what needs the debugger is refused by name, and capture goes on by the page and the browser', async () => {
    expect((await rig.run('kept', 'network.start', { source: 'debugger' })).error).toMatchObject({
      code: 'unsupported',
      message: 'Capture by the debugger is not possible in Firefox.',
      suggestion: 'Use source "page", or leave it out.',
    })
    expect(await rig.does('kept', 'network.start', { max_body_mb: 1 })).toEqual({
      source: 'page',
      reason: 'The debugger cannot be used in Firefox; what is open is captured once it is loaded again.',
    })
  })

  test('bodies are kept of document, frame, fetch, XHR, worker, stream and beacon, and no secret', async () => {
    await visit('kept')
    const body = async (path: string) => (await whole('kept', path)).response_body
    expect(await whole('kept', 'app')).toMatchObject({
      kind: 'document',
      response_body: expect.stringMatching(/^<!doctype html><script>/),
    })
    expect(await body('frame')).toContain('/api/from-frame')
    expect(await body('style.css')).toBe('p{}')
    expect(await whole('kept', 'api/early')).toMatchObject({
      ...{ method: 'POST', kind: 'fetch', status: 200 },
      request_headers: { authorization: '[redacted]' },
      request_body: '{"q":"竹","password":"[redacted]"}',
      response_headers: { 'set-cookie': 'sid=[redacted]' },
      response_body: '{"word":"早","token":"[redacted]"}',
    })
    expect(await whole('kept', 'api/xhr')).toMatchObject({
      kind: 'xhr',
      request_body: 'a=1',
      response_body: '[1]',
    })
    expect(await whole('kept', 'api/beacon')).toMatchObject({ kind: 'beacon', request_body: 'seen' })
    expect(await body('api/from-worker')).toBe('"w"')
    expect(await body('api/from-frame')).toBe('"f"')
    expect(await body('stream')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n')
    expect(await whole('kept', 'hop/1')).toMatchObject({ kind: 'fetch', status: 302 })
    expect(await body('hop/3')).toBe('arrived')
  })

  test('the frames of a socket and the events of a stream are kept, and a large body is cut and says so', async () => {
    const rows = await rowsOf('kept')
    const idOf = (path: string) => rows.find(({ url }) => new URL(url).pathname === path)?.id
    const get = (path: string) => rig.does<Detail>('kept', 'network.get', { id: idOf(path) })
    expect((await get('/echo')).messages).toMatchObject([
      { direction: 'sent', text: 'hello 世界' },
      { direction: 'received', text: 'echo hello 世界' },
    ])
    expect((await get('/events')).messages).toMatchObject([{ text: 'plain' }, { text: 'named' }])
    expect(await get('/big')).toMatchObject({ response_body_note: expect.stringContaining('Cut') })
  })

  test('all of it is an HTTP Archive that is valid, and a command line', async () => {
    const { path } = await rig.does<{ path: string }>('kept', 'network.export', { path: 'firefox.har' })
    const text = await readFile(path, 'utf8')
    const archive = JSON.parse(text)
    await har(archive)
    expect(archive.log.entries.length).toBeGreaterThanOrEqual(PATHS.length)
    expect(text).not.toMatch(/hunter2|abcdef123456|tok-9876543210|s3cr3t/)
    const { id } = await whole('kept', 'api/early')
    const { code } = await rig.does<{ code: string }>('kept', 'network.export', { format: 'curl', id })
    expect(code).toContain(`--data-raw '{"q":"竹","password":"[redacted]"}'`)
  })

  test('the console has what scripts wrote from the first line on, and what nobody caught', async () => {
    const { lines, cursor } = await rig.does<{ lines: string[]; cursor: number }>('kept', 'console.list')
    // Which of the last two comes first is the browser's own.
    expect(lines.toSorted((a, b) => a.slice(3).localeCompare(b.slice(3)))).toEqual([
      expect.stringMatching(/^c\d+ error app:\d+ TypeError: broken$/),
      expect.stringMatching(/^c\d+ info app:3 first line \{a: 1\}$/),
      expect.stringMatching(/^c\d+ rejection app:\d+ Error: nobody caught this$/),
      expect.stringMatching(/^c\d+ warning app:\d+ careful$/),
    ])
    await rig.evaluate('kept', "console.error('later', [1, { b: 2 }])")
    const later = await rig.does<{ lines: string[] }>('kept', 'console.list', { since: cursor })
    expect(later.lines).toEqual([expect.stringMatching(/ error .*later \[1, \[object Object\]\]$/)])
  })

  test('routes block requests and change headers in the session alone; what they cannot do is refused', async () => {
    const asks = (session: string, path: string) =>
      rig.evaluate<string>(session, `fetch('${path}').then(r => r.text(), () => 'failed')`)
    expect(await rig.does('kept', 'network.route', { match: '/api/xhr', block: true })).toMatchObject({
      by: 'rules',
    })
    expect([await asks('kept', '/api/xhr'), await asks('plain', '/api/xhr')]).toEqual(['failed', '[1]'])
    await rig.does('kept', 'network.route', { match: '/hop/3', request_headers: { 'x-by-route': '1' } })
    const arrived = rig.site.nextRequest('/hop/3')
    await asks('kept', '/hop/3')
    expect((await arrived).headers).toMatchObject({ 'x-by-route': '1' })
    for (const [what, route] of [
      ['A mock', { match: '/api', mock: { body: 'x' } }],
      ['Throttling', { throttle: { offline: true } }],
    ] as const)
      expect((await rig.run('kept', 'network.route', route)).error).toMatchObject({
        code: 'unsupported',
        message: `${what} is not possible in Firefox.`,
        suggestion: expect.stringMatching(/^Block the requests/),
      })
    expect(await rig.does('kept', 'network.unroute')).toEqual({ removed: 2, left: 0 })
    expect(await asks('kept', '/api/xhr')).toBe('[1]')
  })

  test('a capture that was stopped keeps no more bodies', async () => {
    expect(await rig.does('kept', 'network.stop')).toEqual({ was: 'page' })
    await rig.evaluate('kept', "fetch('/api/xhr?after').then(r => r.text())")
    const { id } = await rig.does<{ id: string }>('kept', 'network.wait', { url: '/api/xhr?after', since: 0 })
    expect(await rig.does('kept', 'network.get', { id })).not.toHaveProperty('response_body')
  })
})
