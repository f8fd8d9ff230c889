import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCookieFiles } from '../../../companion/state/cookies.ts'
import { openHttpCache } from '../../../companion/state/http-cache.ts'
import { createHttpFactory } from '../../../companion/substrates/http/factory.ts'
import type { Envelope } from '../../../shared/envelope.ts'
import { type KernelRig, makeKernelRig } from '../../support/kernel-rig.ts'
import { MEDIAWIKI, type MediaWiki, startMediaWiki } from '../../support/mediawiki.ts'
import { describeNeeding } from '../../support/requirement.ts'

/**
 * The public, cookie and header strategies of the MediaWiki adapters on real MediaWiki, without a browser: the
 * person's cookies come from the file that they exported. The browser strategies are tested end to end.
 */
describeNeeding(MEDIAWIKI, 'adapters on real MediaWiki', () => {
  let wiki: MediaWiki
  let stranger: KernelRig
  let person: KernelRig

  beforeAll(async () => {
    wiki = await startMediaWiki()
    const cookies = await logIn(wiki)
    stranger = await rigFor(wiki)
    person = await rigFor(wiki)
    mkdirSync(join(person.home, 'cookies'))
    writeFileSync(join(person.home, 'cookies', 'mediawiki.json'), JSON.stringify({ cookies }), {
      mode: 0o600,
    })
  })
  afterAll(async () => {
    await Promise.all([stranger?.close(), person?.close()])
    await wiki?.stop()
  })

  it('searches as nobody', async () => {
    const found = await stranger.run('mediawiki.search', { query: 'browser', limit: 5 })
    expect(rows(found)).toContainEqual(
      expect.objectContaining({ title: 'Browser', snippet: expect.stringMatching(/^A browser shows/) }),
    )
    expect(found.meta).toMatchObject({ strategy: 'public', strategy_source: 'probe', effect: 'read' })
    const again = await stranger.run('mediawiki.search', { query: '浏览器' })
    expect(rows(again).map(row => row.title)).toContain('浏览器')
    expect(again.meta.strategy_source).toBe('cache')
  })

  it('gives no rows where the wiki itself says that it found none', async () => {
    expect(await stranger.run('mediawiki.search', { query: 'qqqqqq' })).toMatchObject({
      ok: true,
      data: [],
    })
  })

  it('reads a page with a name that needs escaping', async () => {
    const page = await stranger.run('mediawiki.page', { title: 'Page with "quotes" & ampersands' })
    expect(page.data).toMatchObject({
      title: 'Page with "quotes" & ampersands',
      text: expect.stringContaining('<nowiki><b>not bold</b></nowiki>'),
      user: 'Admin',
    })
  })

  it('tells a missing page from a failure of the wiki', async () => {
    const missing = await stranger.run('mediawiki.page', { title: 'No such page' }, { strategy: 'public' })
    expect(missing.error).toMatchObject({
      code: 'not_found',
      message: 'The page "No such page" was not found.',
    })
  })

  it('lists recent changes', async () => {
    const changes = rows(await stranger.run('mediawiki.recent-changes', { limit: 3 }))
    expect(changes).toHaveLength(3)
    expect(changes[0]).toMatchObject({ kind: 'new', user: 'Admin', time: expect.stringMatching(/Z$/) })
  })

  it('knows whose cookies it has', async () => {
    expect((await person.run('mediawiki.whoami')).data).toMatchObject({
      name: 'Admin',
      groups: expect.arrayContaining(['sysop']),
    })
  })

  it.each([
    ['mediawiki.whoami', {}],
    ['mediawiki.watchlist', {}],
    ['mediawiki.edit', { title: 'Sandbox', text: 'x' }],
    ['mediawiki.watch', { title: 'Sandbox' }],
  ])('wants a login for %s, and changes nothing without one', async (operation, args) => {
    // Cookies of nobody: there is a file, so no browser is asked for, but no session in it.
    mkdirSync(join(stranger.home, 'cookies'), { recursive: true })
    writeFileSync(join(stranger.home, 'cookies', 'mediawiki.json'), '[]', { mode: 0o600 })
    const refused = await stranger.run(operation, args)
    expect(refused.error).toMatchObject({ code: 'auth_required', class: 'auth' })
    expect(refused.exit_code).toBe(77)
    const page = await stranger.run('mediawiki.page', { title: 'Sandbox' }, { strategy: 'public' })
    expect(page.data).not.toMatchObject({ text: 'x' })
  })

  it('finds the strategy by itself when the first is refused, and goes straight to it the next time', async () => {
    const first = await person.run('mediawiki.my-edits', { limit: 3 })
    expect(first.meta).toMatchObject({ strategy: 'cookie', strategy_source: 'probe' })
    expect(first.meta.attempts).toMatchObject([
      { strategy: 'public', ok: false, code: 'auth_required' },
      { strategy: 'cookie', ok: true },
    ])
    expect(rows(first)).toHaveLength(3)
    expect((await person.run('mediawiki.my-edits')).meta.strategy_source).toBe('cache')
  })

  it('writes a page with the token that it finds, and reads it back', async () => {
    const written = await person.run('mediawiki.edit', {
      title: 'Written by adapter',
      text: 'First line.',
      summary: 'by a test',
    })
    expect(written.data).toMatchObject({ title: 'Written by adapter', changed: true })
    expect(written.meta).toMatchObject({ strategy: 'header', effect: 'write' })
    await person.run('mediawiki.edit', {
      title: 'Written by adapter',
      text: '\nSecond + line & more.',
      mode: 'append',
    })
    const page = await person.run('mediawiki.page', { title: 'Written by adapter' })
    expect(page.data).toMatchObject({ text: 'First line.\nSecond + line & more.' })
    const same = await person.run('mediawiki.edit', {
      title: 'Written by adapter',
      text: 'First line.\nSecond + line & more.',
    })
    expect(same.data).toMatchObject({ changed: false })
  })

  it('does not write over what somebody else wrote in the meantime', async () => {
    const before = await person.run('mediawiki.edit', { title: 'Contended', text: 'one' })
    const revision = Number(isRow(before.data) ? before.data.revision : 0)
    await person.run('mediawiki.edit', { title: 'Contended', text: 'two' })
    const late = await person.run('mediawiki.edit', {
      title: 'Contended',
      text: 'three',
      base_revision: revision,
    })
    expect(late.error).toMatchObject({
      code: 'assertion_failed',
      message: expect.stringContaining('Edit conflict'),
    })
    expect((await person.run('mediawiki.page', { title: 'Contended' })).data).toMatchObject({ text: 'two' })
  })

  it('watches a page and stops watching it', async () => {
    expect((await person.run('mediawiki.watch', { title: 'Agent' })).data).toEqual({
      title: 'Agent',
      watched: true,
    })
    const watched = rows(await person.run('mediawiki.watchlist', { limit: 50 }))
    expect(watched.map(row => row.title)).toContain('Agent')
    expect((await person.run('mediawiki.watch', { title: 'Agent', off: true })).data).toEqual({
      title: 'Agent',
      watched: false,
    })
  })

  it('refuses a title that would name two pages', async () => {
    expect((await person.run('mediawiki.watch', { title: 'Agent|Browser' })).error?.code).toBe('invalid_args')
  })
})

async function rigFor(wiki: MediaWiki): Promise<KernelRig> {
  const rig = await makeKernelRig({
    http: (home, log) =>
      createHttpFactory({
        tokens: { token: () => Promise.reject(new Error('no service is signed in to here')) },
        cookies: openCookieFiles({ folder: join(home, 'cookies'), log }),
        cache: openHttpCache({ folder: join(home, 'cache'), maxBytes: 10_000_000, log }),
        agent: 'unicli-test',
      }),
  })
  rig.config.set('sites.mediawiki.base', wiki.url)
  return rig
}

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function rows(envelope: Envelope): Record<string, unknown>[] {
  if (!Array.isArray(envelope.data)) throw new Error(`no rows: ${JSON.stringify(envelope.error)}`)
  return envelope.data.filter(isRow)
}

/** Logs in through the wiki's own API and gives the cookies as an exporter of a browser would. */
async function logIn(wiki: MediaWiki): Promise<unknown[]> {
  const jar = new Map<string, string>()
  const api = async (fields: Record<string, string>): Promise<Record<string, unknown>> => {
    const response = await fetch(`${wiki.apiUrl}?format=json&formatversion=2`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return (await response.json()) as Record<string, unknown>
  }
  const { query } = await api({ action: 'query', meta: 'tokens', type: 'login' })
  const token = (query as { tokens: { logintoken: string } }).tokens.logintoken
  const answer = await api({ action: 'login', lgname: wiki.user, lgpassword: wiki.password, lgtoken: token })
  if (!JSON.stringify(answer).includes('"Success"'))
    throw new Error(`login failed: ${JSON.stringify(answer)}`)
  return [...jar].map(([name, value]) => ({ name, value, domain: new URL(wiki.url).hostname, path: '/' }))
}
