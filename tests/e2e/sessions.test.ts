import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import type { ActResult } from '../../shared/values.ts'
import { evaluateIn, openTab } from '../support/cdp.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { waitFor } from '../support/processes.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let browser: OwnBrowser
/** A page of the extension: by it the tests see and do what a person does with tabs and groups. */
let panel: string
/** The tab that the person has in front. */
let person: string

const OPENER = `
  <a target=_blank href=/popup?link>Link</a>
  <a target=_blank rel=opener href=/popup?known>Known</a>
  <button onclick="window.open('/popup?script')">Script</button>
  <button onclick="window.open('/popup?stranger', '_blank', 'noopener')">Stranger</button>
  <button onclick="window.open('/popup?window', '', 'width=300,height=200')">Window</button>
  <button onclick="setTimeout(() => window.open('/popup?late'), 900); document.title = 'Clicked'">Late</button>`

beforeAll(async () => {
  const page = (title: string, body: string) => `<!doctype html><title>${title}</title>${body}`
  site = await startPageServer({
    '/one': page('One', '<button>One</button>'),
    '/two': page('Two', '<button>Two</button>'),
    '/three': page('三', '<button>三</button>'),
    '/opener': page('Opener', OPENER),
    '/popup': page('Popup', '<button onclick="opener?.postMessage(1); window.close()">Done</button>'),
    '/person': page(
      'Mine',
      '<script>seen = []; addEventListener("visibilitychange", () => seen.push(1))</script>',
    ),
  })
  product = await startProduct('policy: { profile: open }\napprovals: { over_http: true }\n')
  // What a page opens without a trusted click is blocked; here it is not, as on sites that the person lets open windows.
  browser = await startOwnBrowser(product, 'sessions', { args: ['--disable-popup-blocking'] })
  panel = await openTab(browser.cdp, `chrome-extension://${EXTENSION_ID}/popup.html`)
  person = await openTab(browser.cdp, `${site.url}/person`)
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

const TIMEOUT_MS = 20_000

/** Runs an operation of the browser and gives its data. @param where `work`, or `work/t2` for one tab of it */
async function does<T = unknown>(
  where: string,
  command: string,
  args: Record<string, unknown> = {},
): Promise<T> {
  const { data, error } = await asked(where, command, args)
  expect(error).toBeNull()
  return data as T
}

function asked(where: string, command: string, args: Record<string, unknown> = {}) {
  const [session, tab] = where.split('/')
  return product.run(`browser.${command}`, args, { session, tab, timeout_ms: TIMEOUT_MS })
}

const title = (where: string): Promise<unknown> => does(where, 'evaluate', { expression: 'document.title' })

describe('a session of several tabs', () => {
  test('acts on its current tab, and on another one where that is named', async () => {
    expect(await does('many', 'navigate', { url: `${site.url}/one` })).toMatchObject({ tab: 't1' })
    expect(await does('many', 'tab_new', { url: `${site.url}/two` })).toMatchObject({
      tab: 't2',
      title: 'Two',
      current: true,
    })
    expect(await title('many')).toBe('Two')
    expect(await title('many/t1')).toBe('One')
    expect(await does('many/t1', 'snapshot')).toMatchObject({ title: 'One' })
    expect(await does('many/t1', 'click', { target: 'role=button' })).toMatchObject({ title: 'One' })
    expect(await does('many', 'tabs')).toEqual([
      { tab: 't1', session: 'many', url: `${site.url}/one`, title: 'One' },
      { tab: 't2', session: 'many', url: `${site.url}/two`, title: 'Two', current: true },
    ])
  })

  test('is told with --tab on the command line which one is meant', async () => {
    const { stdout } = await product.cli(
      ...['browser', 'evaluate', 'document.title', '--session', 'many', '--tab', 't1', '-f', 'json'],
    )
    expect(JSON.parse(stdout)).toMatchObject({ data: 'One' })
  })

  test('takes another tab for its current one, by argument or by option', async () => {
    expect(await does('many', 'tab_select', { tab: 't1' })).toMatchObject({ tab: 't1', current: true })
    expect(await title('many')).toBe('One')
    expect(await does('many/t2', 'tab_select')).toMatchObject({ tab: 't2' })
    expect(await title('many')).toBe('Two')
  })

  test('closes one tab and never gives its id again', async () => {
    expect(await does('many', 'close', { tab: 't2' })).toEqual({ closed: 1 })
    expect(await title('many')).toBe('One')
    expect(await does('many', 'tab_new', { url: `${site.url}/three` })).toMatchObject({
      tab: 't3',
      title: '三',
    })
    const gone = await asked('many/t2', 'snapshot')
    expect(gone.error).toMatchObject({ code: 'tab_gone', message: expect.stringContaining('many/t2') })
  })

  test('knows nothing of the tabs of another session', async () => {
    await does('other', 'navigate', { url: `${site.url}/two` })
    expect((await asked('other/t3', 'snapshot')).error).toMatchObject({ code: 'tab_gone' })
    expect((await asked('other/t3', 'close')).error).toMatchObject({ code: 'tab_gone' })
    expect(await does('other', 'tabs')).toMatchObject([{ tab: 't1', title: 'Two' }])
    expect(await does('many', 'tabs')).toMatchObject([{ tab: 't1' }, { tab: 't3' }])
  })

  test.each(['constructor', 'toString', '研究 📚'])('may be called %s', async name => {
    await does(name, 'navigate', { url: `${site.url}/one` })
    expect(await does(name, 'tabs')).toMatchObject([{ tab: 't1', title: 'One' }])
    expect(await does(name, 'session_end')).toEqual({ closed: 1 })
  })

  test.each(['__proto__', ' ', 'a\nb', ''])('is not called %j, which the refusal says', async session => {
    const { error } = await product.run('browser.navigate', { url: `${site.url}/one` }, { session })
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('options.session') })
    expect(await title('many')).not.toBe('')
  })

  test('is not named as if it were a tab', async () => {
    const { error } = await product.run('browser.tabs', {}, { session: 'many/t2' })
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('tab') })
  })
})

/** Evaluates in a page of the extension, which may use the browser's own functions. */
const inPanel = <T>(expression: string): Promise<T> => evaluateIn<T>(browser.cdp, panel, expression)

/** Title of the tab in front of the person's window. */
const inFront = (): Promise<string> =>
  inPanel("chrome.tabs.query({ active: true, windowType: 'normal' }).then(([tab]) => tab.title)")

const tabWithTitle = (wanted: string): string =>
  `chrome.tabs.query({}).then(all => all.find(tab => tab.title === ${JSON.stringify(wanted)}))`

describe('what a tab of a session opens', () => {
  const opened = async (name: string): Promise<ActResult> =>
    does('popups', 'click', { target: `text=${name}` })

  test.each([
    ['Link', 'link'],
    ['Known', 'known'],
    ['Script', 'script'],
    ['Stranger', 'stranger'],
    ['Window', 'window'],
  ])('is told of in the answer of the act and can be used at once: %s', async (name, query) => {
    await does('popups', 'navigate', { url: `${site.url}/opener` })
    const result = await opened(name)
    const url = `${site.url}/popup?${query}`
    expect(result).toMatchObject({
      verdict: 'confirmed',
      tabs: [{ tab: expect.stringMatching(/^t\d+$/), url }],
    })
    expect(result.effects).toContain('tab')
    const [tab] = result.tabs ?? []
    expect(await title(`popups/${tab?.tab}`)).toBe('Popup')
    expect(await title('popups')).toBe('Opener')
    await waitFor(async () => (await inFront()) === 'Mine', { what: "the person's tab in front" })
  })

  test('is never seen by the person where a link opens it', async () => {
    await evaluateIn(browser.cdp, person, 'void (seen.length = 0)')
    await does('popups', 'navigate', { url: `${site.url}/opener` })
    await opened('Link')
    expect(await evaluateIn(browser.cdp, person, 'seen')).toEqual([])
  })

  test('is adopted also when it comes after the answer', async () => {
    await does('popups', 'navigate', { url: `${site.url}/opener` })
    await opened('Late')
    const late = () =>
      does<{ url: string }[]>('popups', 'tabs').then(all => all.find(({ url }) => url.endsWith('?late')))
    await waitFor(late, { what: 'the late tab among those of the session' })
    await waitFor(async () => (await inFront()) === 'Mine', { what: "the person's tab in front" })
  })

  test('may close itself, which is what the act has done', async () => {
    await does('popups', 'navigate', { url: `${site.url}/opener` })
    const [tab] = (await opened('Script')).tabs ?? []
    const closed = await does(`popups/${tab?.tab}`, 'click', { target: 'role=button' })
    expect(closed).toMatchObject({ verdict: 'confirmed', effects: ['closed'] })
    expect(await title('popups')).toBe('Opener')
  })
})

describe('a lease', () => {
  test('is listed, changed, and closes the tabs when nobody has used the session for so long', async () => {
    await does('short', 'navigate', { url: `${site.url}/three` })
    const listed = await does<{ session: string }[]>('short', 'sessions')
    expect(listed.find(({ session }) => session === 'short')).toMatchObject({
      profile: expect.any(String),
      tabs: [{ tab: 't1', title: '三' }],
      lease_minutes: 30,
    })
    await does('short', 'session_keep', { minutes: 1 / 30 })
    await waitFor(() => inPanel(`${tabWithTitle('三')}.then(tab => tab?.groupId !== undefined)`), {
      what: 'the tab',
    })
    const gone = async () =>
      !(await does<{ session: string }[]>('other', 'sessions')).some(({ session }) => session === 'short')
    await waitFor(gone, { what: 'the end of the session' })
    expect((await asked('short', 'snapshot')).error).toMatchObject({ code: 'tab_gone' })
  })

  test('is not over while something goes on in the session', async () => {
    await does('waiting', 'navigate', { url: `${site.url}/one` })
    await does('waiting', 'session_keep', { minutes: 1 / 60 })
    const wait = { url: '/two' }
    const going = does('waiting', 'wait', wait)
    const later = "void setTimeout(() => location.assign('/two'), 2500)"
    await does('waiting', 'evaluate', { expression: later })
    expect(await going).toMatchObject({ url: `${site.url}/two` })
    expect(await does('waiting', 'session_end')).toEqual({ closed: 1 })
    expect(await does('waiting', 'tabs')).toEqual([])
  })
})

describe('the group of a session', () => {
  const groupOf = (wanted: string): Promise<{ title: string; collapsed: boolean } | null> =>
    inPanel(
      `${tabWithTitle(wanted)}.then(({ groupId }) => groupId < 0 ? null : chrome.tabGroups.get(groupId))`,
    )

  test('has its name and a colour, and lies open', async () => {
    await does('分组', 'navigate', { url: `${site.url}/two?g` })
    await does('分组', 'evaluate', { expression: "document.title = 'Grouped'" })
    const group = await waitFor(() => groupOf('Grouped'), { what: 'the group' })
    expect(group).toMatchObject({ title: 'unicli: 分组', collapsed: false })
  })

  test('lends a tab that the person drags into it, which is given back at the end', async () => {
    await openTab(browser.cdp, `${site.url}/one?lent`)
    // What happens to a tab that is younger than a second counts as the browser's doing, not the person's.
    await inPanel(`new Promise(done => setTimeout(done, 1100))
      .then(() => Promise.all([${tabWithTitle('Grouped')}, chrome.tabs.query({ url: '*://*/one?lent' })]))
      .then(([{ groupId }, [{ id }]]) => chrome.tabs.group({ groupId, tabIds: id }))`)
    const lent = () =>
      does<{ tab: string; url: string }[]>('分组', 'tabs').then(all =>
        all.find(tab => tab.url.endsWith('lent')),
      )
    const { tab } = await waitFor(lent, { what: 'the lent tab' })
    expect(await title(`分组/${tab}`)).toBe('One')
    expect(await does('分组', 'session_end')).toEqual({ closed: 1 })
    const [left] = await inPanel<{ groupId: number }[]>("chrome.tabs.query({ url: '*://*/one?lent' })")
    expect(left?.groupId).toBe(-1)
  })

  test('loses a tab that the person drags out of it, which stays open', async () => {
    await does('taken', 'navigate', { url: `${site.url}/two?t` })
    await does('taken', 'evaluate', { expression: "document.title = 'Taken'" })
    await waitFor(() => groupOf('Taken'), { what: 'the group' })
    await inPanel(`${tabWithTitle('Taken')}.then(({ id }) => chrome.tabs.ungroup(id))`)
    await waitFor(async () => (await does<unknown[]>('taken', 'tabs')).length === 0, {
      what: 'the loss of the tab',
    })
    expect((await asked('taken', 'snapshot')).error).toMatchObject({ code: 'tab_gone' })
    await does('taken', 'session_end')
    expect(await inPanel(tabWithTitle('Taken'))).toMatchObject({ title: 'Taken' })
  })
})

describe("a tab of the person's", () => {
  const answered = async (reply: string): Promise<string> => {
    const { approvals } = await product.status(status => status.approvals.length > 0)
    const [waiting] = approvals
    await product.http(`/v1/approvals/${waiting?.id}`, {
      method: 'POST',
      body: JSON.stringify({ allow: true, reply }),
    })
    return waiting?.text ?? ''
  }

  test('is lent only when the person says so, and stays untouched afterwards', async () => {
    const before = await inFront()
    const asking = does('guest', 'attach', { url: '*/person' })
    expect(await answered('lend it')).toContain('“Mine”')
    expect(await asking).toMatchObject({ title: 'Mine', current: true })
    expect(await title('guest')).toBe('Mine')
    expect(await does('guest', 'close')).toEqual({ closed: 0 })
    expect((await asked('guest', 'snapshot')).error).toMatchObject({ code: 'tab_gone' })
    expect(await inFront()).toBe(before)
  })

  test('is not told of when the person keeps it, nor when there is none', async () => {
    const asking = asked('guest', 'attach', { title: 'Mine' })
    await answered('keep it')
    const kept = await asking
    expect(kept.error?.code).toBe('not_found')
    expect((await asked('guest', 'attach', { title: 'no such tab' })).error).toEqual(kept.error)
  })
})

describe('a tab that the browser has put away', () => {
  test('is loaded again when it is discarded', async () => {
    const before = await inFront()
    await does('asleep', 'navigate', { url: `${site.url}/two?asleep` })
    const discarded = await inPanel(
      "chrome.tabs.query({ url: '*://*/two?asleep' }).then(([{ id }]) => chrome.tabs.discard(id)).then(tab => tab.discarded)",
    )
    expect(discarded).toBe(true)
    expect(await does('asleep', 'snapshot')).toMatchObject({ text: expect.stringContaining('Two') })
    expect(await does('asleep', 'click', { target: 'role=button' })).toMatchObject({ title: 'Two' })
    expect(await inFront()).toBe(before)
  })
})
