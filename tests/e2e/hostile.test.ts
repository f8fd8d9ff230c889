import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Page, Worker } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import { EXTENSION_ID, HOST_NAME } from '../../shared/identity.ts'
import type { Chromium } from '../support/chromium.ts'
import { extensionIdOf } from '../support/extension-id.ts'
import { attempt } from '../support/hostile/attempts.ts'
import { buildHostileExtension } from '../support/hostile/build.ts'
import { addAdapters } from '../support/overlay.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

const HOST = fileURLToPath(new URL('../../dist/bin/host.cjs', import.meta.url))

let product: Product
let site: PageServer
let browser: Chromium
let other: { id: string; worker: Worker }
let companion: string

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startPageServer(PAGES)])
  const extension = join(product.env.root, 'hostile')
  await buildHostileExtension(extension)
  await addAdapters(product, 'shop', {
    feed: `base: ${site.url}
description: Take what the page was answered.
type: browser
strategy: intercept
effect: read
pipeline: [{ intercept: { match: /api/items, navigate: /forger, all: true, trigger: [{ wait: { text: done } }] } }]
`,
  })
  browser = await product.browser({ extensions: [extension] })
  const id = extensionIdOf(extension)
  other = { id, worker: await browser.serviceWorker(id) }
  companion = (await product.discovery()).http_url
})
afterAll(async () => {
  await product?.close()
  await site?.close()
})

/** The probes must leave no run behind, refused or not. */
const runs = async (): Promise<unknown[]> => (await (await product.http('/v1/runs')).json()).runs
let runsBefore: unknown[]
beforeEach(async () => {
  runsBefore = await runs()
})
const expectNothingRan = async (): Promise<void> => expect(await runs()).toEqual(runsBefore)

async function pageOfTheSite(path = '/'): Promise<Page> {
  const page = await browser.context.newPage()
  onTestFinished(() => page.close())
  await page.goto(site.url + path)
  return page
}

const OPERATION = '/v1/operations/browser/evaluate'
const CALL = JSON.stringify({ args: { expression: '1' }, options: {} })

const FORGED_ENTRY = `{ id: 'forged', kind: 'fetch', method: 'GET', url: location.origin + '/api/items', status: 200,
  request_headers: {}, request_body: null, response_headers: { 'content-type': 'application/json' },
  response_body: '{"forged":true}', truncated: false, started_at: 1, finished_at: 2, frame_url: location.href }`

const PAGES = {
  '/api/items': '{"real":true}',
  '/form': `<!doctype html><title>Win</title><form method="post" enctype="text/plain"><button>Win</button></form>`,
  '/framer': '<!doctype html><title>Framer</title><iframe></iframe>',
  /** Says all that it can think of, as early as it can, again when it is captured, and asks once for real. */
  '/forger': `<!doctype html><title>Forger</title><body><script>
    const forged = ${FORGED_ENTRY}
    let isForging = false
    const forge = () => {
      isForging = true
      const { port1, port2 } = new MessageChannel()
      document.dispatchEvent(new MessageEvent('unicli-offer', { ports: [port2], cancelable: true }))
      document.dispatchEvent(new Event('unicli-wanted'))
      for (const message of [forged, { k: 'capture.entry', entry: forged }, { k: 'event', name: 'capture.entry', data: forged }]) {
        port1.postMessage(message)
        window.postMessage(message, '*', message === forged ? [] : undefined)
        for (const name of ['unicli-offer', 'capture.entry', 'message'])
          document.dispatchEvent(new CustomEvent(name, { detail: message, cancelable: true }))
      }
      isForging = false
    }
    const post = MessagePort.prototype.postMessage
    MessagePort.prototype.postMessage = function (...args) { window.overheard ||= !isForging; return post.apply(this, args) }
    forge()
    addEventListener('message', event => event.ports[0]?.postMessage(forged))
    fetch('/api/items').then(() => { forge(); document.body.append(window.overheard ? 'done, overheard' : 'done') })
  </script>`,
}

describe("a page of the person's", () => {
  test('posts a form to the companion in vain', async () => {
    const page = await pageOfTheSite('/form')
    const action = companion + OPERATION
    await page.evaluate(
      ([url, body]) => {
        const [form] = document.forms
        const field = document.createElement('input')
        // What text/plain makes of name and value is the body, with "=" in between.
        field.name = body.slice(0, -1)
        field.value = '}'
        form?.append(field)
        if (form) form.action = url
      },
      [action, CALL] as const,
    )
    const [answer] = await Promise.all([page.waitForResponse(action), page.getByText('Win').click()])
    expect(answer.status()).toBe(403)
    await expectNothingRan()
  })

  test('fetches from the companion in vain, simple request or not, with the token or without', async () => {
    const page = await pageOfTheSite()
    const outcomes = await page.evaluate(
      async ([url, body, token]) => {
        const tries: RequestInit[] = [
          { method: 'POST', mode: 'no-cors', body },
          { method: 'POST', body, headers: { 'content-type': 'application/json' } },
          {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          },
          { credentials: 'include', mode: 'no-cors' },
        ]
        const ask = (init: RequestInit) =>
          fetch(url, init).then(
            answer => `${answer.type} ${answer.status}`,
            () => 'blocked',
          )
        return Promise.all(tries.map(ask))
      },
      [companion + OPERATION, CALL, await product.token()] as const,
    )
    for (const outcome of outcomes) expect(['blocked', 'opaque 0']).toContain(outcome)
    await expectNothingRan()
  })

  test.each(['/v1/events', '/mcp', '/'])('opens a WebSocket to %s of the companion in vain', async path => {
    const page = await pageOfTheSite()
    const outcome = await page.evaluate(
      url =>
        new Promise<string>(resolve => {
          const socket = new WebSocket(url)
          socket.onopen = () => resolve('open')
          socket.onerror = () => resolve('refused')
        }),
      companion.replace('http:', 'ws:') + path,
    )
    expect(outcome).toBe('refused')
  })

  test('reads nothing of the companion under a name of its own that leads to this machine', async () => {
    const page = await browser.context.newPage()
    onTestFinished(() => page.close())
    // Chromium takes every name below localhost for this machine, as it would a rebound one.
    const rebound = companion.replace('127.0.0.1', 'rebind.localhost')
    for (const path of ['/v1/health', '/docs', '/openapi.json']) {
      const answer = await page.goto(rebound + path)
      expect([path, answer?.status(), await answer?.json()]).toMatchObject([
        path,
        403,
        { error: { code: 'forbidden_caller' } },
      ])
    }
  })

  test('neither frames the popup nor reads a file of the extension', async () => {
    const page = await pageOfTheSite('/framer')
    const popup = `chrome-extension://${EXTENSION_ID}/popup.html`
    const framed = page.waitForEvent('framenavigated', frame => frame !== page.mainFrame())
    await page.evaluate(url => document.querySelector('iframe')?.setAttribute('src', url), popup)
    expect((await framed).url()).toBe('chrome-error://chromewebdata/')
    for (const file of ['popup.html', 'manifest.json', 'background.js', 'page-agent.js', 'icon/16.png'])
      expect(
        await page.evaluate(
          url =>
            fetch(url).then(
              () => 'read',
              () => 'blocked',
            ),
          `chrome-extension://${EXTENSION_ID}/${file}`,
        ),
      ).toBe('blocked')
  })

  test('has no way to speak to the extension', async () => {
    const page = await pageOfTheSite()
    const ways = await page.evaluate(id => {
      const { chrome } = window as { chrome?: { runtime?: { connect?(id: string): unknown } } }
      // Frames, panel requests and agent messages as their own speakers would send them.
      for (const message of [
        { k: 'hello', protocol: 1 },
        {
          k: 'call',
          id: '1',
          method: 'cookies.get',
          params: { url: location.href },
          deadline: Date.now() + 9999,
        },
        { k: 'answer', id: 'p1', approval: 'a', allow: true },
        { k: 'page.acted' },
        { k: 'capture.ask' },
      ])
        window.postMessage(message, '*')
      return [typeof chrome?.runtime?.connect, id in window]
    }, EXTENSION_ID)
    expect(ways).toEqual(['undefined', false])
    const { profiles } = await product.status(() => true)
    expect(profiles).toMatchObject([{ state: 'linked', cause: 'ok' }])
    await expectNothingRan()
  })

  test('cannot forge what an intercept of it gives', async () => {
    const envelope = await product.run('shop.feed')
    expect(envelope).toMatchObject({ ok: true, data: [{ real: true }] })
    expect(site.requests.filter(({ path }) => path === '/api/items')).toHaveLength(1)
    const { data } = await product.run('shop.feed', {}, { session: 'watched' })
    expect(data).toEqual([{ real: true }])
    const said = await product.run(
      'browser.evaluate',
      { expression: 'document.body.innerText' },
      { session: 'watched' },
    )
    expect(String(said.data).trim()).toBe('done')
  })
})

describe('another extension', () => {
  const ask = (headers: Record<string, string> = {}) =>
    attempt(other.worker, 'request', companion + OPERATION, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: CALL,
    })

  test('has no answer over HTTP without the token', async () => {
    expect((await ask()).status).toBe(403)
    await expectNothingRan()
  })

  test('has no answer over HTTP even if it stole the token: its Origin gives it away', async () => {
    expect((await ask({ authorization: `Bearer ${await product.token()}` })).status).toBe(403)
    await expectNothingRan()
  })

  test.each([
    ['our own', () => companion, 401],
    ["our extension's", () => `chrome-extension://${EXTENSION_ID}`, 403],
    ['null', () => 'null', 403],
    ["a site's", () => site.url, 403],
  ])('that forges %s Origin is refused', async (_, origin, status) => {
    await attempt(other.worker, 'forgeHeaders', { Origin: origin(), 'Sec-Fetch-Site': 'same-origin' })
    expect((await ask()).status).toBe(status)
    await attempt(other.worker, 'forgeHeaders', { 'X-Nothing': '' })
    await expectNothingRan()
  })

  test('is not let to the native host by the browser', async () => {
    const { worker } = other
    expect(await attempt(worker, 'connectNative', HOST_NAME, { k: 'hello' })).toEqual({
      admitted: false,
      detail: 'Access to the specified native messaging host is forbidden.',
    })
  })

  test('is refused by the host itself, should a browser ever start it for one', async () => {
    const { env, unicliHome } = product.env
    const before = await runs()
    const host = spawn(process.execPath, [HOST, `chrome-extension://${other.id}/`], { env, stdio: 'pipe' })
    const [output, [code]] = await Promise.all([text(host.stdout), once(host, 'close')])
    expect([output, code]).toEqual(['', 1])
    expect(readFileSync(join(unicliHome, 'logs', 'host.log'), 'utf8')).toContain(
      `${other.id}/ is not the extension`,
    )
    expect(await runs()).toEqual(before)
  })

  test('has no answer to a message to ours, and no connection', async () => {
    const { worker } = other
    for (const message of [{ k: 'capture.ask' }, { k: 'stop', id: '1' }, 'status']) {
      expect(await attempt(worker, 'sendMessage', EXTENSION_ID, message)).toMatchObject({ admitted: false })
      expect(await attempt(worker, 'connectExtension', EXTENSION_ID, message)).toMatchObject({
        admitted: false,
      })
    }
  })
})

describe('a name that leads out of the adapters', () => {
  const NAMES = ['../..', '../../../etc', '..%2f..', 'shop/../../x', 'shop\\..\\x', 'shop\0x']

  test.each(NAMES)('is no site to the command line: %j', async name => {
    // No program can be given a NUL in an argument.
    const run = await product.cli(name.replaceAll('\0', '%00'), 'passwd', '-f', 'json')
    expect(run.code).toBe(2)
    expect(run.json().error?.code).toBe('unknown_operation')
  })

  test.each(NAMES)('is no operation over MCP: %j', async name => {
    for (const operation of [`${name}.passwd`, `shop.${name}`]) {
      const answer = await mcp('run', { operation })
      expect(answer.isError).toBe(true)
      expect(answer.structuredContent.error?.code).toBe('unknown_operation')
    }
    const described = await mcp('describe', { operation: `${name}.passwd` })
    expect(described.isError).toBe(true)
    expect(JSON.stringify(described)).not.toContain('root:')
  })

  async function mcp(
    name: string,
    args: object,
  ): Promise<{ isError?: boolean; structuredContent: Envelope }> {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    const answer = await product.http('/mcp', { method: 'POST', body: JSON.stringify(call) })
    return (await answer.json()).result
  }
})

describe('another user of this machine', () => {
  const FILES = ['run', 'run/companion.sock', 'run/companion.json', 'token', 'state.db']

  test('may neither enter the home nor open what lies in it', async () => {
    const home = product.env.unicliHome
    const modes = [home, ...FILES.map(name => join(home, name))].map(path => lstatSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600, 0o600, 0o600])
  })

  test.skipIf(process.getuid?.() !== 0)('cannot open the socket or read the token', async () => {
    const { root, unicliHome } = product.env
    // The folder of the test is closed as well: open it, so that ours is what stands in the way.
    await chmod(root, 0o755)
    onTestFinished(() => chmod(root, 0o700))
    const script = `
      const [socket, token] = process.argv.slice(1)
      require('net').connect(socket).on('connect', () => console.log('open')).on('error', error => console.log(error.code))
      try { console.log(require('fs').readFileSync(token, 'utf8')) } catch (error) { console.log(error.code) }`
    const nobody = spawn(
      process.execPath,
      ['-e', script, join(unicliHome, 'run', 'companion.sock'), join(unicliHome, 'token')],
      { uid: 65_534, gid: 65_534, cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    expect((await text(nobody.stdout)).trim().split('\n')).toEqual(['EACCES', 'EACCES'])
  })
})
