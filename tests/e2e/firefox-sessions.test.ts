import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActResult } from '../../shared/values.ts'
import { FIREFOX } from '../support/firefox.ts'
import { type FirefoxRig, startFirefoxRig } from '../support/firefox-rig.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { describeNeeding } from '../support/requirement.ts'

const page = (title: string, body = '') => `<!doctype html><meta charset=utf-8><title>${title}</title>${body}`
const PAGES = {
  '/counter': page('Counter', '<button onclick="this.textContent = ++n">0</button><script>n = 0</script>'),
  '/opener': page('Opener', '<a target=_blank href=/popup?link>Link</a>'),
  '/popup': page('Popup', '<button onclick="window.close()">Done</button>'),
  '/to-other': (_: unknown, response: ServerResponse) =>
    void response.writeHead(302, { location: `${other.url}/away` }).end(),
  '/mine': page(
    'Mine',
    '<script>seen = []; addEventListener("visibilitychange", () => seen.push(1))</script>',
  ),
}

let rig: FirefoxRig
/** Of another site: the person grants one of the two. */
let other: PageServer

describeNeeding(FIREFOX, 'sessions and grants in Firefox', () => {
  beforeAll(async () => {
    // Nothing is granted before the person says so, for whom the tests speak without a terminal.
    ;[rig, other] = await Promise.all([
      startFirefoxRig(startPageServer(PAGES), 'approvals: { over_http: true }\n'),
      startPageServer({ '/away': page('Away'), '/': page('Other') }),
    ])
  })
  afterAll(async () => {
    await rig?.close()
    await other?.close()
  })

  const grants = async (word: 'allow' | 'deny', { url }: PageServer): Promise<void> => {
    const { code, stderr } = await rig.product.cli('grants', word, new URL(url).host)
    expect(code, stderr).toBe(0)
  }
  /** Nobody is there to be asked: who has to ask gets no answer in time. */
  const asked = (operation: string, args: Record<string, unknown>, session = 'guest') =>
    rig.product.run(operation, args, { session, timeout_ms: 800 })
  const codeOf = async (operation: string, args: Record<string, unknown> = {}, session = 'guest') =>
    (await asked(operation, args, session)).error?.code

  test('a site that was never granted gets not one request, whatever is asked of it', async () => {
    const { url } = rig.site
    for (const [operation, args] of [
      ['browser.navigate', { url: `${url}/counter` }],
      ['browser.tab_new', { url: `${url}/counter` }],
      ['browser.cookies', { url }],
      ['browser.cookie_set', { url, name: 'a', value: 'b' }],
    ] as const)
      expect(await codeOf(operation, args), operation).toBe('approval_required')
    expect(rig.site.requests).toEqual([])
    expect(await rig.does('guest', 'browser.tabs')).toEqual([])
  })

  test('a site that was granted is used, and no word of it holds for where it leads', async () => {
    await grants('allow', rig.site)
    await rig.open('guest', '/counter')
    expect(await rig.does('guest', 'browser.click', { target: 'role=button' })).toMatchObject({
      verdict: 'confirmed',
    })
    const arrived = other.nextRequest('/away')
    await rig.evaluate('guest', `void setTimeout(() => location.assign('${other.url}/away'))`)
    await arrived
    expect(await codeOf('browser.wait', { url: '/away' })).toBe('approval_required')
    for (const [operation, args] of [
      ['browser.html', {}],
      ['browser.screenshot', {}],
      ['browser.evaluate', { expression: "fetch('/touched')" }],
    ] as const)
      expect(await codeOf(operation, args), operation).toBe('approval_required')
    expect(other.requests.map(({ path }) => path)).not.toContain('/touched')
  })

  test('a redirect to a site that the person refuses is judged again before anything is read there', async () => {
    await grants('deny', other)
    // The browser itself follows the redirect; what it led to is told by its address alone.
    await asked('browser.navigate', { url: `${rig.site.url}/to-other` })
    expect(await codeOf('browser.snapshot')).toBe('site_refused')
    expect(await codeOf('browser.html')).toBe('site_refused')
    const { data } = await rig.run('guest', 'network.list', { assets: true })
    expect(JSON.stringify(data)).not.toContain(`${other.url}/away`)
    await rig.does('guest', 'browser.session_end')
  })

  test('two sessions work side by side in tabs of their own, and neither sees those of the other', async () => {
    const sessions = ['left', 'right']
    await Promise.all(sessions.map(session => rig.open(session, `/counter?${session}`)))
    const clicks = (session: string, count: number) =>
      Array.from({ length: count }, () =>
        rig.does<ActResult>(session, 'browser.click', { target: 'role=button' }),
      )
    await Promise.all([...clicks('left', 2), ...clicks('right', 3)])
    const shown = (session: string) => rig.evaluate(session, '[location.search, n]')
    expect(await Promise.all(sessions.map(shown))).toEqual([
      ['?left', 2],
      ['?right', 3],
    ])
    expect(await rig.does('left', 'browser.tabs')).toMatchObject([{ tab: 't1', current: true }])
    const { error } = await rig.run('left/t2', 'browser.snapshot')
    expect(error?.code).toBe('tab_gone')
    expect(await rig.does('left', 'browser.session_end')).toEqual({ closed: 1 })
    expect(await shown('right')).toEqual(['?right', 3])
  })

  test('a link to a new tab is opened in the background as the tab of the session, and tabs are named', async () => {
    await rig.open('tabs', '/opener')
    const clicked = await rig.does<ActResult>('tabs', 'browser.click', { target: 'text=Link' })
    expect(clicked).toMatchObject({ effects: expect.arrayContaining(['tab']), tabs: [{ tab: 't2' }] })
    await rig.does('tabs/t2', 'browser.wait', { text: 'Done' })
    expect(await rig.evaluate('tabs/t2', 'document.visibilityState')).toBe('hidden')
    expect(await rig.evaluate('tabs/t1', 'document.title')).toBe('Opener')
    expect(await rig.does('tabs', 'browser.close', { tab: 't2' })).toEqual({ closed: 1 })
    expect(await rig.does('tabs', 'browser.tabs')).toMatchObject([{ tab: 't1' }])
  })

  test("a tab of the person's stays in front and is nobody's, whatever sessions do", async () => {
    const mine = await rig.firefox.openTab(`${rig.site.url}/mine`)
    const looks = () => rig.firefox.evaluate(mine, '[document.visibilityState, document.title, seen]')
    expect(await looks()).toEqual(['visible', 'Mine', []])
    await rig.open('beside', '/counter')
    await rig.does('beside', 'browser.click', { target: 'role=button' })
    await rig.does('beside', 'browser.screenshot')
    expect(JSON.stringify(await rig.does('beside', 'browser.sessions'))).not.toContain('/mine')
    expect(JSON.stringify((await rig.run('beside', 'network.list', { assets: true })).data)).not.toContain(
      '/mine',
    )
    await rig.does('beside', 'browser.session_end')
    expect(await looks()).toEqual(['visible', 'Mine', []])
  })
})
