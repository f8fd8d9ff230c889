import { expect } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import { type OwnBrowser, startOwnBrowser } from './own-browser.ts'
import { type PageServer, startPageServer } from './page-server.ts'
import { type Product, startProduct } from './product.ts'

/** A person's browser with the product, and pages whose state is known. */
export interface StateRig {
  product: Product
  site: PageServer
  browser: OwnBrowser
  /** Runs an operation of the browser. */
  run(command: string, args?: Record<string, unknown>, session?: string): Promise<Envelope>
  /** The same, for what is expected to succeed; gives its data. */
  does<T = unknown>(command: string, args?: Record<string, unknown>, session?: string): Promise<T>
  /** Loads one of the pages. */
  open(path: string, session?: string): Promise<unknown>
  evaluate<T>(expression: string, session?: string): Promise<T>
  close(): Promise<void>
}

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

export async function startStateRig(): Promise<StateRig> {
  const [product, site] = await Promise.all([startProduct(), startPageServer(PAGES)])
  const browser = await startOwnBrowser(product, 'own')
  const run: StateRig['run'] = (command, args = {}, session = 'main') =>
    product.run(`browser.${command}`, args, { session })
  const does = async <T>(command: string, args: Record<string, unknown> = {}, session = 'main') => {
    const { data, error } = await run(command, args, session)
    expect(error).toBeNull()
    return data as T
  }
  return {
    ...{ product, site, browser, run, does },
    open: (path, session) => does('navigate', { url: site.url + path }, session),
    evaluate: (expression, session) => does('evaluate', { expression }, session),
    close: async () => {
      await browser.close()
      await product.close()
      await site.close()
    },
  }
}
