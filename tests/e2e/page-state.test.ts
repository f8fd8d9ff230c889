import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type StateRig, startStateRig } from '../support/state-rig.ts'

let rig: StateRig
beforeAll(async () => {
  rig = await startStateRig()
})
afterAll(() => rig?.close())

describe('what the browser keeps for a site', () => {
  test('cookies are set and taken out again, and only their values are secret', async () => {
    await rig.open('/stores')
    const url = rig.site.url
    const set = await rig.does('cookie_set', {
      url,
      name: 'theme',
      value: 'geheim-wert',
      same_site: 'lax',
      path: '/stores',
    })
    expect(set).toMatchObject({ name: 'theme', path: '/stores', same_site: 'lax', expires: null })
    expect(JSON.stringify(set)).not.toContain('geheim-wert')
    await rig.does('cookie_set', { url, name: 'other', value: '2' })
    const own = `${url}/stores`
    expect(await rig.does('cookies', { url: own, names: ['theme'], values: true })).toMatchObject([
      { value: 'geheim-wert' },
    ])
    expect(await rig.evaluate('document.cookie')).toContain('theme=geheim-wert')
    expect(await rig.does('cookie_delete', { url: own, names: ['theme'] })).toEqual({ deleted: ['theme'] })
    expect(await rig.does('cookie_delete', { url: own, all: true })).toEqual({ deleted: ['other'] })
    expect(await rig.does('cookies', { url: own })).toEqual([])
    expect(
      (await rig.run('cookie_set', { url, name: 'x', value: 'geheim-wert', domain: 'other.example' })).error
        ?.code,
    ).toBe('bad_request')
    const { stdout } = await rig.product.cli('runs', 'list', '--json')
    expect(stdout).not.toContain('geheim-wert')
  })

  test('a cookie that is partitioned is set, seen and taken out as one', async () => {
    const url = 'https://widget.example/'
    const cookie = { url, name: 'part', value: '1', same_site: 'none', partition: 'https://shop.example' }
    expect(await rig.does('cookie_set', cookie)).toMatchObject({ partition: 'https://shop.example' })
    expect(await rig.does('cookies', { url })).toMatchObject([
      { name: 'part', partition: 'https://shop.example' },
    ])
    expect(await rig.does('cookie_delete', { url, all: true })).toEqual({ deleted: ['part'] })
  })

  test('local and session storage are written and cleared', async () => {
    await rig.open('/stores')
    expect(await rig.does('storage_set', { values: { 语言: '中文', theme: 'light' } })).toEqual({
      removed: 0,
      set: 2,
      kept: 2,
    })
    expect(await rig.evaluate("localStorage.getItem('语言')")).toBe('中文')
    expect(await rig.does('storage_remove', { area: 'session', all: true })).toMatchObject({
      removed: 1,
      kept: 0,
    })
    expect(await rig.does('storage_remove', { keys: ['theme'] })).toMatchObject({ removed: 1, kept: 1 })
  })

  test('IndexedDB is read: databases, stores, rows', async () => {
    await rig.open('/stores')
    await rig.does('wait', { text: 'ready' })
    expect(await rig.does('indexeddb')).toEqual([
      {
        name: 'app 库',
        version: 3,
        stores: [{ name: 'notes', rows: 30, key_path: 'id', indexes: ['byDay'] }],
      },
    ])
    const rows = await rig.does('indexeddb', { database: 'app 库', store: 'notes', limit: 2, skip: 3 })
    const row = {
      id: 4,
      text: '笔记 4',
      day: '1970-01-01T00:00:00.000Z',
      file: '[text/plain 3 bytes]',
      big: '[10n]',
    }
    expect(rows).toEqual({ total: 30, rows: [{ key: 4, value: row }, expect.objectContaining({ key: 5 })] })
    expect((await rig.run('indexeddb', { database: 'none' })).error?.code).toBe('not_found')
  })

  test('a row of IndexedDB that leads back to itself in many ways holds nobody up', async () => {
    await rig.open('/stores')
    await rig.evaluate(`(async () => {
      const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt'])
      const knot = { n: 1, key }, twins = Array.from({ length: 5 }, () => ({})), knots = []
      knot.self = knot
      for (const twin of twins) twin.all = twins
      for (let i = 0; i < 20; i++) knots.push(Array.from({ length: 20 }, () => knots.at(-1)))
      await new Promise((done, fail) => {
        const open = indexedDB.open('knots', 1)
        open.onupgradeneeded = () => { const s = open.result.createObjectStore('s', { autoIncrement: true }); for (const row of [knot, twins, knots]) s.put(row) }
        open.onsuccess = () => { open.result.close(); done() }
        open.onerror = () => fail(open.error)
      })
    })()`)
    const found = await rig.does<{ rows: { value: unknown }[] }>('indexeddb', {
      database: 'knots',
      store: 's',
    })
    expect(found.rows[0]?.value).toEqual({ n: 1, key: '[CryptoKey]', self: '[circular]' })
    expect(found.rows[1]?.value).toMatchObject([{ all: '[circular]' }, {}, {}, {}, {}])
    expect(JSON.stringify(found.rows[2]?.value)).toContain('[…]')
    expect(await rig.evaluate('1 + 1')).toBe(2)
  })

  test('a person who is careful is asked before cookies change', async () => {
    const { stdout } = await rig.product.cli(
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
    await rig.open('/article')
    const whole = await rig.does<Record<string, unknown>>('markdown')
    expect(whole).toMatchObject({ title: 'The bridge 桥', url: `${rig.site.url}/article` })
    expect(whole.markdown).toContain(`[stone](${rig.site.url}/b0)`)
    const article = await rig.does<{ markdown: string }>('markdown', { article: true, links: true })
    expect(article.markdown).not.toContain('Imprint')
    expect(article.markdown).toContain('Paragraph 11')
    const short = await rig.does<{ markdown: string; tokens: number; more_tokens: number }>('markdown', {
      max_tokens: 100,
      links: false,
    })
    expect(short.tokens).toBeLessThanOrEqual(100)
    expect(short.markdown).not.toContain('](')
    expect(short.more_tokens).toBeGreaterThan(100)
    expect((await rig.does<{ markdown: string }>('markdown', { target: 'css=ul' })).markdown).toBe(
      '-   one\n-   two',
    )
  })

  test('runs functions with arguments, in its own world or beside it', async () => {
    await rig.open('/article')
    const call = { expression: 'async ({ name }, times) => name.repeat(times)', args: [{ name: '桥' }, 3] }
    expect(await rig.does('evaluate', call)).toBe('桥桥桥')
    await rig.evaluate('window.secret = 1; document.title = "changed"')
    const beside = { expression: '() => [typeof window.secret, document.title]', world: 'isolated' }
    expect(await rig.does('evaluate', beside)).toEqual(['undefined', 'changed'])
    expect((await rig.run('evaluate', { expression: 'nothing.here', world: 'isolated' })).error?.code).toBe(
      'script_failed',
    )
  })

  test.each([
    ['page', '({ a: 1n })', 'it ran to its end, but'],
    ['page', 'window', 'it ran to its end, but'],
    ['isolated', '(() => { const a = {}; a.a = a; return a })()', 'it ran to its end, but'],
    ['isolated', 'Symbol("x")', 'it ran to its end, but'],
    ['page', 'Promise.reject(Object.create(null))', '{}'],
    ['page', 'Promise.reject({ toString() { throw 1 }, toJSON() { throw 2 } })', 'nothing can be told'],
    ['page', 'Promise.reject({ code: "E_X", message: "too late" })', 'too late'],
    ['page', 'Promise.reject({ code: 7 })', '{"code":7}'],
  ])('tells in the %s world of %s what is wrong with it', async (world, expression, told) => {
    const { error } = await rig.run('evaluate', { expression, world })
    expect(error).toMatchObject({ code: 'script_failed', message: expect.stringContaining(told) })
  })

  test('is measured by what the browser kept of its loading', async () => {
    await rig.open('/article')
    const found = await rig.does<Record<string, unknown>>('metrics')
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
    await rig.open('/tall', 'moves')
    await rig.open('/article', 'moves')
    expect(await rig.does('back', {}, 'moves')).toMatchObject({
      url: `${rig.site.url}/tall`,
      title: 'Tall 高',
    })
    expect(await rig.does('forward', {}, 'moves')).toMatchObject({ title: 'The bridge 桥' })
    await rig.evaluate("history.pushState(1, '', '#chapter')", 'moves')
    expect(await rig.does('back', {}, 'moves')).toMatchObject({ url: `${rig.site.url}/article` })
    await rig.evaluate('window.kept = 1', 'moves')
    expect(await rig.does('reload', { bypass_cache: true }, 'moves')).toMatchObject({
      url: `${rig.site.url}/article`,
    })
    expect(await rig.evaluate('typeof window.kept', 'moves')).toBe('undefined')
    expect(await rig.does('info', {}, 'moves')).toMatchObject({
      url: `${rig.site.url}/article`,
      session: 'moves',
      tabs: 1,
    })
    await rig.open('/tall', 'fresh')
    expect((await rig.run('back', {}, 'fresh')).error?.code).toBe('not_found')
  })
})

describe('a tab that takes its device for another', () => {
  const SEEN = `[innerWidth, devicePixelRatio, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
    matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion: reduce)').matches,
    navigator.userAgent.includes('iPhone'), 'ontouchstart' in window]`

  test('keeps to it over pages until it is reset', async () => {
    await rig.open('/surroundings', 'phone')
    const real = await rig.evaluate(SEEN, 'phone')
    const geolocation = { latitude: 35.68, longitude: 139.69 }
    const rest = {
      locale: 'ja-JP',
      timezone: 'Asia/Tokyo',
      color_scheme: 'dark',
      reduced_motion: true,
      geolocation,
    }
    await rig.does('emulate', { device: 'iphone-15', ...rest }, 'phone')
    await rig.open('/surroundings?again', 'phone')
    const expected = [expect.any(Number), 3, 'ja-JP', 'Asia/Tokyo', true, true, true, true]
    expect(await rig.evaluate(SEEN, 'phone')).toEqual(expected)
    expect(rig.site.requests.at(-1)?.headers).toMatchObject({
      'accept-language': expect.stringMatching(/^ja-JP/),
    })
    expect(await rig.does('info', {}, 'phone')).toMatchObject({ emulated: { locale: 'ja-JP' } })
    expect(await rig.does('emulate', { reset: true }, 'phone')).toMatchObject({ emulated: {} })
    await rig.open('/surroundings?real', 'phone')
    expect(await rig.evaluate(SEEN, 'phone')).toEqual(real)
  })
})

describe('where the person was', () => {
  test.each(['history', 'bookmarks'])('is not read without their leave: %s', async command => {
    const { error } = await rig.run(command, { text: 'bridge' })
    expect(error).toMatchObject({ code: 'browser_permission_missing', details: { permission: command } })
    expect(error?.suggestion).toContain('options page')
  })
})

describe('a login', () => {
  test('goes from one profile into another, encrypted, and in the form of Playwright when asked', async () => {
    const other = await startOwnBrowser(rig.product, 'other')
    onTestFinished(() => other.close())
    const inProfile = async <T>(command: string, args: Record<string, unknown>, { profile }: OwnBrowser) => {
      const options = { profile: profile.id }
      const { data, error } = await rig.product.run(`browser.${command}`, args, options)
      expect(error).toBeNull()
      return data as T
    }
    const origins = [rig.site.url]
    await inProfile(
      'cookie_set',
      { url: rig.site.url, name: 'sid', value: 'geheim-sid', http_only: true },
      rig.browser,
    )
    await inProfile('navigate', { url: `${rig.site.url}/surroundings` }, rig.browser)
    await inProfile('storage_set', { values: { token: 'geheim-token', length: '数' } }, rig.browser)
    const deep = { url: rig.site.url, name: 'deep', value: '1', path: '/deep' }
    await inProfile('cookie_set', deep, rig.browser)

    const kept = await inProfile('storage_state_export', { name: 'work', origins }, rig.browser)
    expect(kept).toMatchObject({ name: 'work', encrypted: true, cookies: 2 })
    const sealed = await readFile(`${rig.product.env.unicliHome}/secrets/sealed.json`, 'utf8')
    expect(JSON.stringify(kept) + sealed).not.toContain('geheim')

    expect(await inProfile('storage_state_import', { name: 'work' }, other)).toMatchObject({
      cookies: 2,
      notes: [],
    })
    const cookie = { url: rig.site.url, names: ['sid'], values: true }
    expect(await inProfile('cookies', cookie, other)).toMatchObject([
      { value: 'geheim-sid', http_only: true },
    ])
    await inProfile('navigate', { url: `${rig.site.url}/surroundings` }, other)
    expect(await inProfile('evaluate', { expression: 'localStorage.getItem("token")' }, other)).toBe(
      'geheim-token',
    )
    expect(await inProfile('evaluate', { expression: 'localStorage.getItem("length")' }, other)).toBe('数')

    const plain = await inProfile<{ file: string; notes: string[] }>(
      'storage_state_export',
      { file: 'login.json', origins },
      other,
    )
    expect(plain.notes.join(' ')).toContain('not encrypted')
    const state = JSON.parse(await readFile(plain.file, 'utf8'))
    expect(state).toMatchObject({
      cookies: expect.arrayContaining([
        expect.objectContaining({ name: 'sid', httpOnly: true }),
        expect.objectContaining({ name: 'deep', path: '/deep' }),
      ]),
      origins: [{ origin: rig.site.url }],
    })
    await inProfile('cookie_delete', { url: rig.site.url, all: true }, rig.browser)
    expect(await inProfile('storage_state_import', { file: 'login.json' }, rig.browser)).toMatchObject({
      cookies: 2,
    })
    expect(await inProfile('cookies', cookie, rig.browser)).toMatchObject([{ value: 'geheim-sid' }])
    expect(await inProfile('storage_state_forget', { name: 'work' }, rig.browser)).toEqual({
      name: 'work',
      forgot: true,
    })
  })
})
