import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Chromium } from '../support/chromium.ts'
import { rows, valid } from '../support/envelope-check.ts'
import { logInToMediaWiki, MEDIAWIKI, type MediaWiki, startMediaWiki } from '../support/mediawiki.ts'
import { type Product, startProduct } from '../support/product.ts'
import { describeNeeding } from '../support/requirement.ts'

describeNeeding(MEDIAWIKI, 'a real MediaWiki in a real browser, logged in by its own form', () => {
  let wiki: MediaWiki
  let product: Product
  let browser: Chromium

  beforeAll(async () => {
    ;[wiki, product] = await Promise.all([startMediaWiki(), startProduct()])
    expect((await product.cli('config', 'set', 'sites.mediawiki.base', wiki.url)).code).toBe(0)
    browser = await product.browser()
    const page = await browser.context.newPage()
    await logInToMediaWiki(page, wiki)
    await page.close()
  })
  afterAll(async () => {
    await product.close()
    await wiki.stop()
  })

  it('public: searches as nobody, over CLI and HTTP alike, also in Chinese', async () => {
    const cli = await product.cli('mediawiki', 'search', 'browser', '--strategy', 'public', '-f', 'json')
    expect(rows(cli.json()).map(row => row.title)).toContain('Browser')
    const http = await product.run('mediawiki.search', { query: '浏览器' }, { strategy: 'public' })
    expect(rows(http).map(row => row.title)).toContain('浏览器')
    expect(http.meta).toMatchObject({ strategy: 'public', strategy_source: 'asked' })
    expect(http.meta).not.toHaveProperty('profile')
  })

  it('cookie: is the person, although no cookie ever left the browser', async () => {
    const envelope = valid(await product.run('mediawiki.whoami'))
    expect(envelope).toMatchObject({ ok: true, data: { name: wiki.user }, meta: { strategy: 'cookie' } })
  })

  it('cookie: opens no tab', async () => {
    const before = browser.context.pages().length
    await product.run('mediawiki.watchlist', { limit: 3 })
    expect(browser.context.pages()).toHaveLength(before)
  })

  it('header: edits a page with the token that it found itself, once', async () => {
    const text = `Written by an agent 写于 ${Date.now()}`
    const edit = valid(await product.run('mediawiki.edit', { title: 'Sandbox', text, mode: 'append' }))
    expect(edit).toMatchObject({
      ok: true,
      data: { title: 'Sandbox', changed: true },
      meta: { strategy: 'header', effect: 'write' },
    })
    const page = valid(await product.run('mediawiki.page', { title: 'Sandbox' }))
    expect(String((page.data as { text: string }).text).split(text)).toHaveLength(2)
  })

  it('header: watches a page, which the watchlist then shows, and takes it off again', async () => {
    expect(await product.run('mediawiki.watch', { title: 'Agent' })).toMatchObject({
      data: { watched: true },
    })
    expect(rows(await product.run('mediawiki.watchlist')).map(row => row.title)).toContain('Agent')
    expect(await product.run('mediawiki.watch', { title: 'Agent', off: true })).toMatchObject({
      data: { watched: false },
    })
  })

  it("intercept: takes the JSON that the wiki's own page fetched", async () => {
    const actions = rows(await product.run('mediawiki.api-actions'))
    expect(actions.map(row => row.action)).toEqual(expect.arrayContaining(['edit', 'query', 'watch']))
  })

  it('ui: writes a page through its edit form and reads it back', async () => {
    const text = `通过表单写入 through the form ${Date.now()}`
    const envelope = valid(
      await product.run('mediawiki.edit-form', { title: '沙盒', text, summary: 'by hand' }),
    )
    expect(envelope).toMatchObject({ ok: true, meta: { strategy: 'ui', verdict: 'confirmed' } })
    expect((envelope.data as { text: string }).text).toContain(text)
  })

  it('auto: tells which strategy answered and why the others did not, and remembers', async () => {
    const first = valid(await product.run('mediawiki.my-edits', { limit: 2 }))
    expect(first.meta).toMatchObject({ strategy: 'cookie', strategy_source: 'probe' })
    expect(first.meta.attempts?.[0]).toMatchObject({ strategy: 'public', ok: false, code: 'auth_required' })
    expect(valid(await product.run('mediawiki.my-edits', { limit: 2 })).meta).toMatchObject({
      strategy: 'cookie',
      strategy_source: 'cache',
    })
  })

  it('leaves no tab of its own behind', async () => {
    const pages = () => browser.context.pages().filter(page => page.url().startsWith(wiki.url))
    await expect.poll(() => pages().length, { timeout: 5000 }).toBe(0)
  })

  it('answers an MCP client, which lists few tools and finds, describes and runs', async () => {
    const { http_url: url } = await product.discovery()
    const authorization = `Bearer ${await product.token()}`
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), {
        requestInit: { headers: { authorization } },
      }),
    )
    const result = await client.callTool({
      name: 'run',
      arguments: { operation: 'mediawiki.whoami', args: {} },
    })
    expect(valid(result.structuredContent)).toMatchObject({ ok: true, data: { name: wiki.user } })
    await client.close()
  })

  it('says auth_required, exit 77, when the person has logged out', async () => {
    await browser.context.clearCookies()
    const run = await product.cli('mediawiki', 'whoami', '-f', 'json')
    expect(run.code).toBe(77)
    expect(valid(run.json()).error).toMatchObject({ code: 'auth_required', class: 'auth', step: 'assert' })
    expect(await product.run('mediawiki.edit', { title: 'Sandbox', text: 'x' })).toMatchObject({
      ok: false,
      exit_code: 77,
    })
  })
})
