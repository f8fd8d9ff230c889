import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaunchedBrowsers, launchBrowsers, WAYS } from '../support/launched-browsers.ts'
import { attachment, type PageServer, startPageServer } from '../support/page-server.ts'

let browsers: LaunchedBrowsers
let site: PageServer
let folder: string

const REPORT = Buffer.from('名,数\n桥,12\n')
const PAGES = {
  '/asking': `<!doctype html><title>Asking</title><button id=say>Say</button><button id=sure>Sure</button>
    <button id=name>Name</button><output></output><script>
    const tell = text => { document.querySelector('output').textContent = text }
    say.onclick = () => { alert('已保存'); tell('said') }
    sure.onclick = () => tell('sure: ' + confirm('Really?'))
    document.querySelector('#name').onclick = () => tell('name: ' + prompt('Your name?', 'nobody'))
    window.later = () => setTimeout(() => tell('later: ' + confirm('Later?')))</script>`,
  '/opening': `<!doctype html><title>Opening</title><a id=link target=_blank href=/opened>Link</a>
    <button id=popup onclick="window.open('/opened?popup')">Popup</button>`,
  '/opened': `<!doctype html><title>Opened</title><h1>Opened</h1>`,
  '/files': `<!doctype html><title>Files</title><a id=file href=/report.csv>Report</a>
    <a id=none href=/none>Nothing</a><a id=blank target=_blank href=/report.csv>In a tab</a><a id=hop href=/hop>Over there</a>
    <a id=lost download href=/broken>Lost</a><a id=cut href=/cut>Cut short</a>
    <button id=two onclick="for (const name of ['a', 'b']) { const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob([name])); a.download = name; a.click() }">Two</button><input type=file id=field>
    <button id=made onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['made'])); a.download = 'made.txt'; a.click()">Make</button>
    <output></output><script>field.onchange = async () => {
      document.querySelector('output').textContent = field.files[0].name + ' ' + await field.files[0].text() }</script>`,
  '/tall': `<!doctype html><title>Tall</title><body style="margin:0"><button style="position:absolute;left:20px;top:40px">Save</button>
    <div style="height:1500px;background:rgb(0,0,255)"></div><div id=green style="height:60px;width:120px;background:rgb(0,160,0)"></div>`,
  '/strict': `<!doctype html><meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'unsafe-inline'; require-trusted-types-for 'script'"><title>Strict</title>`,
}

beforeAll(async () => {
  ;[browsers, site] = await Promise.all([
    launchBrowsers(),
    startPageServer({
      ...PAGES,
      '/hop': (_, response) => response.writeHead(302, { location: '/report.csv' }).end(),
      '/broken': (_, response) => response.writeHead(500).end('no'),
      '/cut': (_, response) => {
        response.writeHead(200, { 'content-disposition': 'attachment; filename=c.bin', 'content-length': 9 })
        response.write('short', () => response.destroy())
      },
      '/none': (_, response) => response.writeHead(204).end(),
      '/report.csv': attachment('报告.csv', 'text/csv', REPORT),
    }),
  ])
  folder = join(browsers.product.env.unicliHome, 'files')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, '笔记.txt'), 'notes')
})
afterAll(async () => {
  await browsers?.close()
  await site?.close()
})

describe.each(WAYS)('a browser that was %s', way => {
  const does = <T = Record<string, unknown>>(command: string, args = {}) =>
    browsers.does<T>(way, `browser.${command}`, args)
  const run = (command: string, args = {}) => browsers.run(way, `browser.${command}`, args)
  const open = (path: string) => does('navigate', { url: site.url + path })
  const evaluate = <T>(expression: string) => does<T>('evaluate', { expression })
  const told = () => evaluate<string>("document.querySelector('output').textContent")

  test('has cookies set, read and taken out, partitioned ones too', async () => {
    const { url } = site
    await does('cookie_set', { url, name: 'theme', value: 'dark', same_site: 'lax' })
    await does('cookie_set', { url, name: 'sid', value: 'geheim', http_only: true })
    expect(await does('cookies', { url, names: ['theme'], values: true })).toMatchObject([{ value: 'dark' }])
    expect(await does('cookie_delete', { url, all: true })).toEqual({
      deleted: expect.arrayContaining(['theme', 'sid']),
    })
    expect(await does('cookies', { url })).toEqual([])
    const shop = 'https://widget.example/'
    const part = { url: shop, name: 'part', value: '1', same_site: 'none', partition: 'https://shop.example' }
    expect(await does('cookie_set', part)).toMatchObject({ partition: 'https://shop.example' })
    expect(await does('cookies', { url: shop })).toMatchObject([{ partition: 'https://shop.example' }])
    expect(await does('cookie_delete', { url: shop, all: true })).toEqual({ deleted: ['part'] })
    const other = await run('cookie_set', { url, name: 'x', value: '1', domain: 'other.example' })
    expect(other.error?.code).toBe('bad_request')
  })

  test('gives its login away and takes it back', async () => {
    const origins = [site.url]
    await does('cookie_set', { url: site.url, name: 'sid', value: 'geheim', http_only: true })
    await open('/opened')
    await does('storage_set', { values: { token: 'geheim-token' } })
    expect(await does('storage_state_export', { name: way, origins })).toMatchObject({ cookies: 1 })
    await does('cookie_delete', { url: site.url, all: true })
    await does('storage_remove', { all: true })
    expect(await does('storage_state_import', { name: way })).toMatchObject({ cookies: 1, notes: [] })
    expect(await does('cookies', { url: site.url, values: true })).toMatchObject([
      { value: 'geheim', http_only: true },
    ])
    expect(await evaluate('localStorage.getItem("token")')).toBe('geheim-token')
  })

  test('is pictured: what is shown, the whole page, one element, and with refs', async () => {
    await open('/tall')
    expect(await does('screenshot', { annotate: true })).toMatchObject({
      legend: [expect.stringContaining('button "Save"')],
    })
    expect(await does('screenshot', { format: 'jpeg' })).toMatchObject({ media_type: 'image/jpeg', scale: 1 })
    expect(await does('screenshot', { full_page: true, format: 'png', scale: 0.5 })).toMatchObject({
      height: 780,
    })
    expect(await does('screenshot', { target: 'css=#green', format: 'png' })).toMatchObject({
      width: 120,
      height: 60,
    })
  })

  test('takes files into the page and gives them out', async () => {
    await open('/files')
    expect(await does('upload', { target: 'css=#field', path: '笔记.txt' })).toMatchObject({
      verdict: 'confirmed',
    })
    await does('wait', { target: 'css=output', text: '笔记.txt notes' })
    const sha256 = createHash('sha256').update(REPORT).digest('hex')
    const clicked = await does<{ path: string }>('download', { target: 'css=#file', to: way })
    expect(clicked).toMatchObject({
      path: join(folder, way, '报告.csv'),
      sha256,
      url: `${site.url}/report.csv`,
    })
    const asked = await does<{ path: string }>('download', { url: `${site.url}/report.csv`, to: way })
    expect(asked).toMatchObject({ path: join(folder, way, '报告 (2).csv'), sha256 })
    const made = await does<{ path: string }>('download', { target: 'css=#made', to: way })
    expect(await readFile(made.path, 'utf8')).toBe('made')
    expect(await does('downloads')).toEqual([])
    const gone = await run('download', { url: `${site.url}/gone.csv` })
    expect(gone.error).toMatchObject({ code: 'download_failed' })
  })

  test('says of a link at once that it led to a file, or to no page', async () => {
    await open('/files')
    for (const [target, effect] of [
      ['css=#file', 'download'],
      ['css=#none', 'network'],
    ]) {
      const began = performance.now()
      expect(await does('click', { target })).toMatchObject({ verdict: 'confirmed', effects: [effect] })
      expect(performance.now() - began).toBeLessThan(5000)
    }
  })

  test('waits for a file however a page gives it, and says why there is none', async () => {
    await open('/files')
    for (const [target, name] of [
      ['css=#blank', 'blank.csv'],
      ['css=#hop', 'hop.csv'],
      ['css=#two', 'two'],
    ]) {
      const { path } = await does<{ path: string }>('download', { target, to: way, name })
      expect(path).toBe(join(folder, way, name ?? ''))
    }
    for (const target of ['css=#lost', 'css=#cut']) {
      const began = performance.now()
      expect((await run('download', { target })).error).toMatchObject({
        code: 'download_failed',
        suggestion: expect.stringContaining('call again'),
      })
      expect(performance.now() - began).toBeLessThan(5000)
    }
    const { tabs } = await does<{ tabs: unknown[] }>('click', { target: 'css=#blank' })
    expect(tabs).toMatchObject([{ url: `${site.url}/report.csv`, closed: true }])
  })

  test('has every one of many downloads that a page begins', async () => {
    await open('/files')
    for (let nth = 0; nth < 25; nth++) {
      const { path } = await does<{ path: string }>('download', {
        target: 'css=#file',
        to: way,
        name: `${nth}.csv`,
      })
      expect(path).toBe(join(folder, way, `${nth}.csv`))
    }
  })

  test('tells what its pages ask, and answers as it is told', async () => {
    await open('/asking')
    expect(await does('click', { target: 'css=#say' })).toMatchObject({
      dialogs: [{ kind: 'alert', message: '已保存', answer: 'accepted' }],
    })
    expect(await does('click', { target: 'css=#sure', dialogs: 'accept' })).toMatchObject({
      dialogs: [{ kind: 'confirm', message: 'Really?', answer: 'accepted' }],
    })
    expect(await told()).toBe('sure: true')
    await does('dialog', { policy: 'ask' })
    await does('click', { target: 'css=#name' })
    expect((await run('click', { target: 'css=#say' })).error?.code).toBe('dialog_open')
    await does('dialog', { text: '小桥' })
    expect(await told()).toBe('name: 小桥')
    await does('dialog', { policy: 'auto' })
  })

  test('never stands still behind a dialog that comes when nobody acts', async () => {
    await open('/asking')
    await evaluate('later()')
    await does('wait', { target: 'css=output', text: 'later: false' })
  })

  test('has what its pages open, by links and by scripts', async () => {
    await open('/opening')
    const link = await does<{ tabs: { tab: string; url: string }[] }>('click', { target: 'css=#link' })
    expect(link.tabs).toMatchObject([{ url: `${site.url}/opened` }])
    const popup = await does<{ tabs: { tab: string; url: string }[] }>('click', {
      target: 'css=#popup',
      hand: 'cdp',
    })
    expect(popup).toMatchObject({ verdict: 'confirmed', tabs: [{ url: `${site.url}/opened?popup` }] })
    const tab = popup.tabs[0]?.tab
    const { data } = await browsers.run(way, 'browser.snapshot', {}, { tab })
    expect((data as { text: string }).text).toContain('Opened')
  })

  test('runs scripts, also where the page forbids eval, and says what they throw', async () => {
    await open('/strict')
    expect(await evaluate('document.title')).toBe('Strict')
    const beside = { expression: '() => [typeof window.secret, document.title]', world: 'isolated' }
    expect(await does('evaluate', beside)).toEqual(['undefined', 'Strict'])
    expect((await run('evaluate', { expression: 'nothing.here' })).error?.code).toBe('script_failed')
  })

  test('prints its page', async () => {
    await open('/tall')
    const { path } = await does<{ path: string }>('print', { to: `${way}.pdf` })
    expect((await readFile(path, 'latin1')).startsWith('%PDF-')).toBe(true)
  })
})

test.each(['history', 'bookmarks'])(
  'an attached browser has no %s for us, and the refusal says what to do',
  async what => {
    const { error } = await browsers.run('attached', `browser.${what}`)
    expect(error).toMatchObject({
      code: 'unsupported',
      suggestion: expect.stringContaining('browser launch'),
    })
  },
)
