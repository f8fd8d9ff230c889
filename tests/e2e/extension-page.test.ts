import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireMethod, WireParams } from '../../shared/wire.ts'
import { type ExtensionRig, startExtension } from '../support/extension-rig.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { PLAIN_CLICK } from '../support/plain-click.ts'

let rig: ExtensionRig
let site: PageServer
let other: PageServer

beforeAll(async () => {
  other = await startPageServer({
    '/inner': `<!doctype html><title>Inner</title><button onclick="document.title='pressed';this.textContent='Pressed'">Across</button>`,
  })
  site = await startPageServer({
    '/form': `<!doctype html><title>Form</title><form action="/sent"><label>Name <input name="n"></label><button>Send</button></form>`,
    '/sent': '<!doctype html><title>Sent</title><h1>Thanks</h1>',
    '/frames': `<!doctype html><title>Frames</title><p>Outside</p>
      <iframe title="first" srcdoc="<button>Near</button>"></iframe>
      <iframe title="second" src="${other.url}/inner"></iframe>`,
    '/trusted': `<!doctype html><title>Trusted</title><input id="f"><p id="out">nothing</p><script>
      f.addEventListener('keydown', e => { if (e.isTrusted && e.key === 'F2') out.textContent = 'F2 pressed' })
      f.focus()</script>`,
    '/stubborn': `<!doctype html><title>Stubborn</title><input id="f"><script>
      f.addEventListener('input', () => { if (!window.seen) { window.seen = true; f.value = 'no' } })</script>`,
    '/strict': (_, response) =>
      response
        .writeHead(200, {
          'content-type': 'text/html',
          'content-security-policy':
            "default-src 'none'; script-src 'unsafe-inline'; require-trusted-types-for 'script'",
        })
        .end('<title>Strict</title><script>window.mine = { answer: 42 }</script>'),
    '/later': `<!doctype html><title>Later</title><script>setTimeout(() => location.replace('/sent'), 300)</script>`,
  })
  rig = await startExtension()
})
afterAll(async () => {
  await rig.close()
  await site.close()
  await other.close()
})

type Without<M extends WireMethod> = Omit<WireParams<M>, 'session'>
const session = 'p'
const open = (path: string) =>
  rig.link.call('page.navigate', { session, url: `${site.url}${path}`, until: 'load' })
const snapshot = async (more: Partial<Without<'page.snapshot'>> = {}) =>
  await rig.link.call('page.snapshot', {
    session,
    max_tokens: 5000,
    interactive: false,
    target: null,
    depth: null,
    after: null,
    since: false,
    boxes: false,
    graphics: false,
    ...more,
  })
const refOf = (text: string, what: RegExp): string => {
  const line = text.split('\n').find(candidate => what.test(candidate)) ?? ''
  return /\[(d\d+e\d+)\]/.exec(line)?.[1] ?? `no ${String(what)} in ${text}`
}
const evaluate = async (expression: string): Promise<unknown> =>
  (await rig.link.call('page.evaluate', { session, expression })).value

describe('acting in a page', () => {
  test('types into a field, clicks a button that navigates, and tells both', async () => {
    await open('/form')
    const { text } = await snapshot()
    const typed = await rig.link.call('page.type', {
      session,
      target: refOf(text, /textbox/),
      text: 'Änne 😀',
      replace: true,
      submit: false,
    })
    expect(typed).toMatchObject({ verdict: 'confirmed', value: 'Änne 😀' })
    const arrived = site.nextRequest('/sent')
    const clicked = await rig.link.call('page.click', {
      session,
      target: refOf(text, /button/),
      ...PLAIN_CLICK,
    })
    expect(clicked.verdict).toBe('confirmed')
    expect(clicked.effects).toContain('navigation')
    expect(decodeURIComponent((await arrived).path)).toContain('n=Änne')
    const waited = await rig.link.call('page.wait', {
      session,
      target: null,
      text: 'Thanks',
      url: null,
      gone: false,
    })
    expect(waited.url).toContain('/sent')
  })

  test('refuses a ref of a document that was replaced', async () => {
    await open('/form')
    const { text } = await snapshot()
    const ref = refOf(text, /button/)
    await open('/form?again')
    expect(await rig.link.ask('page.click', { session, target: ref, ...PLAIN_CLICK })).toMatchObject({
      failure: { code: 'ref_gone', params: { ref } },
    })
    const next = refOf((await snapshot()).text, /button/)
    expect(Number(/d(\d+)/.exec(next)?.[1])).toBeGreaterThan(Number(/d(\d+)/.exec(ref)?.[1]))
  })

  test('shows what frames show, also those of another site, and acts in them', async () => {
    await open('/frames')
    const { text, refs } = await snapshot()
    expect(text).toContain('Outside')
    expect(text).toMatch(/iframe "first" \[d\d+e\d+\]:\n\s+button "Near" \[d\d+e\d+\]/)
    expect(text).toMatch(/iframe "second" \[d\d+e\d+\]:\n\s+button "Across" \[d\d+e\d+\]/)
    expect(refs).toBe(4)
    const across = refOf(text, /Across/)
    const clicked = await rig.link.call('page.click', { session, target: across, ...PLAIN_CLICK })
    expect(clicked).toMatchObject({ verdict: 'confirmed', url: `${other.url}/inner` })
    expect((await snapshot()).text).toContain('button "Pressed"')
    expect((await snapshot({ target: refOf(text, /first/) })).text).toContain('Near')
  })

  test('presses by the browser’s own input where the page heeds no other', async () => {
    await open('/trusted')
    const pressed = await rig.link.call('page.press', { session, key: 'F2', target: null })
    expect(pressed.verdict).toBe('confirmed')
    expect(await evaluate('out.textContent')).toBe('F2 pressed')
  })

  test('writes by the browser’s own input where the page threw the text away', async () => {
    await open('/stubborn')
    const typed = await rig.link.call('page.type', {
      session,
      target: 'css=#f',
      text: 'Ünïcode',
      replace: true,
      submit: false,
    })
    expect(typed).toMatchObject({ verdict: 'confirmed', value: 'Ünïcode' })
    expect(await evaluate('f.value')).toBe('Ünïcode')
  })

  test('waits across a navigation that the page makes by itself', async () => {
    await open('/later')
    const { url } = await rig.link.call('page.wait', {
      session,
      target: 'text=Thanks',
      text: null,
      url: null,
      gone: false,
    })
    expect(url).toBe(`${site.url}/sent`)
  })

  test('evaluates by the debugger where the page forbids eval', async () => {
    await open('/strict')
    expect(await evaluate('window.mine')).toEqual({ answer: 42 })
    expect(await evaluate('Promise.resolve(undefined)')).toBe(null)
    expect(await rig.link.ask('page.evaluate', { session, expression: 'window.none.at.all' })).toMatchObject({
      failure: { code: 'script_failed' },
    })
  })

  test('reads html and storage, and leaves nothing in the page', async () => {
    await open('/form')
    await evaluate('localStorage.setItem("token", "t"); sessionStorage.setItem("s", "1")')
    expect(await rig.link.call('page.storage', { session })).toEqual({
      local: { token: 't' },
      session: { s: '1' },
    })
    const before = await evaluate('[document.documentElement.outerHTML, Object.keys(window).join()]')
    await snapshot()
    await rig.link.call('page.html', { session, target: null })
    expect(await evaluate('[document.documentElement.outerHTML, Object.keys(window).join()]')).toEqual(before)
    const { html, title } = await rig.link.call('page.html', { session, target: 'css=form' })
    expect(title).toBe('Form')
    expect(html.startsWith('<form')).toBe(true)
  })

  test('refuses pages that are closed to extensions', async () => {
    const tab = await open('/form')
    const worker = await rig.browser.serviceWorker()
    await worker.evaluate(
      id =>
        new Promise<void>(resolve => {
          chrome.tabs.onUpdated.addListener((changed, info) => {
            if (changed === id && info.status === 'complete') resolve()
          })
          void chrome.tabs.update(id, { url: 'chrome://version' })
        }),
      tab.tab,
    )
    expect(await rig.link.ask('page.html', { session, target: null })).toMatchObject({
      failure: { code: 'page_unreachable' },
    })
  })
})
