import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActResult, Snapshot } from '../../shared/values.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer

/** What other extensions, such as password managers, do to a page: from then on no debugger comes onto its tab. */
const FOREIGN = {
  'manifest.json': JSON.stringify({
    ...{ manifest_version: 3, name: 'Foreign', version: '1' },
    content_scripts: [{ matches: ['http://127.0.0.1/*'], js: ['content.js'], run_at: 'document_idle' }],
    web_accessible_resources: [{ resources: ['frame.html'], matches: ['<all_urls>'] }],
  }),
  'frame.html': '<!doctype html><title>Foreign</title><p>Saved passwords</p>',
  'content.js': `
    const frame = document.createElement('iframe')
    frame.title = 'Foreign'
    frame.src = chrome.runtime.getURL('frame.html')
    document.body.append(frame)`,
}

const PAGE = `<!doctype html><title>Page</title><meta charset=utf-8>
  <button onclick="out.textContent = 'went ' + ++n">Go</button>
  <button onclick="out.textContent = 'deleted ' + ++n">Delete</button>
  <button onclick="if (event.isTrusted) out.textContent = 'trusted'">Wary</button>
  <label>Name <input oninput="out.textContent = 'typed ' + value"></label>
  <p id=out>nothing</p><script>let n = 0</script>`

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startPageServer({ '/': PAGE })])
  const folder = join(product.env.root, 'foreign')
  await mkdir(folder)
  for (const [name, text] of Object.entries(FOREIGN)) await writeFile(join(folder, name), text)
  await product.browser({ extensions: [folder] })
  await does('main', 'navigate', { url: site.url })
  await does('main', 'wait', { target: 'css=iframe[title=Foreign]' })
})
afterAll(async () => {
  await product?.close()
  await site?.close()
})

const { run, does } = browserCalls<ActResult>(() => product)
const button = (name: string) => `role=button[name="${name}"]`
const clicked = (name: string, args = {}) => run('main', 'click', { target: button(name), ...args })

describe("a page with another extension's frame", () => {
  test('is shown, but for what that frame holds', async () => {
    const { text } = await does<Snapshot>('main', 'snapshot')
    expect(text).toContain('button "Go"')
    expect(text).not.toContain('Saved passwords')
  })

  test('is acted on by a script', async () => {
    expect((await clicked('Go')).data).toMatchObject({ verdict: 'confirmed', hand: 'dom' })
    const typed = await does('main', 'type', { target: 'label=Name', text: '名前' })
    expect(typed).toMatchObject({ verdict: 'confirmed', value: '名前', hand: 'dom' })
  })

  test('is acted on also where the page may ask something', async () => {
    expect((await clicked('Delete')).data).toMatchObject({ verdict: 'confirmed', hand: 'dom' })
  })

  test('tells what stands in the way where only the browser’s own input would do', async () => {
    const { data } = await clicked('Wary')
    expect(data).toMatchObject({ verdict: 'unconfirmed', note: expect.stringContaining('not possible') })
    const { error } = await clicked('Wary', { hand: 'cdp' })
    expect(error).toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/debugger.*extension/i),
    })
  })

  test('tells why a dialog that it is to answer cannot be answered', async () => {
    const { error } = await clicked('Delete', { dialogs: 'accept' })
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringMatching(/debugger/i) })
  })
})
