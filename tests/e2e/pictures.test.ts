import { readFile } from 'node:fs/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type StateRig, startStateRig } from '../support/state-rig.ts'

let rig: StateRig
beforeAll(async () => {
  rig = await startStateRig()
})
afterAll(() => rig?.close())

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
  rig.does<Picture>('screenshot', args, session)

/** The colour at a point of a picture, decoded by the browser. */
async function colorAt({ image }: Picture, x: number, y: number): Promise<number[]> {
  const bytes = await (await rig.product.http(`/v1/evidence/${image.blob}`)).arrayBuffer()
  const url = `data:${image.media_type};base64,${Buffer.from(bytes).toString('base64')}`
  await rig.open('/', 'decoder')
  return rig.evaluate<number[]>(
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
    await rig.open('/tall')
    await rig.evaluate('noticed.length = 0')
    const [width, height] = await rig.evaluate<[number, number]>('[innerWidth, innerHeight]')
    for (let round = 0; round < 4; round += 1) {
      const picture = await shoot({ format: round % 2 === 0 ? 'jpeg' : 'webp' })
      expect(picture).toMatchObject({ width, height, scale: 1, quality: 80 })
      expect(picture.image.media_type).toBe(round % 2 === 0 ? 'image/jpeg' : 'image/webp')
    }
    expect(await rig.evaluate('noticed')).toEqual([])
    expect(await rig.evaluate('document.visibilityState')).toBe('hidden')
  })

  test('of the whole page shows its end, though nobody scrolled there', async () => {
    await rig.open('/tall')
    const picture = await shoot({ full_page: true, format: 'png', scale: 0.5 })
    expect(picture.height).toBe(1530)
    expect(await colorAt(picture, 10, 1500)).toEqual([255, 0, 0])
    expect(await rig.evaluate('scrollY')).toBe(0)
  })

  test('of one element shows it alone, wherever it is', async () => {
    await rig.open('/tall')
    const green = await shoot({ target: 'css=#green', format: 'png' })
    expect(green).toMatchObject({ width: 120, height: 60 })
    expect(await colorAt(green, 60, 30)).toEqual([0, 160, 0])
    const larger = await shoot({ target: 'css=#red', format: 'png' })
    expect(larger.height).toBe(1500)
    expect(await colorAt(larger, 5, 1490)).toEqual([255, 0, 0])
    await rig.open('/framed')
    const ref = /button "Inside" \[(\w+)\]/.exec((await rig.does<{ text: string }>('snapshot')).text)?.[1]
    const inside = await shoot({ target: ref, format: 'png' })
    expect(inside).toMatchObject({ width: 80, height: 40 })
    expect(await colorAt(inside, 2, 2)).toEqual([255, 0, 0])
  })

  test('with refs marks them in the picture only, and the legend says what they are', async () => {
    await rig.open('/tall')
    await rig.evaluate('noticed.length = 0')
    const { legend = [], ...picture } = await shoot({ annotate: true, format: 'png' })
    expect(legend).toEqual([
      expect.stringMatching(/^d\d+e\d+ button "Save 保存"$/),
      expect.stringMatching(/^d\d+e\d+ link "More"$/),
    ])
    expect(await colorAt(picture, 100, 300)).toEqual([0, 0, 255])
    expect(await colorAt(picture, 22, 28)).not.toEqual([0, 0, 255])
    expect(await rig.evaluate('noticed')).toEqual([])
    await rig.open('/framed')
    const framed = await shoot({ annotate: true })
    expect(framed.legend).toEqual([
      expect.stringMatching(/iframe/),
      expect.stringMatching(/^d\d+e\d+ button "Inside"$/),
    ])
    const [ref = ''] = framed.legend?.[1]?.split(' ') ?? []
    expect(await rig.does('hover', { target: ref })).toHaveProperty('verdict')
  })

  test('gives way in quality, then in size, until it fits', async () => {
    await rig.open('/noise')
    const whole = await shoot()
    const small = await shoot({ max_bytes: 20_000 })
    expect(whole.image.bytes).toBeGreaterThan(100_000)
    expect(small.image.bytes).toBeLessThanOrEqual(20_000)
    expect(small.quality).toBeLessThan(80)
    expect(small.width).toBeLessThan(whole.width)
    const png = await shoot({ max_bytes: 50_000, format: 'png' })
    expect(png.image.bytes).toBeLessThanOrEqual(50_000)
    expect((await rig.run('screenshot', { max_bytes: 1000, format: 'png' })).error?.code).toBe(
      'frame_too_large',
    )
  })

  test('is written to a new file in the form that its name says', async () => {
    await rig.open('/tall')
    const { path = '', image } = await shoot({ path: '图.png' })
    const bytes = await readFile(path)
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    expect(bytes.length).toBe(image.bytes)
    expect((await rig.run('screenshot', { path: '图.png' })).error?.code).toBe('already_exists')
  })

  test('comes along as a picture over MCP when it is asked for, and never as text', async () => {
    await rig.open('/tall')
    const { http_url: url } = await rig.product.discovery()
    const client = new Client({ name: 'test', version: '1' })
    const authorization = `Bearer ${await rig.product.token()}`
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
    await rig.open('/tall')
    expect((await rig.run('screenshot', { target: 'css=#empty' })).error?.code).toBe('element_not_ready')
  })
})
