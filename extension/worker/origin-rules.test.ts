import { beforeEach, describe, expect, test, vi } from 'vitest'

const update = vi.fn(async (_change: { addRules?: { id: number }[]; removeRuleIds?: number[] }) => undefined)
vi.mock('wxt/browser', () => ({
  browser: {
    runtime: { getURL: () => 'chrome-extension://ownid/' },
    declarativeNetRequest: {
      updateSessionRules: update,
      getSessionRules: async () => [{ id: 7 }],
    },
  },
}))
const { OriginRules, siteRelation } = await import('./origin-rules.ts')

const SITE = 'https://www.a.test'

beforeEach(() => update.mockClear())

describe('OriginRules', () => {
  test('is there before the request and gone after it, also when the request fails', async () => {
    const rules = new OriginRules()
    const seen = await rules.during(SITE, SITE, 'POST', async () => update.mock.calls.length)
    expect(seen).toBe(1)
    await expect(
      rules.during(SITE, SITE, 'GET', () => Promise.reject(new Error('no network'))),
    ).rejects.toThrow('no network')
    const changes = update.mock.calls.map(([change]) => change)
    expect(changes.map(change => (change.addRules ? 'add' : 'remove'))).toEqual([
      'add',
      'remove',
      'add',
      'remove',
    ])
    expect(changes[1]?.removeRuleIds).toEqual([changes[0]?.addRules?.[0]?.id])
  })

  test('covers our own requests to the one origin and nothing else', async () => {
    await new OriginRules().during('http://127.0.0.1:80', SITE, 'POST', async () => undefined)
    expect(update.mock.calls[0]?.[0].addRules?.[0]).toMatchObject({
      condition: {
        urlFilter: '|http://127.0.0.1:80/',
        tabIds: [-1],
        initiatorDomains: ['ownid'],
        resourceTypes: ['xmlhttprequest'],
      },
      action: {
        requestHeaders: [
          { header: 'Origin', operation: 'set', value: SITE },
          { header: 'Referer', operation: 'set', value: `${SITE}/` },
          { header: 'Sec-Fetch-Site', operation: 'set', value: 'cross-site' },
          { header: 'Connection', operation: 'set', value: 'close' },
        ],
      },
    })
  })

  test('is shared by requests at the same time', async () => {
    const rules = new OriginRules()
    let release: () => void = () => undefined
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const first = rules.during(SITE, SITE, 'GET', () => held)
    await rules.during(SITE, SITE, 'GET', async () => undefined)
    expect(update).toHaveBeenCalledTimes(1)
    release()
    await first
    expect(update).toHaveBeenCalledTimes(2)
  })

  test('drops what a former worker left', async () => {
    await new OriginRules().clear()
    expect(update).toHaveBeenCalledWith({ removeRuleIds: [7] })
  })
})

describe('siteRelation', () => {
  test.each([
    [SITE, SITE, 'same-origin'],
    ['https://a.test', SITE, 'same-site'],
    ['https://www.a.test:8443', SITE, 'same-site'],
    ['http://www.a.test', SITE, 'cross-site'],
    ['https://b.test', SITE, 'cross-site'],
    ['https://xwww.a.test', SITE, 'cross-site'],
  ])('of %s to %s is %s', (target, site, relation) => {
    expect(siteRelation(target, site)).toBe(relation)
  })
})
