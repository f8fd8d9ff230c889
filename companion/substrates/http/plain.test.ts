import { expect, it } from 'vitest'
import { Failure } from '../../../shared/failures.ts'
import type { HttpRequest } from '../../ports/http.ts'
import { plainHttp } from './plain.ts'

const SITE = 'https://site.example/'
const options = { signal: new AbortController().signal, deadline: Date.now() + 60_000 }

/** What becomes of a request to a site that redirects to `to`; nobody answers anywhere but at the two named. */
async function redirected(to: string, request: Partial<HttpRequest>) {
  const sent: { url: string; headers: Record<string, string> }[] = []
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, headers: init.headers as Record<string, string> })
    if (url === SITE) return new Response(null, { status: 303, headers: { location: to } })
    if (url === 'https://other.example/') return new Response('done')
    throw Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' })
  }
  const http = plainHttp(async () => undefined, { fetch, lookup: () => undefined }, 'test')
  const asked = { url: SITE, method: 'POST', headers: {}, body: 'x', read: false, ...request }
  try {
    return { sent, status: (await http.request(asked, options)).status, code: null }
  } catch (error) {
    return { sent, status: null, code: Failure.from(error).code }
  }
}

it.each([
  ['is never reached', 'https://gone.example/'],
  ['leads in circles', SITE],
])('does not say of a write that it never left when its redirect %s', async (_, to) => {
  expect((await redirected(to, {})).code).toBe('outcome_unknown')
  expect((await redirected(to, { method: 'GET', body: null, read: true })).code).toBe('network_error')
})

it('says of a write that it never left when nobody took it', async () => {
  expect((await redirected('', { url: 'https://gone.example/' })).code).toBe('network_error')
})

it('takes no secret to another origin', async () => {
  const secret = { authorization: 'a', cookie: 'b', 'x-xsrf-token': 'c', 'x-api-key': 'd' }
  const { sent, status } = await redirected('https://other.example/', {
    headers: { ...secret, accept: 'text/html' },
  })
  expect(status).toBe(200)
  expect(sent.map(({ headers }) => Object.keys(headers).toSorted())).toEqual([
    ['accept', 'authorization', 'cookie', 'user-agent', 'x-api-key', 'x-xsrf-token'],
    ['accept', 'user-agent'],
  ])
})
