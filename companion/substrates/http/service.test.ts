import { describe, expect, it } from 'vitest'
import { Failure } from '../../../shared/failures.ts'
import type { HttpRequest } from '../../ports/http.ts'
import type { HttpClient } from './client.ts'
import { serviceHttp } from './service.ts'

const API = 'https://api.example'
const options = { signal: new AbortController().signal, deadline: 0 }
const requestOf = (over: Partial<HttpRequest> = {}): HttpRequest => ({
  ...{ url: `${API}/me`, method: 'GET', headers: {}, body: null, read: true },
  ...over,
})

/** A service whose tokens are for API alone; `refuses` says which of them it takes no more. */
function setUp(refuses: readonly string[] = []) {
  const sent: [url: string, authorization: string | undefined][] = []
  let count = 1
  const answer = async ({ url, headers }: HttpRequest) => {
    sent.push([url, headers.authorization])
    return { status: refuses.includes(headers.authorization ?? '') ? 401 : 200, url, headers: {} }
  }
  const client = serviceHttp(
    { request: answer, stream: answer } as unknown as HttpClient,
    'demo',
    { base: `${API}/v1` },
    {
      async token({ url, refused }) {
        const { origin } = new URL(url)
        if (origin !== API) throw new Failure('origin_not_allowed', { origin, allowed: [API] })
        if (refused === `t${count}`) count += 1
        return `t${count}`
      },
    },
  )
  return { client, sent }
}

describe('the bearer of a service', () => {
  it('goes along, and wins over what the adapter says', async () => {
    const { client, sent } = setUp()
    await client.request(requestOf({ headers: { authorization: 'Bearer of-the-adapter' } }), options)
    await client.stream(requestOf(), options)
    expect(sent).toEqual([
      [`${API}/me`, 'Bearer t1'],
      [`${API}/me`, 'Bearer t1'],
    ])
  })

  it('stays away from what else belongs to the site', async () => {
    const { client, sent } = setUp()
    await client.request(requestOf({ url: 'https://cdn.example/logo' }), options)
    expect(sent).toEqual([['https://cdn.example/logo', undefined]])
  })

  it('that is refused is renewed, and a read asked again once', async () => {
    const { client, sent } = setUp(['Bearer t1', 'Bearer t2'])
    expect((await client.request(requestOf(), options)).status).toBe(401)
    expect(sent.map(([, authorization]) => authorization)).toEqual(['Bearer t1', 'Bearer t2'])
  })

  it('that is refused to a write is renewed for the next one, and the write not sent again', async () => {
    const { client, sent } = setUp(['Bearer t1'])
    const write = requestOf({ method: 'POST', read: false })
    expect((await client.request(write, options)).status).toBe(401)
    expect(sent).toHaveLength(1)
    expect((await client.request(write, options)).status).toBe(200)
  })

  it('tells one login from another without being shown', async () => {
    const [one, other] = [setUp(), setUp()]
    const identity = await one.client.identity(`${API}/me`, options)
    expect(await other.client.identity(`${API}/me`, options)).toBe(identity)
    expect(identity).not.toContain('t1')
  })
})
