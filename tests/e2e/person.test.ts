import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { valid } from '../support/envelope-check.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { type Product, startProduct } from '../support/product.ts'

describe('the person at the browser', () => {
  let site: FixtureSite
  let product: Product
  let popup: Page

  beforeAll(async () => {
    ;[site, product] = await Promise.all([startFixtureSite(), startProduct()])
    const browser = await product.browser()
    popup = await browser.context.newPage()
    await popup.goto(`chrome-extension://${browser.extensionId}/popup.html`)
    await product.run('browser.navigate', { url: `${site.url}/controls` })
    await product.cli('config', 'set', 'policy.profile', 'confirm')
    // The site itself is granted; what is done there is what the person is asked about.
    const rule = 'rules: [{ decision: allow, domain: 127.0.0.1 }]\n'
    await writeFile(join(product.env.unicliHome, 'policy.yaml'), rule)
  })
  afterAll(async () => {
    await product.close()
    await site.stop()
  })

  const evaluate = (expression: string) => product.run('browser.evaluate', { expression })
  const button = (name: RegExp) => popup.getByRole('button', { name })

  it('sees what waits and lets it happen', async () => {
    const waiting = evaluate('document.title = "allowed"')
    await button(/^allow/i).click()
    expect(valid(await waiting)).toMatchObject({ ok: true, data: 'allowed' })
  })

  it('refuses, and nothing happens in the page', async () => {
    const waiting = evaluate('document.title = "refused"')
    await button(/^refuse/i).click()
    expect(valid(await waiting)).toMatchObject({
      ok: false,
      exit_code: 77,
      error: { code: 'approval_denied' },
    })
    const snapshot = valid(await product.run('browser.snapshot'))
    expect((snapshot.data as { title: string }).title).not.toBe('refused')
  })

  it('answers on another surface, and the popup no longer asks', async () => {
    const waiting = evaluate('1 + 1')
    const { approvals } = await product.status(status => status.approvals.length === 1)
    await button(/^allow/i).waitFor()
    await product.http(`/v1/approvals/${approvals[0]?.id}`, { method: 'POST', body: '{"allow":false}' })
    expect((await waiting).error?.code).toBe('approval_denied')
    await button(/^allow/i).waitFor({ state: 'detached' })
  })

  it('stops what runs', async () => {
    await product.cli('config', 'set', 'policy.profile', 'open')
    const running = product.run('browser.wait', { text: 'This never comes.' }, { timeout_ms: 60_000 })
    await button(/stop/i).click()
    expect(valid(await running).error).toMatchObject({ code: 'cancelled', details: { by: 'person' } })
  })
})
