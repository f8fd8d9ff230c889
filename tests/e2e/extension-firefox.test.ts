import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtExtension } from '../support/extension-rig.ts'
import { FIREFOX, type Firefox, launchFirefox } from '../support/firefox.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { PLAIN_CLICK } from '../support/plain-click.ts'
import { describeNeeding } from '../support/requirement.ts'
import { type StandIn, startStandIn } from '../support/stand-in.ts'
import type { StandInLink } from '../support/stand-in-link.ts'
import { type IsolatedEnv, isolatedEnv } from '../support/temp.ts'

let own: IsolatedEnv
let standIn: StandIn
let firefox: Firefox
let link: StandInLink
let site: PageServer

describeNeeding(FIREFOX, 'the extension in Firefox', () => {
  beforeAll(async () => {
    site = await startPageServer({
      '/page': `<!doctype html><html><head><script>fetch('/api')</script><title>Page</title></head>
        <body><button onclick="this.textContent='Done'">Do it</button></body></html>`,
      '/api': (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[1]'),
      '/login': (_, response) =>
        response.writeHead(200, { 'set-cookie': 'sid=1; HttpOnly; SameSite=Strict' }).end('in'),
      '/echo': (request, response) => response.end(JSON.stringify(request)),
    })
    own = await isolatedEnv()
    standIn = await startStandIn(own.root)
    const first = standIn.nextLink()
    firefox = await launchFirefox({
      extensionDir: builtExtension('firefox'),
      env: { ...own.env, ...standIn.env },
      nativeHostManifest: standIn.firefoxManifest,
    })
    link = await first
  })
  afterAll(async () => {
    await firefox.close()
    await standIn.close()
    await site.close()
    await own.remove()
  })

  test('links, and says what it can do without a debugger', async () => {
    expect(link.hello).toMatchObject({
      browser: { name: 'Firefox' },
      capabilities: ['page', 'capture', 'http', 'cookies', 'person'],
    })
    await link.call('link.ping', {})
  })

  test('captures the first request of a page', async () => {
    await link.call('capture.start', { session: 's', origin: site.url })
    const told = link.nextEvent('capture.entry')
    await link.call('page.navigate', { session: 's', url: `${site.url}/page`, until: 'load' })
    expect(await told).toMatchObject({
      session: 's',
      entry: { kind: 'fetch', url: `${site.url}/api`, status: 200, response_body: '[1]' },
    })
    await link.call('capture.stop', { session: 's' })
  })

  test('describes a page, acts in it, and evaluates', async () => {
    await link.call('page.navigate', { session: 's', url: `${site.url}/page`, until: 'load' })
    const { text } = await link.call('page.snapshot', {
      session: 's',
      max_tokens: 2000,
      interactive: false,
      target: null,
      depth: null,
      after: null,
      since: false,
      boxes: false,
      graphics: false,
    })
    const ref = /button "Do it" \[(d\d+e\d+)\]/.exec(text)?.[1] ?? text
    const clicked = await link.call('page.click', { session: 's', target: ref, ...PLAIN_CLICK })
    expect(clicked).toMatchObject({ verdict: 'confirmed' })
    const { value } = await link.call('page.evaluate', {
      session: 's',
      expression: 'document.querySelector("button").textContent',
    })
    expect(value).toBe('Done')
  })

  test('fetches as the site with the person’s cookies', async () => {
    await link.call('page.navigate', { session: 's', url: `${site.url}/login`, until: 'load' })
    const { body } = await link.call('http.fetch', {
      session: 's',
      url: `${site.url}/echo`,
      method: 'POST',
      headers: {},
      body: 'a=1',
      via: 'worker',
      origin: site.url,
      max_bytes: 100_000,
    })
    expect(JSON.parse(body)).toMatchObject({
      headers: { cookie: 'sid=1', origin: site.url, referer: `${site.url}/` },
    })
    expect(await link.call('cookies.get', { url: `${site.url}/` })).toMatchObject([
      { name: 'sid', http_only: true, same_site: 'strict' },
    ])
  })

  test('is back at once after the host was killed', async () => {
    const next = standIn.nextLink()
    const killedAt = performance.now()
    process.kill(link.pid, 'SIGKILL')
    link = await next
    expect(performance.now() - killedAt).toBeLessThan(2000)
    await link.call('link.ping', {})
  })
})
