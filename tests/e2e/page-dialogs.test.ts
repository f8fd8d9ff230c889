import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActResult, PageDialog } from '../../shared/values.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

// A tab in the background of a browser that nobody automates: there the browser itself says no to what a page asks.
let product: Product
let site: PageServer
let browser: OwnBrowser

const ASKING = `<!doctype html><meta charset=utf-8><title>Asking</title>
<button id=say>Say</button><button id=sure>Sure</button><button id=name>Name</button><output></output>
<script>
  const tell = text => { document.querySelector('output').textContent = text }
  say.onclick = () => { alert('已保存'); tell('said') }
  sure.onclick = () => tell('sure: ' + confirm('Really?'))
  document.querySelector('#name').onclick = () => tell('name: ' + prompt('Your name?', 'nobody'))
</script>`
/** Its script lies elsewhere, so that nothing in the page shows that it asks. */
const HIDDEN = `<!doctype html><title>Hidden</title><button id=go>Go</button><output></output><script src=/hidden.js></script>`
const LEAVING = `<!doctype html><title>Leaving</title><input aria-label=Text>
<script>addEventListener('beforeunload', event => event.preventDefault())</script>`

beforeAll(async () => {
  ;[product, site] = await Promise.all([
    startProduct(),
    startPageServer({
      '/asking': ASKING,
      '/hidden': HIDDEN,
      '/leaving': LEAVING,
      '/hidden.js': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/javascript' })
          .end(
            "go.onclick = () => { if (confirm('Go?')) document.querySelector('output').textContent = 'gone' }",
          ),
    }),
  ])
  browser = await startOwnBrowser(product, 'asking')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

const { run, does } = browserCalls<ActResult>(() => product)

const told = async (session: string): Promise<unknown> =>
  does<unknown>(session, 'evaluate', { expression: "document.querySelector('output').textContent" })

describe('a page that asks while it is acted on', () => {
  beforeAll(() => does('asks', 'navigate', { url: `${site.url}/asking` }))

  test('tells an alert in the answer of the act, which said OK to it', async () => {
    const { verdict, dialogs } = await does('asks', 'click', { target: 'css=#say' })
    expect(dialogs).toEqual([{ kind: 'alert', message: '已保存', answer: 'accepted' }])
    expect(verdict).toBe('confirmed')
    expect(await told('asks')).toBe('said')
  })

  test('is told no where nobody said otherwise, and how to say yes', async () => {
    const { effects, dialogs } = await does('asks', 'click', { target: 'css=#sure' })
    expect(effects).toContain('dialog')
    expect(dialogs).toMatchObject([{ kind: 'confirm', message: 'Really?', answer: 'dismissed' }])
    expect(dialogs?.[0]?.hint).toContain('dialogs "accept"')
    expect(await told('asks')).toBe('sure: false')
  })

  test('is told yes where the call says so, and a prompt gets what it suggests', async () => {
    const sure = await does('asks', 'click', { target: 'css=#sure', dialogs: 'accept' })
    expect(sure.dialogs).toEqual([{ kind: 'confirm', message: 'Really?', answer: 'accepted' }])
    expect(await told('asks')).toBe('sure: true')
    await does('asks', 'click', { target: 'css=#name', dialogs: 'accept' })
    expect(await told('asks')).toBe('name: nobody')
    await does('asks', 'click', { target: 'css=#name', dialogs: 'dismiss' })
    expect(await told('asks')).toBe('name: null')
  })

  test('stands still with an open dialog where the session asks, until that is answered', async () => {
    await does('asks', 'dialog', { policy: 'ask' })
    const { verdict, dialogs } = await does('asks', 'click', { target: 'css=#name' })
    expect(verdict).toBe('unconfirmed')
    expect(dialogs).toMatchObject([{ kind: 'prompt', suggested: 'nobody', answer: 'waiting' }])
    const { error } = await run('asks', 'click', { target: 'css=#say' })
    expect(error).toMatchObject({ code: 'dialog_open' })
    expect(error?.message).toContain('Your name?')
    expect(await does<{ dialog: PageDialog }>('asks', 'dialog', {})).toMatchObject({
      dialog: { kind: 'prompt', answer: 'waiting' },
    })
    expect(await does('asks', 'dialog', { text: '小桥' })).toMatchObject({ dialog: { answer: 'accepted' } })
    expect(await told('asks')).toBe('name: 小桥')
    expect((await run('asks', 'dialog', { accept: true })).error).toMatchObject({ code: 'no_dialog' })
    await does('asks', 'dialog', { policy: 'auto' })
  })
})

describe('a page whose scripts cannot be read', () => {
  test('tells at least that it asked and was told no, and with a policy what', async () => {
    await does('hidden', 'navigate', { url: `${site.url}/hidden` })
    const { verdict, dialogs } = await does('hidden', 'click', { target: 'css=#go' })
    expect(verdict).toBe('unconfirmed')
    expect(dialogs).toMatchObject([{ kind: 'confirm', message: null, answer: 'dismissed' }])
    const again = await does('hidden', 'click', { target: 'css=#go', dialogs: 'accept' })
    expect(again).toMatchObject({ verdict: 'confirmed', dialogs: [{ message: 'Go?', answer: 'accepted' }] })
    expect(await told('hidden')).toBe('gone')
  })
})

describe('a page that asks before it is left', () => {
  test('stays unless the call says that it is to be left', async () => {
    await does('leaving', 'navigate', { url: `${site.url}/leaving` })
    const { tab } = { tab: await pageOf('/leaving') }
    await trustedKey(tab)
    const { error } = await run('leaving', 'navigate', { url: `${site.url}/asking` })
    expect(error).toMatchObject({ code: 'leave_refused' })
    const left = await does<{ url: string; dialogs: PageDialog[] }>('leaving', 'navigate', {
      url: `${site.url}/asking`,
      dialogs: 'accept',
    })
    expect(left).toMatchObject({
      url: `${site.url}/asking`,
      dialogs: [{ kind: 'beforeunload', answer: 'accepted' }],
    })
  })
})

async function pageOf(path: string): Promise<string> {
  const { targetInfos } = await browser.cdp.send<{ targetInfos: { targetId: string; url: string }[] }>(
    'Target.getTargets',
  )
  const found = targetInfos.find(({ url }) => url.endsWith(path))
  if (found === undefined) throw new Error(`no page shows ${path}`)
  return found.targetId
}

/** As a person would press one: browsers ask about pages that were used only. */
async function trustedKey(targetId: string): Promise<void> {
  const { sessionId } = await browser.cdp.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  })
  const expression = 'document.querySelector("input").focus()'
  await browser.cdp.send('Runtime.evaluate', { expression, userGesture: true }, sessionId)
  await browser.cdp.send('Target.detachFromTarget', { sessionId })
}
