import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { browserCalls } from '../support/browser-calls.ts'
import { evaluateIn, openTab } from '../support/cdp.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { waitFor } from '../support/processes.ts'
import { type Product, startProduct } from '../support/product.ts'
import { startXvfb, type Xvfb } from '../support/xvfb.ts'

/** What the person's own page notices of being left, covered or squeezed, and of anything put into it. */
const DETECTOR = `<!doctype html><title>Mine</title><script>
  seen = []
  for (const name of ['focus', 'blur', 'resize', 'pagehide', 'freeze'])
    addEventListener(name, event => seen.push(event.type))
  document.addEventListener('visibilitychange', () => seen.push(document.visibilityState))
  new MutationObserver(records => seen.push('mutation of ' + records[0].target.nodeName))
    .observe(document, { subtree: true, childList: true, attributes: true })
</script><p>mine`

/** What a page can see of us in its own document: attributes and globals that are not its own. */
const MARKS = `(() => {
  const attributes = [...document.querySelectorAll('*')].flatMap(one => one.getAttributeNames())
  const ours = /unicli|__|data-ref/i
  return {
    attributes: attributes.filter(name => ours.test(name)),
    globals: Object.keys(window).filter(name => ours.test(name)),
  }
})()`

let screen: Xvfb
let product: Product
let site: FixtureSite
let detector: PageServer
let browser: OwnBrowser
let panel: string
let person: string

beforeAll(async () => {
  ;[screen, product, site, detector] = await Promise.all([
    startXvfb(),
    startProduct(),
    startFixtureSite(),
    startPageServer({
      '/mine': DETECTOR,
      '/other': '<!doctype html><title>Other</title>other',
      '/links': '<!doctype html><title>Links</title><a target=_blank href=/other>Out</a>',
    }),
  ])
  browser = await startOwnBrowser(product, 'manners', { headless: false, env: { DISPLAY: screen.display } })
  panel = await openTab(browser.cdp, `chrome-extension://${EXTENSION_ID}/popup.html`)
  await openTab(browser.cdp, `${detector.url}/other?person`)
  person = await openTab(browser.cdp, `${detector.url}/mine`)
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.stop()
  await detector?.close()
  await screen?.stop()
})

const inPanel = <T>(expression: string): Promise<T> => evaluateIn<T>(browser.cdp, panel, expression)

const { does } = browserCalls(() => product, 30_000)

/** The person's tabs as they are: nothing of them may change. */
const PERSONS = `chrome.tabs.query({}).then(all => all
  .filter(({ groupId }) => groupId < 0)
  .map(({ id, url, index, active, pinned, windowId }) => ({ id, url, index, active, pinned, windowId })))`

/** Ten operations of every kind in a session. */
async function round(session: string, n: number): Promise<void> {
  await does(session, 'navigate', { url: `${site.url}/controls?n=${n}` })
  await does(session, 'snapshot', { interactive: true })
  await does(session, 'type', { target: 'label=姓名', text: `王${n}` })
  await does(session, 'select_option', { target: 'label=城市', option: '上海' })
  await does(session, 'check', { target: 'label=订阅通知' })
  await does(session, 'hover', { target: 'role=button[name="Count"]' })
  await does(session, 'click', { target: 'role=button[name="Count"]' })
  await does(session, 'scroll', { direction: 'bottom' })
  await does(session, 'press', { key: 'End' })
  await does(session, 'evaluate', { expression: 'document.title' })
}

/** Ten more, of tabs and of what they open. */
async function roundOfTabs(session: string): Promise<void> {
  await does(session, 'tab_new', { url: `${detector.url}/links` })
  await does(session, 'click', { target: 'text=Out' })
  const tabs = await does<{ tab: string; url: string }[]>(session, 'tabs')
  const opened = tabs.find(({ url }) => url === `${detector.url}/other`)
  await does(session, 'tab_select', { tab: opened?.tab })
  await does(session, 'screenshot')
  await does(session, 'snapshot')
  await does(session, 'close')
  await does(session, 'sessions')
  await does(session, 'html', { target: 'css=body' })
  await does(session, 'session_end')
}

test('two hundred operations in background sessions are noticed by nobody', async () => {
  await inPanel(`void (
    seen = [],
    chrome.tabs.onActivated.addListener(() => seen.push('activated')),
    chrome.windows.onFocusChanged.addListener(() => seen.push('focus of a window')),
    chrome.windows.onCreated.addListener(() => seen.push('a window')),
    chrome.windows.onBoundsChanged.addListener(() => seen.push('bounds of a window'))
  )`)
  await evaluateIn(browser.cdp, person, 'void (seen.length = 0)')
  const before = await inPanel(PERSONS)
  const lane = async (session: string, rounds: number): Promise<void> => {
    for (let n = 1; n <= rounds; n += 1) await round(session, n)
    expect(await does(session, 'evaluate', { expression: MARKS })).toEqual({
      attributes: [],
      globals: [],
    })
  }
  await Promise.all([lane('左', 9), lane('right', 9)])
  await roundOfTabs('左')
  await roundOfTabs('right')
  expect(await inPanel('seen')).toEqual([])
  expect(await inPanel(PERSONS)).toEqual(before)
  const off = () =>
    inPanel<boolean>(
      'chrome.debugger.getTargets().then(all => all.every(one => !one.attached || one.type !== "page" || !one.url.startsWith("http")))',
    )
  await waitFor(off, { what: 'the debugger off every page', timeoutMs: 10_000 })
  const noticed = await evaluateIn<string[]>(browser.cdp, person, 'seen')
  // The bar by which the browser itself tells of its debugger takes room of every page while it is there.
  expect(noticed.filter(name => name !== 'resize')).toEqual([])
})
