import { readFile } from 'node:fs/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let browser: OwnBrowser

/** Writes down what a page can notice of being looked at. */
const WATCH = `<script>
window.noticed = []
const notice = what => noticed.push(what)
addEventListener('resize', () => notice('resize'))
addEventListener('scroll', () => notice('scroll'))
addEventListener('focus', () => notice('focus'))
addEventListener('blur', () => notice('blur'))
document.addEventListener('visibilitychange', () => notice('visibility'))
new MutationObserver(() => notice('mutation')).observe(document, { subtree: true, childList: true, attributes: true })
</script>`

const PAGES = {
  '/tall': `<!doctype html><title>Tall 高</title>${WATCH}<body style="margin:0">
    <button style="position:absolute;left:20px;top:40px">Save 保存</button><a href="#x" style="position:absolute;left:200px;top:40px">More</a>
    <div style="height:1500px;background:rgb(0,0,255)"></div>
    <div id="green" style="height:60px;width:120px;background:rgb(0,160,0)"></div>
    <div id="empty"></div><div id="red" style="height:1500px;background:rgb(255,0,0)"></div>`,
  '/framed': `<!doctype html><title>Framed</title><body style="margin:0">
    <iframe src="/inner" style="position:absolute;left:100px;top:50px;border:10px solid black;width:300px;height:200px"></iframe>`,
  '/inner': `<!doctype html><body style="margin:0"><button style="position:absolute;left:30px;top:20px;width:80px;height:40px;background:rgb(255,0,0);border:0">Inside</button>`,
  '/article': `<!doctype html><title>The bridge 桥</title><nav><a href="/">Home</a></nav><article><h1>The bridge</h1>${Array.from({ length: 12 }, (_, index) => `<p>Paragraph ${index}: a bridge of <a href="/b${index}">stone</a> crosses the river, and people have walked over it for as long as anybody remembers. 桥跨越河流。</p>`).join('')}<ul><li>one</li><li>two</li></ul></article><footer>Imprint</footer>`,
  '/stores': `<!doctype html><title>Stores</title><script>
    localStorage.setItem('theme', 'dark'); sessionStorage.setItem('step', '2')
    const open = indexedDB.open('app 库', 3)
    open.onupgradeneeded = () => { const s = open.result.createObjectStore('notes', { keyPath: 'id' }); s.createIndex('byDay', 'day'); for (let id = 1; id <= 30; id++) s.add({ id, text: '笔记 ' + id, day: new Date(0), file: new Blob(['abc'], { type: 'text/plain' }), big: 10n }) }
    open.onsuccess = () => { open.result.close(); document.body.append('ready') }</script><body>`,
  '/surroundings': `<!doctype html><title>Surroundings</title>`,
  '/noise': `<!doctype html><title>Noise</title><body style="margin:0"><canvas id="c" width="700" height="400"></canvas><script>
    const x = c.getContext('2d'), d = x.createImageData(700, 400)
    let n = 7; for (let i = 0; i < d.data.length; i++) { n = Math.imul(n, 1103515245) + 12345; d.data[i] = i % 4 === 3 ? 255 : (n >>> 16) & 255 }
    x.putImageData(d, 0, 0)</script>`,
}

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startPageServer(PAGES)])
  browser = await startOwnBrowser(product, 'own')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

const run = (command: string, args: Record<string, unknown> = {}, session = 'main'): Promise<Envelope> =>
  product.run(`browser.${command}`, args, { session })

/** Runs an operation of the browser that is expected to succeed, and gives its data. */
async function does<T = unknown>(
  command: string,
  args: Record<string, unknown> = {},
  session = 'main',
): Promise<T> {
  const { data, error } = await run(command, args, session)
  expect(error).toBeNull()
  return data as T
}

const open = (path: string, session = 'main') => does('navigate', { url: site.url + path }, session)
const evaluate = <T>(expression: string, session = 'main') => does<T>('evaluate', { expression }, session)

interface Picture {
  image: { blob: string; media_type: string; bytes: number }
  media_type: string
  width: number
  height: number
  scale: number
  quality: number | null
  path?: string
  legend?: string[]
}

const shoot = (args: Record<string, unknown> = {}, session = 'main') =>
  does<Picture>('screenshot', args, session)

/** The colour at a point of a picture, decoded by the browser. */
async function colorAt({ image }: Picture, x: number, y: number): Promise<number[]> {
  const bytes = await (await product.http(`/v1/evidence/${image.blob}`)).arrayBuffer()
  const url = `data:${image.media_type};base64,${Buffer.from(bytes).toString('base64')}`
  await open('/', 'decoder')
  return evaluate<number[]>(
    `(async () => {
      const bitmap = await createImageBitmap(await (await fetch(${JSON.stringify(url)})).blob())
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      context.drawImage(bitmap, 0, 0)
      return [...context.getImageData(${x}, ${y}, 1, 1).data.slice(0, 3)]
    })()`,
    'decoder',
  )
}

describe('a picture', () => {
  test('of a tab in the background is taken again and again, and the page notices nothing', async () => {
    await open('/tall')
    await evaluate('noticed.length = 0')
    const [width, height] = await evaluate<[number, number]>('[innerWidth, innerHeight]')
    for (let round = 0; round < 4; round += 1) {
      const picture = await shoot({ format: round % 2 === 0 ? 'jpeg' : 'webp' })
      expect(picture).toMatchObject({ width, height, scale: 1, quality: 80 })
      expect(picture.image.media_type).toBe(round % 2 === 0 ? 'image/jpeg' : 'image/webp')
    }
    expect(await evaluate('noticed')).toEqual([])
    expect(await evaluate('document.visibilityState')).toBe('hidden')
  })

  test('of the whole page shows its end, though nobody scrolled there', async () => {
    await open('/tall')
    const picture = await shoot({ full_page: true, format: 'png', scale: 0.5 })
    expect(picture.height).toBe(1530)
    expect(await colorAt(picture, 10, 1500)).toEqual([255, 0, 0])
    expect(await evaluate('scrollY')).toBe(0)
  })

  test('of one element shows it alone, wherever it is', async () => {
    await open('/tall')
    const green = await shoot({ target: 'css=#green', format: 'png' })
    expect(green).toMatchObject({ width: 120, height: 60 })
    expect(await colorAt(green, 60, 30)).toEqual([0, 160, 0])
    const larger = await shoot({ target: 'css=#red', format: 'png' })
    expect(larger.height).toBe(1500)
    expect(await colorAt(larger, 5, 1490)).toEqual([255, 0, 0])
    await open('/framed')
    const ref = /button "Inside" \[(\w+)\]/.exec((await does<{ text: string }>('snapshot')).text)?.[1]
    const inside = await shoot({ target: ref, format: 'png' })
    expect(inside).toMatchObject({ width: 80, height: 40 })
    expect(await colorAt(inside, 2, 2)).toEqual([255, 0, 0])
  })

  test('with refs marks them in the picture only, and the legend says what they are', async () => {
    await open('/tall')
    await evaluate('noticed.length = 0')
    const { legend = [], ...picture } = await shoot({ annotate: true, format: 'png' })
    expect(legend).toEqual([
      expect.stringMatching(/^d\d+e\d+ button "Save 保存"$/),
      expect.stringMatching(/^d\d+e\d+ link "More"$/),
    ])
    expect(await colorAt(picture, 100, 300)).toEqual([0, 0, 255])
    expect(await colorAt(picture, 22, 28)).not.toEqual([0, 0, 255])
    expect(await evaluate('noticed')).toEqual([])
    await open('/framed')
    const framed = await shoot({ annotate: true })
    expect(framed.legend).toEqual([
      expect.stringMatching(/iframe/),
      expect.stringMatching(/^d\d+e\d+ button "Inside"$/),
    ])
    const [ref = ''] = framed.legend?.[1]?.split(' ') ?? []
    expect(await does('hover', { target: ref })).toHaveProperty('verdict')
  })

  test('gives way in quality, then in size, until it fits', async () => {
    await open('/noise')
    const whole = await shoot()
    const small = await shoot({ max_bytes: 20_000 })
    expect(whole.image.bytes).toBeGreaterThan(100_000)
    expect(small.image.bytes).toBeLessThanOrEqual(20_000)
    expect(small.quality).toBeLessThan(80)
    expect(small.width).toBeLessThan(whole.width)
    const png = await shoot({ max_bytes: 50_000, format: 'png' })
    expect(png.image.bytes).toBeLessThanOrEqual(50_000)
    expect((await run('screenshot', { max_bytes: 1000, format: 'png' })).error?.code).toBe('frame_too_large')
  })

  test('is written to a new file in the form that its name says', async () => {
    await open('/tall')
    const { path = '', image } = await shoot({ path: '图.png' })
    const bytes = await readFile(path)
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    expect(bytes.length).toBe(image.bytes)
    expect((await run('screenshot', { path: '图.png' })).error?.code).toBe('already_exists')
  })

  test('comes along as a picture over MCP when it is asked for, and never as text', async () => {
    await open('/tall')
    const { http_url: url } = await product.discovery()
    const client = new Client({ name: 'test', version: '1' })
    const authorization = `Bearer ${await product.token()}`
    const requestInit = { headers: { authorization } }
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }))
    onTestFinished(() => client.close())
    const call = (images: boolean) =>
      client.callTool({
        name: 'run',
        arguments: { operation: 'browser.screenshot', options: { session: 'main', images } },
      })
    const shown = await call(true)
    expect(shown.content).toEqual([
      expect.objectContaining({ type: 'text' }),
      { type: 'image', mimeType: 'image/jpeg', data: expect.stringMatching(/^\/9j\//) },
    ])
    expect(JSON.stringify(shown.structuredContent).length).toBeLessThan(1500)
    expect((await call(false)).content).toHaveLength(1)
  })

  test('needs an element that has a size', async () => {
    await open('/tall')
    expect((await run('screenshot', { target: 'css=#empty' })).error?.code).toBe('element_not_ready')
  })
})

describe('what the browser keeps for a site', () => {
  test('cookies are set and taken out again, and only their values are secret', async () => {
    await open('/stores')
    const url = site.url
    const set = await does('cookie_set', {
      url,
      name: 'theme',
      value: 'geheim-wert',
      same_site: 'lax',
      path: '/stores',
    })
    expect(set).toMatchObject({ name: 'theme', path: '/stores', same_site: 'lax', expires: null })
    expect(JSON.stringify(set)).not.toContain('geheim-wert')
    await does('cookie_set', { url, name: 'other', value: '2' })
    const own = `${url}/stores`
    expect(await does('cookies', { url: own, names: ['theme'], values: true })).toMatchObject([
      { value: 'geheim-wert' },
    ])
    expect(await evaluate('document.cookie')).toContain('theme=geheim-wert')
    expect(await does('cookie_delete', { url: own, names: ['theme'] })).toEqual({ deleted: ['theme'] })
    expect(await does('cookie_delete', { url: own, all: true })).toEqual({ deleted: ['other'] })
    expect(await does('cookies', { url: own })).toEqual([])
    expect(
      (await run('cookie_set', { url, name: 'x', value: 'geheim-wert', domain: 'other.example' })).error
        ?.code,
    ).toBe('bad_request')
    const { stdout } = await product.cli('runs', 'list', '--json')
    expect(stdout).not.toContain('geheim-wert')
  })

  test('a cookie that is partitioned is set, seen and taken out as one', async () => {
    const url = 'https://widget.example/'
    const cookie = { url, name: 'part', value: '1', same_site: 'none', partition: 'https://shop.example' }
    expect(await does('cookie_set', cookie)).toMatchObject({ partition: 'https://shop.example' })
    expect(await does('cookies', { url })).toMatchObject([
      { name: 'part', partition: 'https://shop.example' },
    ])
    expect(await does('cookie_delete', { url, all: true })).toEqual({ deleted: ['part'] })
  })

  test('local and session storage are written and cleared', async () => {
    await open('/stores')
    expect(await does('storage_set', { values: { 语言: '中文', theme: 'light' } })).toEqual({
      removed: 0,
      set: 2,
      kept: 2,
    })
    expect(await evaluate("localStorage.getItem('语言')")).toBe('中文')
    expect(await does('storage_remove', { area: 'session', all: true })).toMatchObject({
      removed: 1,
      kept: 0,
    })
    expect(await does('storage_remove', { keys: ['theme'] })).toMatchObject({ removed: 1, kept: 1 })
  })

  test('IndexedDB is read: databases, stores, rows', async () => {
    await open('/stores')
    await does('wait', { text: 'ready' })
    expect(await does('indexeddb')).toEqual([
      {
        name: 'app 库',
        version: 3,
        stores: [{ name: 'notes', rows: 30, key_path: 'id', indexes: ['byDay'] }],
      },
    ])
    const rows = await does('indexeddb', { database: 'app 库', store: 'notes', limit: 2, skip: 3 })
    const row = {
      id: 4,
      text: '笔记 4',
      day: '1970-01-01T00:00:00.000Z',
      file: '[text/plain 3 bytes]',
      big: '[10n]',
    }
    expect(rows).toEqual({ total: 30, rows: [{ key: 4, value: row }, expect.objectContaining({ key: 5 })] })
    expect((await run('indexeddb', { database: 'none' })).error?.code).toBe('not_found')
  })

  test('a person who is careful is asked before cookies change', async () => {
    const { stdout } = await product.cli(
      'policy',
      'test',
      'browser.cookie_delete',
      '--policy-profile',
      'careful',
      '--json',
    )
    expect(JSON.parse(stdout).data).toMatchObject({ decision: 'ask' })
  })
})

describe('the page in other forms', () => {
  test('is Markdown within a budget, whole or its article alone', async () => {
    await open('/article')
    const whole = await does<Record<string, unknown>>('markdown')
    expect(whole).toMatchObject({ title: 'The bridge 桥', url: `${site.url}/article` })
    expect(whole.markdown).toContain(`[stone](${site.url}/b0)`)
    const article = await does<{ markdown: string }>('markdown', { article: true, links: true })
    expect(article.markdown).not.toContain('Imprint')
    expect(article.markdown).toContain('Paragraph 11')
    const short = await does<{ markdown: string; tokens: number; more_tokens: number }>('markdown', {
      max_tokens: 100,
      links: false,
    })
    expect(short.tokens).toBeLessThanOrEqual(100)
    expect(short.markdown).not.toContain('](')
    expect(short.more_tokens).toBeGreaterThan(100)
    expect((await does<{ markdown: string }>('markdown', { target: 'css=ul' })).markdown).toBe(
      '-   one\n-   two',
    )
  })

  test('runs functions with arguments, in its own world or beside it', async () => {
    await open('/article')
    const call = { expression: 'async ({ name }, times) => name.repeat(times)', args: [{ name: '桥' }, 3] }
    expect(await does('evaluate', call)).toBe('桥桥桥')
    await evaluate('window.secret = 1; document.title = "changed"')
    const beside = { expression: '() => [typeof window.secret, document.title]', world: 'isolated' }
    expect(await does('evaluate', beside)).toEqual(['undefined', 'changed'])
    expect((await run('evaluate', { expression: 'nothing.here', world: 'isolated' })).error?.code).toBe(
      'script_failed',
    )
  })

  test('is measured by what the browser kept of its loading', async () => {
    await open('/article')
    const found = await does<Record<string, unknown>>('metrics')
    expect(found).toMatchObject({
      navigation: { type: 'navigate', status: 200 },
      long_tasks: { count: expect.any(Number) },
      cls: 0,
      inp: null,
    })
    expect(found.dom_nodes).toBeGreaterThan(30)
    expect(found.js_heap).toBeGreaterThan(100_000)
  })
})

describe('where the tab is', () => {
  test('goes back, forward and anew, and says so', async () => {
    await open('/tall', 'moves')
    await open('/article', 'moves')
    expect(await does('back', {}, 'moves')).toMatchObject({ url: `${site.url}/tall`, title: 'Tall 高' })
    expect(await does('forward', {}, 'moves')).toMatchObject({ title: 'The bridge 桥' })
    await evaluate("history.pushState(1, '', '#chapter')", 'moves')
    expect(await does('back', {}, 'moves')).toMatchObject({ url: `${site.url}/article` })
    await evaluate('window.kept = 1', 'moves')
    expect(await does('reload', { bypass_cache: true }, 'moves')).toMatchObject({
      url: `${site.url}/article`,
    })
    expect(await evaluate('typeof window.kept', 'moves')).toBe('undefined')
    expect(await does('info', {}, 'moves')).toMatchObject({
      url: `${site.url}/article`,
      session: 'moves',
      tabs: 1,
    })
    await open('/tall', 'fresh')
    expect((await run('back', {}, 'fresh')).error?.code).toBe('not_found')
  })
})

describe('a tab that takes its device for another', () => {
  const SEEN = `[innerWidth, devicePixelRatio, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
    matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion: reduce)').matches,
    navigator.userAgent.includes('iPhone'), 'ontouchstart' in window]`

  test('keeps to it over pages until it is reset', async () => {
    await open('/surroundings', 'phone')
    const real = await evaluate(SEEN, 'phone')
    const geolocation = { latitude: 35.68, longitude: 139.69 }
    const rest = {
      locale: 'ja-JP',
      timezone: 'Asia/Tokyo',
      color_scheme: 'dark',
      reduced_motion: true,
      geolocation,
    }
    await does('emulate', { device: 'iphone-15', ...rest }, 'phone')
    await open('/surroundings?again', 'phone')
    const expected = [expect.any(Number), 3, 'ja-JP', 'Asia/Tokyo', true, true, true, true]
    expect(await evaluate(SEEN, 'phone')).toEqual(expected)
    expect(site.requests.at(-1)?.headers).toMatchObject({
      'accept-language': expect.stringMatching(/^ja-JP/),
    })
    expect(await does('info', {}, 'phone')).toMatchObject({ emulated: { locale: 'ja-JP' } })
    expect(await does('emulate', { reset: true }, 'phone')).toMatchObject({ emulated: {} })
    await open('/surroundings?real', 'phone')
    expect(await evaluate(SEEN, 'phone')).toEqual(real)
  })
})

describe('where the person was', () => {
  test.each(['history', 'bookmarks'])('is not read without their leave: %s', async command => {
    const { error } = await run(command, { text: 'bridge' })
    expect(error).toMatchObject({ code: 'browser_permission_missing', details: { permission: command } })
    expect(error?.suggestion).toContain('options page')
  })
})
