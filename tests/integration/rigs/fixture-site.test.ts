import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Chromium, launchChromium } from '../../support/chromium.ts'
import { type FixtureSite, startFixtureSite } from '../../support/fixture-site.ts'
import { waitFor } from '../../support/processes.ts'

let site: FixtureSite

beforeEach(async () => {
  site = await startFixtureSite()
  return site.stop
})

/** A client with cookies of its own. */
async function logIn(password = site.password) {
  const form = new URLSearchParams({ user: site.user, password })
  const answer = await fetch(`${site.url}/login`, { method: 'POST', body: form, redirect: 'manual' })
  const set = answer.headers.getSetCookie()
  const cookie = set.map(line => line.split(';')[0]).join('; ')
  const csrf = cookie.match(/csrftoken=([^;]+)/)?.[1] ?? ''
  const call = (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) => fetch(site.url + path, { ...init, headers: { cookie, ...init.headers } })
  const post = (path: string, headers: Record<string, string>) =>
    call(path, { method: 'POST', headers, body: JSON.stringify({ title: `by ${path}`, body: '' }) })
  return { status: answer.status, set, csrf, call, post }
}

describe('the session of the demo site', () => {
  test('begins with the right password only, and its cookie is hidden from scripts', async () => {
    expect((await logIn('wrong')).status).toBe(401)
    const { status, set, call } = await logIn()
    expect(status).toBe(303)
    expect(set.find(line => line.startsWith('demo_session='))).toMatch(/HttpOnly; SameSite=Lax/)
    expect(set.find(line => line.startsWith('csrftoken='))).not.toContain('HttpOnly')
    expect(await (await call('/api/me')).json()).toEqual({ user: 'demo', name: 'Demo 示例' })
  })

  test('is needed for the API, and can expire', async () => {
    const stranger = await fetch(`${site.url}/api/me`)
    expect([stranger.status, await stranger.json()]).toEqual([
      401,
      { error: 'not_signed_in', message: 'Log in first.' },
    ])
    const { call } = await logIn()
    site.expireSessions()
    expect((await call('/api/notes')).status).toBe(401)
  })
})

describe('a guarded write', () => {
  test('needs the header to repeat the cookie, and is counted whether it was taken or not', async () => {
    const { csrf, post } = await logIn()
    const statuses = [
      (await post('/api/notes', {})).status,
      (await post('/api/notes', { 'x-csrf-token': 'guess' })).status,
      (await post('/api/notes', { 'x-csrf-token': csrf })).status,
    ]
    expect(statuses).toEqual([403, 403, 201])
    expect(site.count('POST', '/api/notes')).toBe(3)
    expect(site.notes().map(note => note.title)).toEqual([
      'by /api/notes',
      'Meeting <draft>',
      '购物清单',
      'Welcome',
    ])
  })

  test('with the token of the meta tag has to come from the site itself', async () => {
    const { call, post } = await logIn()
    const page = await (await call('/meta-token')).text()
    const token = page.match(/<meta name="csrf-token" content="([^"]+)">/)?.[1] ?? ''
    const good = { 'x-csrf-token': token, origin: site.url }
    expect((await post('/api/meta/notes', good)).status).toBe(201)
    expect((await post('/api/meta/notes', { ...good, origin: 'chrome-extension://abc' })).status).toBe(403)
    expect((await post('/api/meta/notes', { ...good, 'x-csrf-token': '' })).status).toBe(403)
  })

  test('takes the token of the endpoint, or a bearer token without any cookie', async () => {
    const { call, post } = await logIn()
    const { csrf_token } = await (await call('/api/csrf')).json()
    expect((await post('/api/issued/notes', { 'x-csrf-token': csrf_token })).status).toBe(201)
    const form = new URLSearchParams({ user: site.user, password: site.password })
    const issued = await fetch(`${site.url}/api/bearer/token`, { method: 'POST', body: form })
    const { access_token } = await issued.json()
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await fetch(`${site.url}/api/bearer/me`, { headers })).status).toBe(200)
    const init = { method: 'POST', headers, body: '{"title":"t"}' }
    expect((await fetch(`${site.url}/api/bearer/notes`, init)).status).toBe(201)
    expect((await fetch(`${site.url}/api/bearer/me`)).status).toBe(401)
  })
})

describe('on a bad day the site', () => {
  test('answers with login walls, limits, breakage, broken JSON, nothing, and a lot', async () => {
    const ask = async (path: string) => {
      const answer = await fetch(site.url + path)
      return {
        status: answer.status,
        type: answer.headers.get('content-type'),
        text: await answer.text(),
        answer,
      }
    }
    expect(await ask('/api/wall')).toMatchObject({ status: 200, type: expect.stringContaining('html') })
    expect((await ask('/api/limited')).answer.headers.get('retry-after')).toBe('7')
    expect((await ask('/api/broken')).status).toBe(500)
    const malformed = await ask('/api/malformed')
    expect(malformed.type).toContain('json')
    expect(() => JSON.parse(malformed.text)).toThrow(SyntaxError)
    expect((await ask('/api/empty')).text).toBe('[]')
    expect((await ask('/api/large?kib=1500')).text.length).toBeGreaterThan(1500 * 1024)
    expect((await ask('/nothing')).status).toBe(404)
  })

  test('answers late, and knows when the client did not wait', async () => {
    const patience = new AbortController()
    const arrived = site.nextRequest('GET', '/api/slow')
    const impatient = fetch(`${site.url}/api/slow?ms=60000`, { signal: patience.signal })
    const request = await arrived
    patience.abort()
    await expect(impatient).rejects.toThrow('aborted')
    await waitFor(() => request.outcome === 'aborted', { what: 'the site to see the abort' })
    expect(await (await fetch(`${site.url}/api/slow?ms=5`)).json()).toEqual({ waited_ms: 5 })
  })

  test('does the work and hangs up', async () => {
    const { csrf, post } = await logIn()
    await expect(post('/api/notes?drop=1', { 'x-csrf-token': csrf })).rejects.toThrow('fetch failed')
    expect(site.notes()[0]?.title).toBe('by /api/notes?drop=1')
  })
})

describe('in a browser', () => {
  let browser: Chromium

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  const open = async (path: string) => {
    const page = await browser.context.newPage()
    onTestFinished(() => page.close())
    await page.goto(site.url + path)
    return page
  }

  test('a person logs in, writes a note and reads it, in Chinese', async () => {
    const page = await open('/login?lang=zh')
    await page.getByLabel('用户名').pressSequentially(site.user)
    await page.getByLabel('密码').pressSequentially(site.password)
    await page.getByRole('button', { name: '登录' }).click()
    await page.getByLabel('标题').fill('<b>新</b>')
    await page.getByRole('button', { name: '保存笔记' }).click()
    await page.getByText('已保存。').waitFor()
    expect(await page.locator('.note h3').allTextContents()).toEqual([
      '<b>新</b>',
      'Meeting <draft>',
      '购物清单',
      'Welcome',
    ])
    expect(await page.evaluate(() => document.cookie)).not.toContain('demo_session')
    expect(site.count('POST', '/api/notes')).toBe(1)
  })

  test('the feed fetches one page at once and another one later', async () => {
    const page = await open('/feed')
    await page.locator('#items[aria-busy=false]').waitFor()
    expect(await page.locator('#items li').count()).toBe(10)
    const queries = site.requests
      .filter(request => request.path === '/api/items')
      .map(({ query }) => query.get('page'))
    expect(queries).toEqual(['1', '2'])
  })

  test('the bearer token is kept in localStorage', async () => {
    const page = await open('/bearer')
    await page.getByLabel('User name').fill(site.user)
    await page.getByLabel('Password').fill(site.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Signed in as Demo').waitFor()
    expect(JSON.parse((await page.evaluate(() => localStorage.getItem('auth-tokens'))) ?? '')).toMatchObject({
      token_type: 'Bearer',
    })
  })

  test('the strict page lets its own script run and no other', async () => {
    const page = await open('/strict-csp')
    await page.getByText('5 items').waitFor()
    const refused = await page.evaluate(() => {
      const script = document.createElement('script')
      try {
        script.textContent = 'window.injected = true'
        document.head.append(script)
      } catch (error) {
        return String(error)
      }
      return String(Reflect.get(window, 'injected'))
    })
    expect(refused).toContain('TrustedScript')
  })

  test('each control does what its name says', async () => {
    const page = await open('/controls')
    const events = () => page.locator('#events li').allTextContents()
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await click('Count')
    await click('Count')
    await expect(page.getByRole('button', { name: 'Covered' }).click({ timeout: 300 })).rejects.toThrow(
      'intercepts',
    )
    expect(await page.getByRole('button', { name: 'Disabled', exact: true }).isDisabled()).toBe(true)
    await click('Enable the disabled one')
    await click('Disabled')
    await click('Replace me')
    await click('Replace me')
    await click('Real clicks only')
    await click('In open shadow')
    page.once('dialog', dialog => dialog.accept())
    await click('Ask a question')
    await click('Add a button later')
    await click('Late')
    await click('Far below')
    expect(await events()).toEqual([
      ...['count 1', 'count 2', 'disabled', 'replaced', 'replaced', 'trusted'],
      ...['open shadow', 'yes', 'late', 'far'],
    ])
    await click('Go to the feed')
    await page.waitForURL('**/feed')
  })

  test('the form sends what was typed, chosen and ticked', async () => {
    const page = await open('/controls')
    await page.getByLabel('姓名').fill('李四')
    await page.getByLabel('城市').selectOption('上海')
    await page.getByLabel('订阅通知').check()
    await page.getByLabel('Large').check()
    await page.getByRole('textbox', { name: '备注' }).fill('靠窗')
    await page.getByRole('button', { name: '提交' }).click()
    await page.getByText('已保存：李四').waitFor()
    const sent = site.requests.find(request => request.path === '/api/controls')
    const person = { name: '李四', city: 'shanghai', subscribe: true, size: 'large', remark: '靠窗' }
    expect(JSON.parse(sent?.body ?? '')).toEqual(person)
  })

  test('frames of the same site, another site and no address hold live buttons', async () => {
    const page = await open('/frames')
    await page
      .frameLocator('[title="Other site"]')
      .getByRole('button', { name: 'Count', exact: true })
      .click()
    await page.frameLocator('[title="Without address"]').getByRole('button').click()
    await page.frameLocator('[title="Without address"]').getByText('Pressed').waitFor()
    expect(page.frames().map(frame => new URL(frame.url(), 'about:x').hostname)).toContain('localhost')
  })
})
