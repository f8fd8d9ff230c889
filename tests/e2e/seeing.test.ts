import { createServer, type Server } from 'node:http'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActResult, FoundElement, Snapshot } from '../../shared/values.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: FixtureSite
let browser: OwnBrowser
let nested: { url: string; servers: Server[] }

beforeAll(async () => {
  ;[product, site, nested] = await Promise.all([startProduct(), startFixtureSite(), startNested()])
  browser = await startOwnBrowser(product, 'own')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.stop()
  for (const server of nested?.servers ?? []) server.close()
})

/** Three documents of three sites, one in the other: an address of the loopback network each is a site of its own. */
async function startNested(): Promise<{ url: string; servers: Server[] }> {
  const servers: Server[] = []
  const serve = async (host: string, html: string): Promise<string> => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, host, resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('The server has no port.')
    return `http://${host}:${address.port}/`
  }
  const deepest = await serve(
    '127.0.0.3',
    `<!doctype html><title>Deepest</title><p id=p>最深处</p><button onclick="p.textContent = '已点击'">Deep button</button>
     <button onclick="top.postMessage('', '*'); this.disabled = true">Tell the top</button>
     <script>onmessage = ({ data }) => { p.textContent = data }</script>`,
  )
  const middle = await serve(
    '127.0.0.2',
    `<!doctype html><title>Middle</title><h2>Middle</h2><iframe title=Inner src="${deepest}"></iframe>`,
  )
  const url = await serve(
    '127.0.0.1',
    `<!doctype html><title>Top</title><h1>Top</h1><iframe id=f title=Outer width=600 height=400 src="${middle}"></iframe>
     <button onclick="frames[0][0].postMessage('来自外面', '*'); this.disabled = true">Tell the inner</button>
     <button onclick="this.disabled = true">Pause</button>
     <button onclick="f.remove()">Take away</button><p id=t>Nothing came</p>
     <script>onmessage = () => { t.textContent = 'Something came' }</script>`,
  )
  return { url, servers }
}

const { does } = browserCalls(() => product)

describe('frames of other sites, three deep', () => {
  test('are read as one page, found in, and acted in by ref and by selector', async () => {
    await does('frames', 'navigate', { url: nested.url })
    await does('frames', 'wait', { target: 'text=Deep button' })
    const { text } = await does<Snapshot>('frames', 'snapshot', {})
    expect(text.replaceAll(/d\d+e\d+/g, 'ref')).toMatch(
      /iframe "Outer" \[ref\]:\n {2}heading "Middle" level=2\n {2}iframe "Inner" \[ref\]:\n {4}"最深处"\n {4}button "Deep button" \[ref\]/,
    )
    const { count, found } = await does<{ count: number; found: FoundElement[] }>('frames', 'find', {
      role: 'button',
      name: 'Deep',
    })
    expect({ count, frame: found[0]?.frame }).toEqual({
      count: 1,
      frame: expect.stringContaining('127.0.0.3'),
    })
    const act = await does<ActResult>('frames', 'click', { target: found[0]?.ref })
    expect(act).toMatchObject({ verdict: 'confirmed', changes: expect.stringContaining('~ "已点击"') })
    expect(await does('frames', 'html', { target: 'css=#p' })).toContain('已点击')
  })

  test('tell in the answer of an act in one of them what is different in the others', async () => {
    // A message between frames may come after the answer: then the next one tells of it.
    const told = async (click: string, shown: string): Promise<string> => {
      const first = await does<ActResult>('frames', 'click', { target: click })
      await does('frames', 'wait', { target: shown })
      const second = await does<ActResult>('frames', 'focus', { target: 'text=Pause' })
      return `${first.changes}\n${second.changes}\n`
    }
    expect(await told('text=Tell the inner', 'text=来自外面')).toMatch(
      /\nin the frame http:\/\/127\.0\.0\.3:\d+\/:\n {2}~ "来自外面"\n/,
    )
    expect(await told('text=Tell the top', 'text=Something came')).toMatch(
      /(?:\nin the page around:\n {2}|\n)~ "Something came"\n/,
    )
    const reload = 'new Promise(done => { f.onload = () => done(true); f.src += "?again" })'
    await does('frames', 'evaluate', { expression: reload })
    const { changes } = await does<ActResult>('frames', 'click', { target: 'text=Pause' })
    expect(changes).toMatch(
      /\nin the frame http:\/\/127\.0\.0\.2:\d+\/:\n {2}another document is shown now: see snapshot$/,
    )
    await does('frames', 'wait', { target: 'text=Deep button' })
  })

  test('that are taken away leave refs that say so', async () => {
    const { found } = await does<{ found: FoundElement[] }>('frames', 'find', { text: 'Deep button' })
    await does('frames', 'click', { target: 'text=Take away' })
    const { error } = await product.run('browser.click', { target: found[0]?.ref }, { session: 'frames' })
    expect(error).toMatchObject({
      code: 'ref_gone',
      message: expect.stringContaining('its frame was removed'),
    })
  })
})

describe('a ref of a page that was left', () => {
  test('is refused with both addresses', async () => {
    await does('left', 'navigate', { url: `${site.url}/controls` })
    const { found } = await does<{ found: FoundElement[] }>('left', 'find', { role: 'button', name: 'Count' })
    await does('left', 'navigate', { url: `${site.url}/feed` })
    const { error } = await product.run('browser.click', { target: found[0]?.ref }, { session: 'left' })
    expect(error).toMatchObject({
      code: 'ref_gone',
      message: expect.stringContaining(`the page went from ${site.url}/controls to ${site.url}/feed`),
    })
  })
})

describe('an expression', () => {
  test('has the element of a ref or a selector, in the world of the page and in any frame', async () => {
    await does('given', 'navigate', { url: nested.url })
    await does('given', 'wait', { target: 'text=Deep button' })
    await does('given', 'evaluate', { expression: 'el.ours = 7', target: 'role=heading[name=Top]' })
    expect(await does('given', 'evaluate', { expression: "document.querySelector('h1').ours" })).toBe(7)
    const { found } = await does<{ found: FoundElement[] }>('given', 'find', { role: 'button', name: 'Deep' })
    const on = { target: found[0]?.ref, expression: '(node, more) => node.textContent + more', args: ['!'] }
    expect(await does('given', 'evaluate', on)).toBe('Deep button!')
    expect(await does('given', 'html', { target: found[0]?.ref })).not.toMatch(/unicli|ref=/)
  })
})

describe('the answer to an act', () => {
  test('takes 150 tokens as a rule, with all of its envelope, as the command line gives it', async () => {
    const session = ['--session', 'short']
    await product.cli('browser', 'navigate', `${site.url}/controls`, ...session)
    await product.cli('browser', 'snapshot', ...session)
    const acts = [
      ['click', 'role=button[name="Count"]'],
      ['click', 'role=button[name="Count"]'],
      ['hover', 'role=button[name="Count"]'],
      ['focus', 'role=button[name="Count"]'],
      ['press', 'Tab'],
      ['scroll', '--direction', 'down'],
      ['click', 'role=button[name="Count"]'],
    ]
    const sizes: number[] = []
    for (const act of acts) {
      const { stdout } = await product.cli('browser', ...act, ...session)
      sizes.push(encode(stdout).length)
    }
    console.log(`tokens of the answers to acts: ${sizes.join(', ')}`)
    expect(sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(150)
  })
})
