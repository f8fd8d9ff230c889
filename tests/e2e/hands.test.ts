import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActResult, Snapshot } from '../../shared/values.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let browser: OwnBrowser
let site: PageServer
let inner: PageServer

/** Heeds only what the browser itself makes; counts every click that comes. */
const WARY = `<!doctype html><title>Wary</title><meta charset=utf-8>
  <style>#style:hover::after { content: 'shown by style' }</style>
  <button id=wary>Wary</button><button id=unseen>Unseen</button><button id=taken>Taken</button>
  <p id=style>Point here</p><p>plain text</p>
  <input id=stubborn aria-label=Stubborn><input id=keyed aria-label=Keyed><p id=out>nothing</p>
  <script>
    window.clicks = []
    wary.addEventListener('click', e => { if (!e.isTrusted) return; clicks.push('wary'); out.textContent = 'wary clicked ' + clicks.length })
    unseen.addEventListener('click', e => clicks.push('unseen ' + e.isTrusted))
    taken.addEventListener('click', e => { e.preventDefault(); clicks.push('taken ' + e.isTrusted) })
    stubborn.addEventListener('input', e => { if (!window.seen) { window.seen = true; stubborn.value = 'no' } })
    keyed.addEventListener('keydown', e => { if (e.isTrusted && e.key === 'F2') out.textContent = 'F2 pressed' })
  </script>`

/** Its menu can be clicked once two frames have been drawn, as those that fade in. */
const FADING = `<!doctype html><title>Fading</title><button id=open>Open</button>
  <ul id=menu hidden style="pointer-events: none"><li role=menuitem>Copy</li></ul><p id=out>nothing</p>
  <script>
    document.getElementById('open').onclick = () => {
      menu.hidden = false
      requestAnimationFrame(() => requestAnimationFrame(() => { menu.style.pointerEvents = '' }))
    }
    menu.onclick = () => { out.textContent = 'copied' }
  </script>`

const framed = (url: string, more = ''): string =>
  `<!doctype html><title>Around</title><style>iframe { margin: 40px 0 0 60px; border: 3px solid; padding: 5px; width: 500px; height: 420px }</style>
    <p>Around</p>${more}<div style="height: 900px"></div><iframe src="${url}"></iframe>`

beforeAll(async () => {
  const leaf = await startPageServer({ '/wary': WARY })
  inner = leaf
  const middle = await startPageServer({ '/middle': framed(`${asHost(leaf.url, 'localhost')}/wary`) })
  site = await startPageServer({
    '/wary': WARY,
    '/fading': FADING,
    '/frames': framed(`${middle.url}/middle`),
    '/covered': `${framed(`${asHost(leaf.url, 'localhost')}/wary`)}<div id=veil style="position: fixed; inset: 0">Veil</div>`,
  })
  product = await startProduct()
  browser = await startOwnBrowser(product, 'hands')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
  await inner?.close()
})

/** Another host of the same machine makes another site, and so another process. */
const asHost = (url: string, host: string): string => url.replace('127.0.0.1', host)

const { run, does } = browserCalls<ActResult>(() => product)
const clicks = (session: string) => does<string[]>(session, 'evaluate', { expression: 'clicks' })

test('what only frames bring within reach is reached in a tab that is not drawn, by the hand of the page', async () => {
  await does('fading', 'navigate', { url: `${site.url}/fading` })
  await does('fading', 'click', { target: 'text="Open"' })
  const chosen = await does('fading', 'click', { target: 'text="Copy"' })
  expect(chosen).toMatchObject({ verdict: 'confirmed', hand: 'dom' })
  expect(await does('fading', 'evaluate', { expression: 'out.textContent' })).toBe('copied')
})

describe('the hand that acts is said, and is another one only where that is safe:', () => {
  beforeAll(() => does('wary', 'navigate', { url: `${site.url}/wary` }))

  test('a page that heeds only the browser’s own input is clicked by it', async () => {
    const clicked = await does('wary', 'click', { target: 'text="Wary"' })
    expect(clicked).toMatchObject({ verdict: 'confirmed', hand: 'cdp' })
    expect(clicked.note).toContain('no effect')
    expect(await clicks('wary')).toEqual(['wary'])
  })

  test('a click that may have had an unseen effect is not done twice', async () => {
    for (const name of ['Unseen', 'Taken']) {
      const clicked = await does('wary', 'click', { target: `text="${name}"` })
      expect(clicked).toMatchObject({
        verdict: 'unconfirmed',
        hand: 'dom',
        note: expect.stringContaining('hand=cdp'),
      })
    }
    expect((await clicks('wary')).slice(1)).toEqual(['unseen false', 'taken false'])
  })

  test('each hand does it alone when it was asked for', async () => {
    expect(await does('wary', 'click', { target: 'text="Wary"', hand: 'dom' })).toMatchObject({ hand: 'dom' })
    expect(await does('wary', 'click', { target: 'text="Unseen"', hand: 'cdp' })).toMatchObject({
      verdict: 'unconfirmed',
      hand: 'cdp',
    })
    expect((await clicks('wary')).slice(3)).toEqual(['unseen true'])
  })

  test('text, keys and pointing that had no effect are done again by the browser itself', async () => {
    expect(await does('wary', 'type', { target: 'label=Stubborn', text: '日本 text' })).toMatchObject({
      verdict: 'confirmed',
      hand: 'cdp',
      value: '日本 text',
    })
    expect(await does('wary', 'press', { target: 'label=Keyed', key: 'F2' })).toMatchObject({
      verdict: 'confirmed',
      hand: 'cdp',
    })
    expect(
      await does('wary', 'type', { target: 'label=Keyed', text: 'line 漢字', hand: 'cdp' }),
    ).toMatchObject({ verdict: 'confirmed', hand: 'cdp', value: 'line 漢字' })
    expect(await does('wary', 'press', { key: 'Backspace', hand: 'cdp' })).toMatchObject({
      verdict: 'confirmed',
      hand: 'cdp',
    })
    expect(await does('wary', 'evaluate', { expression: '[out.textContent, keyed.value]' })).toEqual([
      'F2 pressed',
      'line 漢',
    ])
  })
})

describe('in a frame of another process within one of yet another', () => {
  const refOf = async (session: string, words: string): Promise<string> => {
    const { text } = await does<Snapshot>(session, 'snapshot', {})
    const line = text.split('\n').find(each => each.includes(words)) ?? ''
    return /\[(d\d+e\d+)\]/.exec(line)?.[1] ?? `no ${words} in ${text}`
  }

  test('both hands reach, below the fold too', async () => {
    await does('framed', 'navigate', { url: `${site.url}/frames` })
    const wary = await refOf('framed', 'button "Wary"')
    expect(await does('framed', 'click', { target: wary, hand: 'cdp' })).toMatchObject({
      verdict: 'confirmed',
      hand: 'cdp',
      url: `${asHost(inner.url, 'localhost')}/wary`,
    })
    const { text } = await does<Snapshot>('framed', 'snapshot', {})
    expect(text).toContain('wary clicked')
    expect(
      await does('framed', 'type', { target: await refOf('framed', 'Keyed'), text: 'within', hand: 'cdp' }),
    ).toMatchObject({ verdict: 'confirmed', value: 'within' })
    expect(
      await does('framed', 'type', { target: await refOf('framed', 'Stubborn'), text: '竹' }),
    ).toMatchObject({ verdict: 'confirmed', hand: 'cdp', value: '竹' })
    expect(
      await does('framed', 'press', { target: await refOf('framed', 'Keyed'), key: 'F2' }),
    ).toMatchObject({ verdict: 'confirmed', hand: 'cdp' })
  })

  test('what covers the frame is named', async () => {
    await does('covered', 'navigate', { url: `${site.url}/covered` })
    const wary = await refOf('covered', 'button "Wary"')
    const { error } = await run('covered', 'click', { target: wary })
    expect(error?.code).toBe('element_not_ready')
    expect(error?.message).toContain('<div#veil> covers the frame')
  })
})

describe('a page that heeds only the browser’s own drag', () => {
  const DRAGS = `<!doctype html><meta charset=utf-8><title>Drags</title>
    <style>p { width: 200px; height: 40px; border: 1px solid }</style>
    <p id=box draggable=true>Box</p><p id=bin>Bin</p><p id=wall>Wall</p><p id=knob>Knob</p>
    <script>
      box.ondragstart = event => event.dataTransfer.setData('text/plain', '箱')
      bin.ondragover = event => { if (event.isTrusted) event.preventDefault() }
      bin.ondrop = event => { event.preventDefault(); bin.textContent = 'got ' + event.dataTransfer.getData('text/plain') }
      knob.onpointerdown = event => {
        if (!event.isTrusted) return
        knob.setPointerCapture(event.pointerId)
        knob.onpointermove = ({ clientX }) => { knob.style.translate = clientX - event.clientX + 'px' }
        knob.onpointerup = () => { knob.onpointermove = null }
      }
    </script>`

  test('is given it where events of a script had no effect, and only there', async () => {
    const drags = await startPageServer({ '/': DRAGS })
    try {
      await does('drags', 'navigate', { url: drags.url })
      const drag = (target: string, to: object) => does('drags', 'drag', { target, ...to })
      expect(await drag('css=#box', { to: 'css=#bin' })).toMatchObject({
        verdict: 'confirmed',
        hand: 'cdp',
        note: 'events of a script had no effect',
      })
      expect(await does('drags', 'evaluate', { expression: 'bin.textContent' })).toBe('got 箱')
      expect(await drag('css=#knob', { by: { x: 90, y: 0 } })).toMatchObject({
        verdict: 'confirmed',
        hand: 'cdp',
        value: 'moved by 90, 0 pixels',
      })
      expect(await drag('css=#box', { to: 'css=#wall' })).toMatchObject({
        verdict: 'unconfirmed',
        hand: 'cdp',
      })
      expect(await drag('css=#box', { to: 'css=#wall', hand: 'dom' })).toMatchObject({
        verdict: 'unconfirmed',
        hand: 'dom',
      })
    } finally {
      await drags.close()
    }
  })

  test('is reached in a frame of another process too', async () => {
    const inside = await startPageServer({ '/': DRAGS })
    const around = await startPageServer({ '/': framed(asHost(inside.url, 'localhost')) })
    try {
      await does('framed-drags', 'navigate', { url: around.url })
      const { text } = await does<Snapshot>('framed-drags', 'find', { text: 'Box' }).then(() =>
        does<Snapshot>('framed-drags', 'snapshot', { boxes: true }),
      )
      const ref = (words: string) =>
        /\[(d\d+e\d+)\]/.exec(text.split('\n').find(each => each.includes(words)) ?? '')?.[1] ??
        `no ${words} in ${text}`
      expect(await does('framed-drags', 'drag', { target: ref('Box'), to: ref('Bin') })).toMatchObject({
        verdict: 'confirmed',
        hand: 'cdp',
      })
    } finally {
      await around.close()
      await inside.close()
    }
  })
})
