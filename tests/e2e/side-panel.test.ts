import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { valid } from '../support/envelope-check.ts'
import { addAdapters } from '../support/overlay.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let panel: Page

const ASKING = `type: service
strategy: public
effect: read
pipeline:
  - ask: {question: "哪个帐号?", choices: [work, 家]}
  - set: {account: "\${{ data }}"}
  - ask: {question: Which name?}
  - template: "\${{ vars.account }}/\${{ data }}"
  - notify: {title: Done, text: "\${{ data }}"}
`

beforeAll(async () => {
  // The person changed no setting: this is what everybody starts with.
  ;[product, site] = await Promise.all([startProduct(''), startPageServer()])
  const write = `type: web-api
strategy: public
effect: write
risk: publish
base: ${site.url}
args:
  title: { required: true, positional: true, target: true }
  text: { default: '' }
  key: { secret: true, default: none }
pipeline:
  - fetch:
      url: /?key=\${{ args.key | urlencode }}
      method: POST
      as: text
      body: \${{ args.text }}
allow_empty: true
example: { title: x }
`
  await addAdapters(product, 'board', {
    post: write,
    mark: write.replace('risk: publish', 'risk: none'),
    which: ASKING,
  })
  const browser = await product.browser()
  panel = await browser.context.newPage()
  await panel.goto(`chrome-extension://${browser.extensionId}/sidepanel.html`)
})
afterAll(async () => {
  await product?.close()
  await site?.close()
})

const post = (title: string, options = {}, args = {}) =>
  product.run('board.post', { title, ...args }, { timeout_ms: 60_000, ...options })
const sent = () => site.requests.filter(({ method }) => method === 'POST').length
const button = (name: RegExp) => panel.getByRole('button', { name })

describe('the side panel', () => {
  // What was answered elsewhere is shown a moment longer.
  afterEach(() => panel.locator('article.wait').waitFor({ state: 'detached' }))

  it('puts questions of an adapter to the person and gives the answers back', async () => {
    const waiting = product.run('board.which', {}, { timeout_ms: 60_000 })
    await button(/^家$/).click()
    await panel.getByRole('textbox', { name: 'Your answer' }).fill('周')
    await button(/^answer$/i).click()
    expect((await waiting).data).toBe('家/周')
  })

  it('releases a waiting HTTP call by the yes that a person gives in it', async () => {
    const before = sent()
    const waiting = post('第一', {}, { text: 'Hello', key: 'hunter2-very-secret' })
    await button(/^allow/i).waitFor()
    const shown = (await panel.locator('article').textContent()) ?? ''
    expect(shown).toContain('board.post')
    expect(shown).toContain('第一')
    expect(shown).toContain('It publishes something.')
    expect(shown).not.toContain('hunter2')
    expect(sent()).toBe(before)
    await button(/^allow/i).click()
    expect(valid(await waiting)).toMatchObject({ ok: true, exit_code: 0 })
    expect(sent()).toBe(before + 1)
    await panel.getByText('board.post').waitFor()
  })

  it('does not hold a write up that can be taken back', async () => {
    expect(valid(await product.run('board.mark', { title: 'x' }))).toMatchObject({ ok: true })
  })

  it('ends the call with exit 77 by a no, and nothing is sent', async () => {
    const before = sent()
    const waiting = post('no')
    await button(/^refuse/i).click()
    expect(valid(await waiting)).toMatchObject({
      ok: false,
      exit_code: 77,
      error: { code: 'approval_denied' },
    })
    expect(sent()).toBe(before)
  })

  it('ends the call with exit 77 when nobody answers in time, and nothing is sent', async () => {
    const before = sent()
    const waiting = post('late', { timeout_ms: 1500 })
    await button(/^allow/i).waitFor()
    expect(valid(await waiting)).toMatchObject({ exit_code: 77, error: { code: 'approval_required' } })
    await button(/^allow/i).waitFor({ state: 'detached' })
    expect(sent()).toBe(before)
  })

  it('takes no yes from whoever holds the token of HTTP, or from a command without a terminal', async () => {
    const waiting = post('mine')
    const { approvals } = await product.status(status => status.approvals.length === 1)
    const id = approvals[0]?.id ?? ''
    const yes = await product.http(`/v1/approvals/${id}`, { method: 'POST', body: '{"allow":true}' })
    expect([yes.status, (await yes.json()).error.code]).toEqual([403, 'person_required'])
    const typed = await product.cli('approvals', 'allow', id)
    expect([typed.code, typed.json().error?.code]).toEqual([77, 'person_required'])
    expect((await product.cli('approvals', 'deny', id)).code).toBe(0)
    expect((await waiting).error?.code).toBe('approval_denied')
  })

  it('remembers a yes for always, for what it named alone, until it is revoked', async () => {
    const waiting = post('weekly')
    await panel.getByLabel('Allow it').selectOption('always')
    await panel.getByText(/This would allow: board\.post at .* with title "weekly"/).waitFor()
    await button(/^allow/i).click()
    expect((await waiting).ok).toBe(true)
    expect((await post('weekly', {}, { text: 'another text' })).ok).toBe(true)
    const other = post('daily', { timeout_ms: 1500 })
    expect((await other).error?.code).toBe('approval_required')
    const { data } = (await product.cli('approvals', 'list')).json()
    const [grant] = data as { id: string; state: string; covers: string }[]
    expect(grant).toMatchObject({ state: 'always', covers: expect.stringContaining('"weekly"') })
    const tested = await product.cli('policy', 'test', 'board.post', 'weekly')
    expect(tested.json().data).toMatchObject({ decision: 'ask', by: 'profile', grant: { id: grant?.id } })
    expect((await product.cli('approvals', 'revoke', grant?.id ?? '')).code).toBe(0)
    expect((await post('weekly', { timeout_ms: 1500 })).error?.code).toBe('approval_required')
  })
})
