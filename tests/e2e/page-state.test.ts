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
