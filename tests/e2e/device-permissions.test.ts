import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownExtension } from '../../companion/managed/own-extension.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { builtExtension } from '../support/extension-rig.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let browser: OwnBrowser | undefined

const PAGE = `<!doctype html><title>Where</title><button onclick="
  navigator.geolocation.getCurrentPosition(p => out.textContent = 'at ' + p.coords.latitude, e => out.textContent = 'refused ' + e.code)
">Locate</button><p id=out>nothing</p>`

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startPageServer({ '/': PAGE })])
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

const { run, does } = browserCalls<Record<string, string>>(() => product)
/** In the browser that was started last. */
const inOwn = () => ({ profile: browser?.profile.id })
const own = (session: string, command: string, args = {}) => does(session, command, args, inOwn())

/** With `leave` as a person has it who has switched everything on among the options of the extension. */
async function startBrowser(leave: boolean): Promise<void> {
  await browser?.close()
  const built = builtExtension('chrome')
  const extension = leave ? ownExtension(built, product.env.root) : built
  browser = await startOwnBrowser(product, `leave-${leave}`, { extension })
  await own('a', 'navigate', { url: site.url })
}

const located = (wanted: RegExp) =>
  own('a', 'click', { target: 'role=button[name="Locate"]' }).then(() =>
    own('a', 'wait', { text: wanted.source }),
  )

describe('what a page may use of the device', () => {
  test('is told, and changed by nobody without the leave of the person', async () => {
    await startBrowser(false)
    expect(await own('a', 'permissions')).toMatchObject({ geolocation: 'prompt', camera: 'prompt' })
    const { error } = await run('a', 'permission_set', { geolocation: 'granted' }, inOwn())
    expect(error).toMatchObject({
      code: 'browser_permission_missing',
      suggestion: expect.stringContaining('options page'),
    })
  })

  test('is allowed and blocked with it, until the session ends', async () => {
    await startBrowser(true)
    expect(
      await own('a', 'permission_set', { geolocation: 'granted', camera: 'denied', clipboard: 'granted' }),
    ).toMatchObject({ geolocation: 'granted', camera: 'denied', clipboard: 'granted', microphone: 'prompt' })
    await own('a', 'emulate', { geolocation: { latitude: 52.5, longitude: 13.4, accuracy: 1 } })
    await located(/at 52.5/)
    await own('a', 'permission_set', { geolocation: 'denied' })
    await located(/refused 1/)
    await own('b', 'navigate', { url: site.url })
    await own('a', 'session_end')
    await expect
      .poll(() => own('b', 'permissions'))
      .toMatchObject({ geolocation: 'prompt', camera: 'prompt' })
  })

  test('is allowed in a managed browser, where there is nobody to ask', async () => {
    const launched = await product.run('browser.launch', { name: 'ci', headless: true })
    expect(launched.error).toBeNull()
    const managed = { profile: 'ci' }
    await does('a', 'navigate', { url: site.url }, managed)
    expect(await does('a', 'permissions', {}, managed)).toMatchObject({ geolocation: 'prompt' })
    const allowed = await does('a', 'permission_set', { geolocation: 'granted' }, managed)
    expect(allowed).toMatchObject({ geolocation: 'granted', camera: 'prompt' })
    await does('b', 'navigate', { url: site.url }, managed)
    await does('a', 'session_end', {}, managed)
    await expect.poll(() => does('b', 'permissions', {}, managed)).toMatchObject({ geolocation: 'prompt' })
    await product.run('browser.quit', { name: 'ci' })
  })
})
