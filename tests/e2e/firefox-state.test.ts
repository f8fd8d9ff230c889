import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FIREFOX } from '../support/firefox.ts'
import { type FirefoxRig, startFirefoxRig } from '../support/firefox-rig.ts'
import { startPageServer } from '../support/page-server.ts'
import { describeNeeding } from '../support/requirement.ts'

const PAGES = {
  '/tall': `<!doctype html><meta charset=utf-8><title>Tall 高</title><body style="margin:0">
    <button style="position:absolute;left:20px;top:40px">Save 保存</button>
    <div style="height:1500px;background:rgb(0,0,255)"></div>
    <div id=green style="height:60px;width:120px;background:rgb(0,160,0)"></div>
    <div style="height:1500px;background:rgb(255,0,0)"></div>
    <script>noticed = []; for (const name of ['resize', 'scroll', 'focus', 'blur', 'visibilitychange'])
      addEventListener(name, () => noticed.push(name), true)</script>`,
  '/noise': `<!doctype html><title>Noise</title><body style="margin:0"><canvas id=c width=600 height=400></canvas><script>
    const x = c.getContext('2d'), d = x.createImageData(600, 400)
    let n = 7; for (let i = 0; i < d.data.length; i++) { n = Math.imul(n, 1103515245) + 12345; d.data[i] = i % 4 === 3 ? 255 : (n >>> 16) & 255 }
    x.putImageData(d, 0, 0)</script>`,
  '/article': `<!doctype html><title>The bridge 桥</title><nav><a href=/>Home</a></nav><article><h1>The bridge</h1>${Array.from(
    { length: 12 },
    (_, at) =>
      `<p>Paragraph ${at}: a bridge of <a href=/b${at}>stone</a> crosses the river. 桥跨越河流。</p>`,
  ).join('')}</article><footer>Imprint</footer>`,
  '/stores': `<!doctype html><title>Stores</title><body><script>
    localStorage.setItem('theme', 'dark'); sessionStorage.setItem('step', '2')
    const open = indexedDB.open('app 库', 3)
    open.onupgradeneeded = () => { const s = open.result.createObjectStore('notes', { keyPath: 'id' })
      for (let id = 1; id <= 30; id++) s.add({ id, text: '笔记 ' + id, file: new Blob(['abc'], { type: 'text/plain' }), big: 10n }) }
    open.onsuccess = () => { open.result.close(); document.body.append('ready') }</script>`,
}

interface Picture {
  image: { blob: string; media_type: string; bytes: number }
  width: number
  height: number
  scale: number
  quality: number | null
  legend?: string[]
}

let rig: FirefoxRig

describeNeeding(FIREFOX, 'state, pictures and texts of pages in Firefox', () => {
  beforeAll(async () => {
    rig = await startFirefoxRig(startPageServer(PAGES))
  })
  afterAll(() => rig?.close())

  const does = <T = Record<string, unknown>>(command: string, args: Record<string, unknown> = {}) =>
    rig.does<T>('main', `browser.${command}`, args)
  const evaluate = <T>(expression: string) => rig.evaluate<T>('main', expression)

  test('cookies are set, read and taken out, partitioned ones too; a refusal repeats no value', async () => {
    await rig.open('main', '/stores')
    const { url } = rig.site
    const set = { url, name: 'theme', value: 'geheim-wert', same_site: 'lax', path: '/stores' }
    expect(await does('cookie_set', set)).toMatchObject({
      name: 'theme',
      path: '/stores',
      same_site: 'lax',
      expires: null,
    })
    const own = `${url}/stores`
    expect(await does('cookies', { url: own, names: ['theme'], values: true })).toMatchObject([
      { value: 'geheim-wert' },
    ])
    expect(await evaluate('document.cookie')).toBe('theme=geheim-wert')
    expect(await does('cookie_delete', { url: own, names: ['theme'] })).toEqual({ deleted: ['theme'] })
    const refused = await rig.run('main', 'browser.cookie_set', { ...set, domain: 'other.example' })
    expect(refused.error?.code).toBe('bad_request')
    expect(JSON.stringify(refused)).not.toContain('geheim-wert')
    const widget = 'https://widget.example/'
    const partition = 'https://shop.example'
    await does('cookie_set', { url: widget, name: 'part', value: '1', same_site: 'none', partition })
    expect(await does('cookies', { url: widget })).toMatchObject([{ name: 'part', partition }])
    expect(await does('cookie_delete', { url: widget, all: true })).toEqual({ deleted: ['part'] })
  })

  test('storage is read and written, and IndexedDB is read', async () => {
    await does('wait', { text: 'ready' })
    await does('storage_set', { values: { 语言: '中文' } })
    expect(await does('storage', { values: true })).toEqual([
      { key: 'theme', chars: 4, value: 'dark' },
      { key: '语言', chars: 2, value: '中文' },
    ])
    expect(await does('storage', { area: 'session', values: true })).toMatchObject([
      { key: 'step', value: '2' },
    ])
    expect(await does('storage_remove', { keys: ['语言'] })).toMatchObject({ removed: 1, kept: 1 })
    expect(await does('indexeddb')).toMatchObject([
      { name: 'app 库', version: 3, stores: [{ name: 'notes', rows: 30 }] },
    ])
    const value = { id: 4, text: '笔记 4', file: '[text/plain 3 bytes]', big: '[10n]' }
    expect(await does('indexeddb', { database: 'app 库', store: 'notes', limit: 1, skip: 3 })).toEqual({
      total: 30,
      rows: [{ key: 4, value }],
    })
  })

  test('a storage state is exported sealed and in the clear, and imported after all was lost', async () => {
    const { url } = rig.site
    const origins = [url]
    await does('cookie_set', { url, name: 'sid', value: 'geheim-sid', http_only: true })
    await does('storage_set', { values: { token: 'geheim-token' } })
    expect(await does('storage_state_export', { name: 'work', origins })).toMatchObject({
      encrypted: true,
      cookies: 1,
    })
    const plain = await does<{ file: string }>('storage_state_export', { file: 'login.json', origins })
    expect(JSON.parse(await readFile(plain.file, 'utf8'))).toMatchObject({
      cookies: [{ name: 'sid', httpOnly: true }],
      origins: [{ origin: url }],
    })
    await does('cookie_delete', { url, all: true })
    await does('storage_remove', { all: true })
    expect(await does('storage_state_import', { name: 'work' })).toMatchObject({ cookies: 1, notes: [] })
    expect(await does('cookies', { url, values: true })).toMatchObject([
      { name: 'sid', value: 'geheim-sid', http_only: true },
    ])
    await rig.open('main', '/article')
    expect(await evaluate('localStorage.getItem("token")')).toBe('geheim-token')
  })

  test('a page is Markdown within a budget, and its own world answers what is evaluated', async () => {
    const article = await does<{ markdown: string }>('markdown', { article: true })
    expect(article.markdown).toContain(`[stone](${rig.site.url}/b11)`)
    expect(article.markdown).not.toContain('Imprint')
    const short = await does<{ tokens: number; more_tokens: number }>('markdown', { max_tokens: 100 })
    expect(short.tokens).toBeLessThanOrEqual(100)
    expect(short.more_tokens).toBeGreaterThan(100)
    await evaluate('window.own = { deep: [1, "二"] }')
    expect(await evaluate('Promise.resolve(own)')).toEqual({ deep: [1, '二'] })
    expect(
      await does('evaluate', { expression: '(el, n) => el.textContent + n', target: 'css=h1', args: [7] }),
    ).toBe('The bridge7')
    const { error } = await rig.run('main', 'browser.evaluate', { expression: 'missing.thing' })
    expect(error).toMatchObject({ code: 'script_failed', message: expect.stringContaining('ReferenceError') })
  })

  const shoot = (args: Record<string, unknown> = {}) => does<Picture>('screenshot', args)
  /** The colour at a point of a picture, decoded by the browser. */
  const colorAt = async ({ image }: Picture, x: number, y: number): Promise<number[]> => {
    const bytes = await (await rig.product.http(`/v1/evidence/${image.blob}`)).arrayBuffer()
    const url = `data:${image.media_type};base64,${Buffer.from(bytes).toString('base64')}`
    return await evaluate(`(async () => {
      const bitmap = await createImageBitmap(await (await fetch(${JSON.stringify(url)})).blob())
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      context.drawImage(bitmap, 0, 0)
      return [...context.getImageData(${x}, ${y}, 1, 1).data.slice(0, 3)]
    })()`)
  }

  test('pictures show the viewport, the whole page or one element, and a hidden page notices nothing', async () => {
    await rig.open('main', '/tall')
    const [width, height] = await evaluate<[number, number]>('[innerWidth, innerHeight]')
    for (const format of ['jpeg', 'webp', 'png']) {
      const picture = await shoot({ format })
      expect(picture).toMatchObject({ width, height, scale: 1, image: { media_type: `image/${format}` } })
    }
    const { legend } = await shoot({ annotate: true })
    expect(legend).toEqual([expect.stringMatching(/^d\d+e\d+ button "Save 保存"$/)])
    const whole = await shoot({ full_page: true, format: 'png', scale: 0.5 })
    expect(whole.height).toBe(1530)
    expect(await colorAt(whole, 10, 1500)).toEqual([255, 0, 0])
    expect(await evaluate('[noticed, scrollY, document.visibilityState]')).toEqual([[], 0, 'hidden'])
    const green = await shoot({ target: 'css=#green', format: 'png' })
    expect(green).toMatchObject({ width: 120, height: 60 })
    expect(await colorAt(green, 60, 30)).toEqual([0, 160, 0])
  })

  test('a picture gives way in quality, then in size, until it fits', async () => {
    await rig.open('main', '/noise')
    const [loose, tight, tiny] = [
      await shoot({ format: 'jpeg' }),
      await shoot({ format: 'jpeg', max_bytes: 80_000 }),
      await shoot({ format: 'png', max_bytes: 20_000 }),
    ]
    expect(loose.quality).toBe(80)
    expect(tight.image.bytes).toBeLessThanOrEqual(80_000)
    expect(tight.quality).toBeLessThan(80)
    expect(tiny.image.bytes).toBeLessThanOrEqual(20_000)
    expect(tiny.scale).toBeLessThan(1)
  })
})
