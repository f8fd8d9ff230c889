import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActResult } from '../../shared/values.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { attachment, type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

// The tab lies in the background of a browser that nobody automates, as a person's own does.
let product: Product
let site: PageServer
let browser: OwnBrowser
let folder: string
/** 100 go through as well; that takes a while. */
const LARGE_MB = Number(process.env.UNICLI_TEST_UPLOAD_MB ?? 12)

const load = createRequire(import.meta.url).resolve
const SORTABLE = readFileSync(load('sortablejs/Sortable.min.js'), 'utf8')
const DROPZONE = readFileSync(join(load('dropzone'), '..', 'dropzone-min.js'), 'utf8')
const REPORT = Buffer.from('名,数\n桥,12\n')

const FIELDS = `<!doctype html><meta charset=utf-8><title>Fields</title>
<label>Photo <input type=file id=photo style="display:none"></label><input type=file multiple id=many aria-label=Many>
<button id=choose>Choose a file</button><input type=file id=chosen hidden><output></output>
<script>
  const sizes = files => [...files].map(file => file.name + ':' + file.size).join(',')
  document.querySelector('#choose').onclick = () => chosen.click()
  for (const field of document.querySelectorAll('input')) field.onchange = async () => {
    const digest = await crypto.subtle.digest('SHA-256', await field.files[0].arrayBuffer())
    const hex = [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')
    document.querySelector('output').textContent = field.id + ' ' + sizes(field.files) + ' ' + hex
  }
</script>`
const ZONE = `<!doctype html><meta charset=utf-8><title>Zone</title><form id=zone action=/take></form>
<script src=/dropzone.js></script><script>Dropzone.autoDiscover = false; new Dropzone('#zone')</script>`
const SORTED = `<!doctype html><meta charset=utf-8><title>Sorted</title><ul id=list><li>一</li><li>二</li><li>三</li></ul>
<script src=/sortable.js></script><script>new Sortable(list)</script>`
const PAPER = `<!doctype html><meta charset=utf-8><title>纸/页</title><a id=file href=/report.csv>Report</a>
<a id=gone href=/gone.csv download>Gone</a><a id=none href=/none>None</a><div id=editor contenteditable style="height:40px"></div><output></output>
<p style="break-before: page">Second page</p><p style="break-before: page">Third page</p>
<script>addEventListener('paste', event => {
  const [file] = event.clipboardData.files
  if (file === undefined) return
  event.preventDefault()
  document.querySelector('output').textContent = 'pasted ' + file.name + ' ' + file.type + ' ' + file.size
})</script>`

const script = (text: string) => (_: unknown, response: import('node:http').ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/javascript' }).end(text)

beforeAll(async () => {
  ;[product, site] = await Promise.all([
    startProduct(),
    startPageServer({
      ...{ '/fields': FIELDS, '/zone': ZONE, '/sorted': SORTED, '/paper': PAPER, '/take': 'taken' },
      ...{ '/sortable.js': script(SORTABLE), '/dropzone.js': script(DROPZONE) },
      '/none': (_, response) => response.writeHead(204).end(),
      '/report.csv': attachment('报告.csv', 'text/csv', REPORT),
    }),
  ])
  folder = join(product.env.unicliHome, 'files')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, '照片.png'), 'not really a picture')
  await writeFile(join(folder, 'notes.txt'), 'notes')
  browser = await startOwnBrowser(product, 'files')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

const { run, does } = browserCalls<ActResult>(() => product, 30_000)

const shows = (session: string, text: string) =>
  does<unknown>(session, 'wait', { target: 'css=output', text })
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe('files for the page', () => {
  beforeAll(() => does<unknown>('fields', 'navigate', { url: `${site.url}/fields` }))

  test('go into a hidden field by its label, and are read back', async () => {
    const result = await does('fields', 'upload', { target: 'css=#photo', path: '照片.png' })
    expect(result).toMatchObject({ verdict: 'confirmed', value: '照片.png (20 bytes)' })
    await shows('fields', 'photo 照片.png:20')
  })

  test('go several into one field where it takes several, and not where it does not', async () => {
    const paths = ['照片.png', 'notes.txt']
    expect(await does('fields', 'upload', { target: 'label=Many', paths })).toMatchObject({
      verdict: 'confirmed',
      value: '照片.png (20 bytes), notes.txt (5 bytes)',
    })
    const { error } = await run('fields', 'upload', { target: 'css=#photo', paths })
    expect(error?.message).toContain('the field takes one file, not 2')
  })

  test('go where a button would open the chooser', async () => {
    const result = await does('fields', 'upload', { target: 'css=#choose', path: 'notes.txt' })
    expect(result).toMatchObject({ verdict: 'confirmed', value: 'notes.txt (5 bytes)' })
    await shows('fields', 'chosen notes.txt:5')
  })

  test('lie in granted folders alone', async () => {
    const { error } = await run('fields', 'upload', { target: 'css=#photo', path: '/etc/hostname' })
    expect(error?.code).toBe('path_not_granted')
  })

  test('may be large: they go through in pieces', async () => {
    const size = LARGE_MB * 1024 * 1024
    const handle = await open(join(folder, 'large.bin'), 'w')
    await handle.truncate(size)
    await handle.write('end', size - 3)
    await handle.close()
    const args = { target: 'css=#photo', path: 'large.bin' }
    const result = await does('fields', 'upload', args, { timeout_ms: 240_000 })
    expect(result).toMatchObject({ verdict: 'confirmed', value: `large.bin (${size} bytes)` })
    await shows('fields', sha256(await readFile(join(folder, 'large.bin'))))
    const { pid } = await product.discovery()
    const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    expect(Number(peak)).toBeLessThan(400_000)
  }, 300_000)

  test('are dropped into the drop zone of a library, which sends them', async () => {
    await does<unknown>('zone', 'navigate', { url: `${site.url}/zone` })
    const sent = site.nextRequest('/take')
    const result = await does('zone', 'upload', { target: 'css=#zone', path: '照片.png' })
    expect(result).toMatchObject({ verdict: 'confirmed', value: '照片.png (20 bytes)' })
    expect((await sent).body).toContain('not really a picture')
  })
})

describe('a list that a person would sort by dragging', () => {
  test('is sorted in a tab in the background', async () => {
    await does<unknown>('sorted', 'navigate', { url: `${site.url}/sorted` })
    expect(await does('sorted', 'drag', { target: 'text=一', to: 'text=三' })).toMatchObject({
      verdict: 'confirmed',
      value: 'item 1 is now item 3',
    })
    expect(await does('sorted', 'evaluate', { expression: 'list.innerText' })).toBe('二\n三\n一')
  })
})

describe('files from the page', () => {
  beforeAll(() => does<unknown>('paper', 'navigate', { url: `${site.url}/paper` }))

  test('are downloaded by a click into a granted folder, with their names', async () => {
    const got = await does<Record<string, unknown>>('paper', 'download', { target: 'css=#file' })
    expect(got).toMatchObject({
      path: join(folder, '报告.csv'),
      bytes: REPORT.byteLength,
      sha256: sha256(REPORT),
      url: `${site.url}/report.csv`,
    })
    const again = await does<{ path: string }>('paper', 'download', { url: `${site.url}/report.csv` })
    expect(again.path).toBe(join(folder, '报告 (2).csv'))
    expect(await does('paper', 'downloads', { query: 'report.csv' })).toEqual([])
  })

  test('are what a click on a link comes to, and an answer without a page is another thing', async () => {
    // Of a second file within one tab the browser asks the person first.
    await does<unknown>('link', 'navigate', { url: `${site.url}/paper` })
    const clicked = (target: string) => does<ActResult>('link', 'click', { target }, { timeout_ms: 8000 })
    expect(await clicked('css=#file')).toMatchObject({ verdict: 'confirmed', effects: ['download'] })
    expect(await clicked('css=#none')).toMatchObject({ verdict: 'confirmed', effects: ['network'] })
  })

  test('say why they did not come', async () => {
    const { error } = await run('paper', 'download', { url: `${site.url}/gone.csv` })
    expect(error).toMatchObject({ code: 'download_failed' })
    expect(error?.message).toContain('the server has no such file')
  })

  test('are printed as a PDF', async () => {
    const printed = await does<{ path: string; bytes: number }>('paper', 'print', { ranges: '1-2' })
    expect(printed.path).toBe(join(folder, '纸_页.pdf'))
    expect((await stat(printed.path)).size).toBe(printed.bytes)
    const text = await readFile(printed.path, 'latin1')
    expect(text.startsWith('%PDF-')).toBe(true)
    expect(/\/Count (\d+)/.exec(text)?.[1]).toBe('2')
  })
})

describe('a paste', () => {
  test('puts rich text into an editor and gives pictures to the page', async () => {
    const html = '<b>桥</b> bridge'
    expect(await does('paper', 'paste', { target: 'css=#editor', html, text: '桥 bridge' })).toMatchObject({
      verdict: 'confirmed',
    })
    expect(await does('paper', 'html', { target: 'css=#editor' })).toContain('<b>桥</b>')
    expect(await does('paper', 'paste', { path: '照片.png' })).toMatchObject({ verdict: 'confirmed' })
    await shows('paper', 'pasted 照片.png image/png 20')
  })
})
