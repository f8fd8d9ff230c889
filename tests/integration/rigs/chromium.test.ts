import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectProtocol } from '../../support/browser-protocol.ts'
import { evaluateIn, killServiceWorker, openTab, serviceWorkerTarget } from '../../support/cdp.ts'
import { launchChromium } from '../../support/chromium.ts'
import { launchRawChromium } from '../../support/chromium-raw.ts'
import { writeEchoHost } from '../../support/echo-host.ts'
import { extensionIdOf } from '../../support/extension-id.ts'
import { attempt } from '../../support/hostile/attempts.ts'
import { buildHostileExtension } from '../../support/hostile/build.ts'
import { isAlive, waitFor } from '../../support/processes.ts'
import { describeNeeding } from '../../support/requirement.ts'
import { type IsolatedEnv, isolatedEnv } from '../../support/temp.ts'
import { startXvfb, XVFB } from '../../support/xvfb.ts'

let own: IsolatedEnv
let extension: string
let hostPath: string

beforeAll(async () => {
  own = await isolatedEnv()
  extension = join(own.root, 'hostile')
  await buildHostileExtension(extension)
  hostPath = await writeEchoHost(own.root)
})

afterAll(() => own.remove())

const echoHost = (allowed: string) => ({
  name: 'test.echo',
  description: 'Echo',
  path: hostPath,
  type: 'stdio' as const,
  allowed_origins: [`chrome-extension://${allowed}/`],
})

describe('a Chromium under Playwright', () => {
  test('loads an extension whose native host inherits the environment and answers only those it knows', async () => {
    const id = extensionIdOf(extension)
    const browser = await launchChromium({ extension, env: own.env, nativeHostManifest: echoHost(id) })
    onTestFinished(browser.close)
    expect(browser.extensionId).toBe(id)
    const worker = await browser.serviceWorker()
    const admitted = await attempt(worker, 'connectNative', 'test.echo', { n: 1 })
    expect(JSON.parse(admitted.detail)).toEqual({
      echo: { n: 1 },
      argv: [`chrome-extension://${id}/`],
      home: own.unicliHome,
    })
    expect(await attempt(worker, 'connectNative', 'test.unknown', {})).toEqual({
      admitted: false,
      detail: 'Specified native messaging host not found.',
    })
  })

  test('refuses a native host to an extension that its manifest does not name', async () => {
    const browser = await launchChromium({ extension, nativeHostManifest: echoHost('a'.repeat(32)) })
    onTestFinished(browser.close)
    const refused = await attempt(await browser.serviceWorker(), 'connectNative', 'test.echo', {})
    expect(refused).toEqual({
      admitted: false,
      detail: 'Access to the specified native messaging host is forbidden.',
    })
  })

  test('is gone after close, and its profile with it', async () => {
    const browser = await launchChromium()
    expect(isAlive(browser.pid)).toBe(true)
    expect(() => browser.extensionId).toThrow('without an extension')
    await browser.close()
    expect(isAlive(browser.pid)).toBe(false)
    expect(existsSync(browser.userDataDir)).toBe(false)
  })

  test('lets the tests kill the service worker through a second connection', async () => {
    const browser = await launchChromium({ extension })
    onTestFinished(browser.close)
    const worker = await browser.serviceWorker()
    expect(await worker.evaluate(() => Reflect.set(globalThis, 'marked', true))).toBe(true)
    const cdp = await connectProtocol(await browser.cdpUrl())
    await killServiceWorker(cdp, browser.extensionId)
    const next = await serviceWorkerTarget(cdp, browser.extensionId)
    expect(next && (await evaluateIn(cdp, next.targetId, 'globalThis.marked'))).toBeUndefined()
    await cdp.close()
  })
})

describe('the hostile extension', () => {
  test('reaches a server with and without headers, and with headers that only the browser may set', async () => {
    const seen: (Record<string, unknown> & { body: string })[] = []
    const server = createServer(async (request, response) => {
      const chunks = await request.toArray()
      seen.push({ ...request.headers, body: chunks.join('') })
      response.writeHead(418, { 'x-answer': 'yes' }).end('short and stout')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const browser = await launchChromium({ extension })
    onTestFinished(browser.close)
    const worker = await browser.serviceWorker()

    const answer = await attempt(worker, 'request', url, {
      method: 'POST',
      headers: { 'x-own': '1' },
      body: '{}',
    })
    expect(answer).toMatchObject({ status: 418, body: 'short and stout', headers: { 'x-answer': 'yes' } })
    expect(seen[0]).toMatchObject({
      'x-own': '1',
      body: '{}',
      origin: `chrome-extension://${browser.extensionId}`,
    })

    await attempt(worker, 'forgeHeaders', { origin: 'http://forged.example' })
    await attempt(worker, 'request', url, { method: 'POST' })
    expect(seen[1]).toMatchObject({ origin: 'http://forged.example' })

    expect(await attempt(worker, 'request', 'http://127.0.0.1:1/')).toMatchObject({ status: 0 })
  })

  test('is told when no extension answers its messages', async () => {
    const browser = await launchChromium({ extension })
    onTestFinished(browser.close)
    const worker = await browser.serviceWorker()
    const nobody = 'b'.repeat(32)
    const refused = { admitted: false, detail: expect.stringContaining('Receiving end does not exist') }
    expect(await attempt(worker, 'sendMessage', nobody, {})).toEqual(refused)
    expect(await attempt(worker, 'connectExtension', nobody, {})).toEqual(refused)
  })
})

describe('a Chromium without Playwright', () => {
  test('loses its service worker when the tests kill it', async () => {
    const browser = await launchRawChromium({ extension })
    onTestFinished(browser.close)
    const id = extensionIdOf(extension)
    const evaluate = async (expression: string) => {
      const worker = await serviceWorkerTarget(browser.cdp, id)
      return worker && evaluateIn(browser.cdp, worker.targetId, expression)
    }
    await waitFor(() => evaluate('globalThis.marked = typeof attempts === "object"'), {
      what: 'the worker to run',
    })
    await killServiceWorker(browser.cdp, id)
    expect(await evaluate('globalThis.marked')).toBeUndefined()
  })

  test('evaluates in a tab, and comes back with the same profile after a crash', async () => {
    const userDataDir = join(own.root, 'kept')
    const first = await launchRawChromium({ extension, userDataDir })
    const tab = await openTab(first.cdp, 'data:text/html,<title>hello</title>')
    expect(await evaluateIn(first.cdp, tab, 'Promise.resolve(6 * 7)')).toBe(42)
    await expect(evaluateIn(first.cdp, tab, 'null.x')).rejects.toThrow('Cannot read properties of null')
    const lost = first.cdp.send('Runtime.evaluate', {
      expression: 'new Promise(() => {})',
      awaitPromise: true,
    })
    const refused = expect(lost).rejects.toThrow()
    await first.kill()
    await refused
    expect(isAlive(first.pid)).toBe(false)

    const second = await launchRawChromium({ extension, userDataDir })
    expect(second.pid).not.toBe(first.pid)
    await second.close()
    expect(isAlive(second.pid)).toBe(false)
    expect(existsSync(userDataDir)).toBe(true)
  })
})

describeNeeding(XVFB, 'a headful Chromium', () => {
  test('runs on a virtual screen of its own', async () => {
    const [screen, other] = await Promise.all([startXvfb(), startXvfb()])
    onTestFinished(async () => void (await Promise.all([screen.stop(), other.stop()])))
    expect(screen.display).not.toBe(other.display)
    const browser = await launchChromium({ headless: false, env: { ...own.env, DISPLAY: screen.display } })
    onTestFinished(browser.close)
    const page = await browser.context.newPage()
    expect(await page.evaluate(() => navigator.userAgent)).not.toContain('Headless')
  })
})
