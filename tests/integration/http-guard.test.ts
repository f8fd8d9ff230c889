import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpRig, startHttpRig, TOKEN } from '../support/http-rig.ts'
import { operationOf } from '../support/scripted-kernel.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await startHttpRig([{ operation: operationOf('shop.buy', { effect: 'write' }), run: () => 'bought' }])
})
afterAll(() => rig.close())

interface Probe {
  line?: string
  headers?: Record<string, string | null>
  body?: string
}

/** A request that is right in all but what the probe changes; null leaves a header out. */
function requestOf({
  line = 'POST /v1/operations/shop/buy HTTP/1.1',
  headers = {},
  body = '{}',
}: Probe): string {
  const all = {
    Host: rig.host,
    Authorization: `Bearer ${TOKEN}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).filter(([, value]) => value !== null)
  return `${line}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

async function send(probe: Probe): Promise<{ status: number; head: string; body: string }> {
  const answer = await rig.raw(requestOf(probe))
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') }
}

const evil = 'http://evil.example'
const HOSTILE: [name: string, status: number, code: string, probe: Probe][] = [
  ['no token', 401, 'unauthorized', { headers: { Authorization: null } }],
  ['a wrong token', 401, 'unauthorized', { headers: { Authorization: `Bearer ${TOKEN}x` } }],
  ['a token of another scheme', 401, 'unauthorized', { headers: { Authorization: `Basic ${TOKEN}` } }],
  [
    'the token in the query only',
    401,
    'unauthorized',
    {
      line: `POST /v1/operations/shop/buy?token=${TOKEN} HTTP/1.1`,
      headers: { Authorization: null },
    },
  ],
  ['a foreign Host', 403, 'forbidden_caller', { headers: { Host: 'evil.example' } }],
  [
    'a Host that resolves to loopback',
    403,
    'forbidden_caller',
    { headers: { Host: 'rebind.evil.example:PORT' } },
  ],
  ['the right Host with another port', 403, 'forbidden_caller', { headers: { Host: '127.0.0.1:1' } }],
  ['a Host without port', 403, 'forbidden_caller', { headers: { Host: '127.0.0.1' } }],
  ['no Host', 403, 'forbidden_caller', { headers: { Host: null } }],
  ['two Hosts', 403, 'forbidden_caller', { headers: { 'X-A': '1\r\nHost: evil.example' } }],
  ['a foreign Origin', 403, 'forbidden_caller', { headers: { Origin: evil } }],
  ['Origin null', 403, 'forbidden_caller', { headers: { Origin: 'null' } }],
  [
    "another extension's Origin",
    403,
    'forbidden_caller',
    { headers: { Origin: `chrome-extension://${'a'.repeat(32)}` } },
  ],
  [
    'the Origin of another local port',
    403,
    'forbidden_caller',
    { headers: { Origin: 'http://127.0.0.1:1' } },
  ],
  ['our Origin over https', 403, 'forbidden_caller', { headers: { Origin: 'https://HOST' } }],
  [
    'our Origin and a foreign one',
    403,
    'forbidden_caller',
    { headers: { Origin: `http://HOST\r\nOrigin: ${evil}` } },
  ],
  [
    "an image on another site's page",
    403,
    'forbidden_caller',
    {
      line: 'GET /docs HTTP/1.1',
      headers: { 'Sec-Fetch-Site': 'cross-site', Authorization: null },
    },
  ],
  [
    'a form post',
    415,
    'bad_request',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'args=1' },
  ],
  ['a text/plain body', 415, 'bad_request', { headers: { 'Content-Type': 'text/plain' } }],
  ['JSON by suffix', 415, 'bad_request', { headers: { 'Content-Type': 'application/json-patch+json' } }],
  ['no Content-Type', 415, 'bad_request', { headers: { 'Content-Type': null } }],
  ['a compressed body', 415, 'bad_request', { headers: { 'Content-Encoding': 'gzip' } }],
  [
    'a preflight',
    405,
    'bad_request',
    {
      line: 'OPTIONS /v1/operations/shop/buy HTTP/1.1',
      headers: { Authorization: null, 'Access-Control-Request-Method': 'POST' },
    },
  ],
  ['HEAD on the event stream', 405, 'bad_request', { line: 'HEAD /v1/events HTTP/1.1' }],
  ['traversal', 400, 'bad_request', { line: 'POST /v1/operations/../../etc/passwd HTTP/1.1' }],
  ['escaped traversal', 400, 'bad_request', { line: 'POST /v1/operations/%2e%2e/buy HTTP/1.1' }],
  ['an escaped slash', 400, 'bad_request', { line: 'POST /v1/operations/shop%2fbuy HTTP/1.1' }],
  ['an escaped NUL', 400, 'bad_request', { line: 'POST /v1/operations/shop/buy%00 HTTP/1.1' }],
  ['a doubled slash', 400, 'bad_request', { line: 'POST //v1/operations/shop/buy HTTP/1.1' }],
  ['a backslash', 400, 'bad_request', { line: 'POST /v1/operations\\shop/buy HTTP/1.1' }],
  ['a whole URL as target', 400, 'bad_request', { line: `POST ${evil}/v1/operations/shop/buy HTTP/1.1` }],
  ['an overlong path', 400, 'bad_request', { line: `POST /v1/operations/${'a'.repeat(5000)}/buy HTTP/1.1` }],
  ['an overlong name', 404, 'not_found', { line: `POST /v1/operations/${'a'.repeat(100)}/buy HTTP/1.1` }],
  ['a name in capitals', 404, 'not_found', { line: 'POST /v1/operations/Shop/buy HTTP/1.1' }],
  ['a declared body over 4 MiB', 413, 'bad_request', { headers: { 'Content-Length': '4194305' }, body: '' }],
  ['a body that is no JSON', 400, 'bad_request', { body: '{"args":' }],
  ['a body that is no object', 400, 'bad_request', { body: '[]' }],
  ['an unknown key in the body', 400, 'bad_request', { body: '{"argz":{}}' }],
  ['an unknown option', 400, 'bad_request', { body: '{"options":{"force":true}}' }],
  ['a negative timeout', 400, 'bad_request', { body: '{"options":{"timeout_ms":-1}}' }],
]

describe('trust line of the HTTP surface', () => {
  it.each(HOSTILE)('refuses %s with %i in the one shape of refusals', async (_, status, code, probe) => {
    const headers = Object.fromEntries(
      Object.entries(probe.headers ?? {}).map(([name, value]) => [
        name,
        value?.replace('HOST', rig.host).replace('PORT', String(rig.port)) ?? null,
      ]),
    )

    const answer = await send({ ...probe, headers })

    expect(answer.status).toBe(status)
    if (!probe.line?.startsWith('HEAD'))
      expect(JSON.parse(answer.body)).toEqual({
        error: { code, message: expect.stringMatching(/./), suggestion: expect.stringMatching(/./) },
      })
    expect(answer.head.toLowerCase()).not.toContain('access-control-')
    expect(answer.head).toContain('X-Content-Type-Options: nosniff')
    expect(answer.head).toContain("frame-ancestors 'none'")
    expect(rig.kernel.invocations).toEqual([])
  })

  it('refuses a body over 4 MiB that comes in chunks and does not tell its length', async () => {
    const chunk = `${(1024 * 1024).toString(16)}\r\n${' '.repeat(1024 * 1024)}\r\n`

    const answer = await send({
      headers: { 'Content-Length': null, 'Transfer-Encoding': 'chunked' },
      body: `${chunk.repeat(5)}0\r\n\r\n`,
    })

    expect(answer.status).toBe(413)
    expect(rig.kernel.invocations).toEqual([])
  })

  it('answers what is not HTTP in the same shape', async () => {
    const answer = await rig.raw('\x16\x03\x01 hello\r\n\r\n')

    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'bad_request' } })
  })

  it('names the scheme to whoever has no token', async () => {
    const { head } = await send({ headers: { Authorization: null } })

    expect(head).toMatch(/^WWW-Authenticate: Bearer/im)
  })

  it.each(['127.0.0.1', 'localhost', '[::1]'])('knows itself as %s, with its own Origin', async name => {
    const host = `${name}:${rig.port}`

    const answer = await send({
      line: 'GET /v1/health HTTP/1.1',
      headers: { Host: host, Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' },
    })

    expect(answer.status).toBe(200)
    expect(answer.head.toLowerCase()).not.toContain('access-control-')
  })

  it('tells nothing of the catalogue on any route without the token', async () => {
    const routes = [
      '/v1/health',
      '/v1/operations',
      '/v1/operations/shop/buy',
      '/v1/runs',
      '/v1/events',
      '/openapi.json',
      '/mcp',
    ]

    for (const route of routes) {
      const answer = await send({ line: `GET ${route} HTTP/1.1`, headers: { Authorization: null } })
      expect([route, answer.status]).toEqual([route, 401])
      expect(answer.body).not.toContain('shop')
    }
    const docs = await send({ line: 'GET /docs HTTP/1.1', headers: { Authorization: null } })
    expect(docs.status).toBe(200)
    expect(docs.body).not.toMatch(new RegExp(`shop|${TOKEN}`))
  })

  it('does not listen beyond loopback', () => {
    expect(new URL(rig.url).hostname).toBe('127.0.0.1')
  })
})
