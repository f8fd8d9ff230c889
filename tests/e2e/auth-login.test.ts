import { readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Chromium } from '../support/chromium.ts'
import { findChromium } from '../support/chromium-profile.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { addAdapters } from '../support/overlay.ts'
import { type Spawned, spawnProcess } from '../support/processes.ts'
import { CLI, type Product, startProduct } from '../support/product.ts'
import { describeNeeding } from '../support/requirement.ts'

describeNeeding(
  { name: 'Chromium', available: findChromium() !== undefined },
  "logging in to a site in the person's browser",
  () => {
    let site: FixtureSite
    let product: Product
    let browser: Chromium
    beforeAll(async () => {
      ;[site, product] = await Promise.all([startFixtureSite(), startProduct()])
      browser = await product.browser()
      await product.cli('config', 'set', 'policy.profile', 'open')
      await addAdapters(product, 'notes', {
        whoami: `type: web-api
strategy: cookie
effect: read
base: ${site.url}
auth: { probe: notes.whoami, login: login }
pipeline:
  - fetch: api/me
`,
      })
    })
    afterAll(async () => {
      await product?.close()
      await site?.stop()
    })

    const login = (): Promise<Spawned> =>
      spawnProcess(process.execPath, [CLI, 'auth', 'login', 'notes', '--json'], { env: product.env.env })
    const activeTabs = async (): Promise<(string | undefined)[]> => {
      const worker = await browser.serviceWorker()
      return worker.evaluate(async () => (await chrome.tabs.query({ active: true })).map(({ url }) => url))
    }
    const status = async () => (await product.cli('auth', 'status', 'notes', '--json')).json().data
    const sessionCookie = async () =>
      (await browser.context.cookies(site.url)).find(({ name }) => name === 'demo_session')?.value ?? ''

    it('shows the login page, waits for the person, and closes the tab', async () => {
      expect(await status()).toMatchObject([{ name: 'notes', state: 'logged_out', by: 'probe' }])
      const opened = browser.context.waitForEvent('page')
      const waiting = await login()
      const page = await opened
      await page.waitForURL(`${site.url}/login`)
      await expect.poll(activeTabs).toContain(`${site.url}/login`)
      await expect.poll(() => waiting.stderr(), { timeout: 20_000 }).toContain('log in to notes')
      const closed = page.waitForEvent('close')
      await page.locator('[name=user]').fill(site.user)
      await page.locator('[name=password]').fill(site.password)
      await page.locator('[type=submit]').click()
      expect((await waiting.exited).code).toBe(0)
      expect(JSON.parse(waiting.stdout()).data).toMatchObject({
        state: 'logged_in',
        site: 'notes',
        by: 'probe',
      })
      await closed
      expect(waiting.stdout() + waiting.stderr()).not.toContain(await sessionCookie())
      expect(await status()).toMatchObject([{ name: 'notes', state: 'logged_in' }])
    })

    it('opens nothing for a person who is logged in already', async () => {
      const before = browser.context.pages().length
      expect((await product.cli('auth', 'login', 'notes', '--json')).json().data).toMatchObject({
        state: 'logged_in',
      })
      expect(browser.context.pages()).toHaveLength(before)
    })

    it('exports the cookies of the browser to a private file, and to nowhere else', async () => {
      const run = await product.cli('auth', 'export', 'notes', 'notes.json', '--json')
      const { file } = run.json().data as { file: string }
      const { cookies } = JSON.parse(readFileSync(file, 'utf8')) as {
        cookies: { name: string; value: string }[]
      }
      const secret = await sessionCookie()
      expect(cookies).toContainEqual(expect.objectContaining({ name: 'demo_session', value: secret }))
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(run.stdout + run.stderr).not.toContain(secret)
    })

    it('ends when the person closes the tab', async () => {
      site.expireSessions()
      const opened = browser.context.waitForEvent('page')
      const waiting = await login()
      const page = await opened
      await page.waitForURL(`${site.url}/login`)
      await expect.poll(() => waiting.stderr(), { timeout: 20_000 }).toContain('log in to notes')
      await page.close()
      expect((await waiting.exited).code).toBe(1)
      expect(JSON.parse(waiting.stdout()).error).toMatchObject({
        code: 'cancelled',
        message: expect.stringContaining('closed the tab'),
      })
    })
  },
)
