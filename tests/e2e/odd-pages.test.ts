import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActResult, FoundElement, Snapshot } from '../../shared/values.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let browser: OwnBrowser

const HIT = `onclick="this.textContent = 'Hit'"`
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const MANY = 30_000

const PAGES = {
  '/inner': `<!doctype html><title>Inner</title><button ${HIT}>Act</button>`,
  '/words': '<!doctype html><title>Words</title><p>Only words',
  '/frameset':
    '<html><head><title>Set</title></head><frameset cols="50%,50%"><frame src="/inner"><frame src="/words"></frameset></html>',
  '/objects': `<!doctype html><title>Objects</title><object data="/inner" type="text/html">No document</object>
    <object data="data:image/png;base64,${PIXEL}" type="image/png">No picture <button>Unseen</button></object>
    <object data="/gone" type="image/png"><button>Instead</button></object>`,
  '/written': `<!doctype html><title>Around</title><iframe title=F srcdoc="<button onclick='this.textContent = 1'>Within</button>"></iframe>`,
  '/drawing': `<!doctype html><title>Drawing</title><svg width=200 height=60 aria-label=Map><text y=20>Legend</text>
    <a href="/words"><text y=40>Town</text></a><g role=button tabindex=0 aria-label=Zoom><rect width=9 height=9 /></g></svg>
    <svg aria-label=Icon width=9 height=9><path d="M0 0h9"/></svg>`,
  '/rootless':
    '<!doctype html><title>Rootless</title><script>onload = () => document.documentElement.remove()</script>',
  '/fields': `<!doctype html><title>Fields</title><form aria-label=Scores><label>Played <input name=matches></label>
    <button type=button ${HIT}>Count</button></form>`,
  '/many': `<!doctype html><title>Many</title><script>onload = () => {
    document.body.innerHTML = Array.from({ length: ${MANY} }, (_, at) => '<p><a href="#' + at + '">L' + at + '</a></p>').join('')
  }</script>`,
}

beforeAll(async () => {
  site = await startPageServer({
    ...PAGES,
    '/gone': (_, response) => response.writeHead(404).end(),
  })
  product = await startProduct()
  browser = await startOwnBrowser(product, 'odd')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

const { does, run } = browserCalls(() => product, 40_000)

/** Its refs read `ref`. */
async function shown(session: string, path: string): Promise<string> {
  await does(session, 'navigate', { url: site.url + path })
  const { text } = await does<Snapshot>(session, 'snapshot')
  return text.replaceAll(/d\d+e\d+/g, 'ref')
}

test('a page of frames is read and acted in, and has no text of its own', async () => {
  expect(await shown('set', '/frameset')).toBe(
    'iframe [ref]:\n  button "Act" [ref]\niframe [ref]:\n  "Only words"',
  )
  const act = await does<ActResult>('set', 'click', { target: 'role=button', hand: 'cdp' })
  expect(act).toMatchObject({ verdict: 'confirmed', changes: expect.stringContaining('button "Hit"') })
  expect(await does('set', 'markdown')).toMatchObject({ markdown: '' })
})

test('an object is what it shows: a document, or what it holds where it has nothing else', async () => {
  expect(await shown('objects', '/objects')).toBe(
    'iframe [ref]:\n  button "Act" [ref]\nbutton "Instead" [ref]',
  )
  const act = await does<ActResult>('objects', 'click', { target: 'text=Act', hand: 'cdp' })
  expect(act).toMatchObject({ verdict: 'confirmed', changes: expect.stringContaining('button "Hit"') })
})

test('an act in a frame without an address tells that of the page, and the next call goes on', async () => {
  expect(await shown('written', '/written')).toBe('iframe "F" [ref]:\n  button "Within" [ref]')
  const act = await does<ActResult>('written', 'click', { target: 'text=Within' })
  expect(act).toMatchObject({ verdict: 'confirmed', url: `${site.url}/written`, title: 'Around' })
  expect(await does('written', 'find', { text: '1' })).toMatchObject({ count: 1 })
})

test('what acts in a drawing is listed within it', async () => {
  expect(await shown('drawing', '/drawing')).toBe(
    'image "Map": link "Town" [ref] -> /words, button "Zoom" [ref]\nimage "Icon"',
  )
})

test('a page that took its own root away is read as empty', async () => {
  expect(await shown('rootless', '/rootless')).toBe('(the page shows nothing)')
  expect(await does('rootless', 'html')).toBe('')
})

test('a page that did not load is said not to have, whatever is asked of it', async () => {
  const failed = {
    code: 'navigation_failed',
    message: expect.stringContaining(`${site.url}/gone did not load`),
  }
  expect((await run('gone', 'navigate', { url: `${site.url}/gone` })).error).toMatchObject(failed)
  expect((await run('gone', 'snapshot')).error).toMatchObject(failed)
})

test('a form whose field is called like a method of it is read and acted in', async () => {
  expect(await shown('fields', '/fields')).toBe('form "Scores": textbox "Played" [ref], button "Count" [ref]')
  expect(await does('fields', 'click', { target: 'text=Count' })).toMatchObject({ verdict: 'confirmed' })
})

test('an argument that only the page can judge is refused by the name of the operation', async () => {
  await does('fields', 'navigate', { url: `${site.url}/fields` })
  for (const [command, args] of [
    ['click', { target: 'css=[[' }],
    ['press', { key: 'NoSuchKey' }],
    ['select_option', { target: 'role=', option: 'a' }],
  ] as const)
    expect((await run('fields', command, args)).error).toMatchObject({
      code: 'invalid_args',
      suggestion: expect.stringContaining(`unicli describe browser.${command}"`),
    })
})

test('tens of thousands of links are read in time, and found by their refs', {
  timeout: 90_000,
}, async () => {
  expect(await shown('many', '/many')).toContain(' more lines: after=')
  const { found } = await does<{ found: FoundElement[] }>('many', 'find', { text: `L${MANY - 1}` })
  expect(await does('many', 'focus', { target: found[0]?.ref })).toMatchObject({ verdict: 'confirmed' })
})
