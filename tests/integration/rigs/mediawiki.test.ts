import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { logInToMediaWiki, MEDIAWIKI, type MediaWiki, startMediaWiki } from '../../support/mediawiki.ts'
import { describeNeeding } from '../../support/requirement.ts'

const ask = async (wiki: MediaWiki, query: string) =>
  (await fetch(`${wiki.apiUrl}?format=json&formatversion=2&action=query&${query}`)).json()

describeNeeding(MEDIAWIKI, 'a wiki of its own', () => {
  let wiki: MediaWiki

  beforeAll(async () => {
    wiki = await startMediaWiki()
    return wiki.stop
  })

  test('knows its address, and has pages in two scripts that its full-text search finds', async () => {
    expect(await ask(wiki, 'meta=siteinfo')).toMatchObject({ query: { general: { server: wiki.url } } })
    const find = async (words: string) => {
      const answer = await ask(wiki, `list=search&srwhat=text&srsearch=${encodeURIComponent(words)}`)
      return answer.query.search.map((hit: { title: string }) => hit.title)
    }
    expect(await find('cookie')).toEqual(['Browser'])
    expect(await find('显示')).toEqual(['浏览器'])
  })

  test('tells its recent changes, made by the admin', async () => {
    const { query } = await ask(wiki, 'list=recentchanges&rcprop=title|user&rclimit=50')
    expect(query.recentchanges).toContainEqual(
      expect.objectContaining({ title: '桥接', user: wiki.user, type: 'new' }),
    )
  })

  test('lets a person in who types the password, and the session edits with its token', async () => {
    const browser = await launchChromium()
    onTestFinished(browser.close)
    const page = await browser.context.newPage()
    await logInToMediaWiki(page, wiki)
    const edited = await page.evaluate(async api => {
      const post = async (fields: Record<string, string>) =>
        (
          await fetch(api, { method: 'POST', body: new URLSearchParams({ format: 'json', ...fields }) })
        ).json()
      const { query } = await post({ action: 'query', meta: 'tokens|userinfo' })
      const edit = {
        action: 'edit',
        title: 'Sandbox',
        appendtext: ' Written.',
        token: query.tokens.csrftoken,
      }
      return {
        user: query.userinfo.name,
        forged: await post({ ...edit, token: '+\\' }),
        real: await post(edit),
      }
    }, wiki.apiUrl)
    expect(edited).toMatchObject({
      user: wiki.user,
      forged: { error: { code: 'badtoken' } },
      real: { edit: { result: 'Success', title: 'Sandbox' } },
    })
  })

  test('is not changed by what is written into another one', async () => {
    const other = await startMediaWiki()
    onTestFinished(other.stop)
    const text = async (which: MediaWiki) =>
      (await fetch(`${which.url}/index.php?title=Sandbox&action=raw`)).text()
    expect(await text(other)).toBe('Write here.')
    expect(other.url).not.toBe(wiki.url)
  })
})
