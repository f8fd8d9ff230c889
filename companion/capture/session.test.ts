import { describe, expect, it } from 'vitest'
import type { TrafficBegin, TrafficUpdate } from '../../shared/traffic.ts'
import { Numbers } from './numbers.ts'
import { SessionLog } from './session.ts'
import { TrafficStore } from './store.ts'

const begin = (over: Partial<TrafficBegin> = {}): TrafficBegin => ({
  source: 'browser',
  tab: 1,
  method: 'GET',
  url: 'https://site.test/api',
  kind: 'xhr',
  initiator: null,
  context: null,
  redirect_of: null,
  ...over,
})
const end = { error: null, bytes: null }
const ended = (key: string, over: Partial<TrafficBegin> = {}): TrafficUpdate => ({
  ...{ key, at: 1000, begin: begin(over), end },
})

function open() {
  const spilled = new Map<string, Uint8Array>()
  const settings = {
    spill: {
      put: (content: Uint8Array) => {
        spilled.set(`b${spilled.size}`, content)
        return `b${spilled.size - 1}`
      },
      get: (id: string) => {
        const content = spilled.get(id)
        return content === undefined ? null : { content }
      },
    },
    version: 'test',
    onFault: (error: unknown) => {
      throw error
    },
  }
  return { log: new SessionLog(settings), settings, spilled }
}

const text = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('utf8')

describe('what is kept of requests', () => {
  it('is the newest of them, and says how many were dropped', () => {
    const { log } = open()
    log.accept(
      Array.from({ length: 5010 }, (_, n) => ended(`k${n}`)),
      3,
    )
    const { found, dropped, cursor } = log.find({})
    expect([found.length, found[0]?.id, dropped, cursor]).toEqual([5000, 'r11', 13, 5010])
    expect(log.find({ since: 5008 }).found.map(({ id }) => id)).toEqual(['r5009', 'r5010'])
  })

  it('can be waited for while a large body is looked through', async () => {
    const { log } = open()
    const body = { text: 'bamboo '.repeat(100_000), base64: false, cut: false }
    log.accept([{ ...ended('k1'), response_body: body }], 0)
    const exchange = log.get('r1')
    if (exchange === null) throw new Error('nothing was kept')
    expect([exchange.isBeingKept, exchange.response_body?.bytes]).toEqual([true, 0])
    await log.kept([exchange], AbortSignal.timeout(20_000))
    expect([exchange.isBeingKept, exchange.response_body?.bytes]).toEqual([false, 700_000])
    await expect(log.kept([], AbortSignal.abort('over'))).rejects.toBe('over')
  })

  it('goes to the disk where it is long, without its secrets wherever they are', async () => {
    const { log, spilled } = open()
    const secret = '"access_token":"tok-9876543210"'
    const body = `{${secret},"text":"${'竹,'.repeat(400_000)}",${secret}}`
    const response_body = { text: Buffer.from(body).toString('base64'), base64: true, cut: false }
    const answer = {
      status: 200,
      status_text: '',
      mime: 'application/json',
      headers: [],
      protocol: null,
    }
    log.accept([{ ...ended('k'), answer: { ...answer, from: 'network' }, response_body }], 0)
    const found = await log.next({}, new AbortController().signal)
    expect(spilled.size).toBe(1)
    const kept = text(log.body(found.id, 'response_body'))
    expect(kept).toBe(body.replaceAll('tok-9876543210', '[redacted]'))
  })

  it('has no secret of addresses, headers and forms', async () => {
    const { log } = open()
    const request_headers: [string, string][] = [
      ['authorization', 'Bearer abcdef123456'],
      ['cookie', 'sid=1234; theme=dark'],
      ['content-type', 'multipart/form-data; boundary=x'],
      ['accept', '*/*'],
    ]
    const form = '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--x--'
    const request_body = { text: form, base64: false, cut: false }
    const url = 'https://me:pw@site.test/api?token=abc&page=2'
    log.accept([{ ...ended('k', { url }), request_headers, request_body }], 0)
    const found = await log.next({}, new AbortController().signal)
    expect(found.url).toBe('https://me:[redacted]@site.test/api?token=[redacted]&page=2')
    expect(found.request_headers.slice(0, 2)).toEqual([
      ['authorization', '[redacted]'],
      ['cookie', 'sid=[redacted]; theme=[redacted]'],
    ])
    expect(text(log.body(found.id, 'request_body'))).toBe(form.replace('hunter2', '[redacted]'))
  })

  const keptOf = async (body: string | Buffer, mime: string): Promise<string> => {
    const { log } = open()
    const base64 = typeof body !== 'string'
    const response_body = { text: base64 ? body.toString('base64') : body, base64, cut: false }
    const answer = {
      status: 200,
      status_text: '',
      mime,
      headers: [],
      protocol: null,
      from: 'network' as const,
    }
    log.accept([{ ...ended('k'), answer, response_body }], 0)
    const { id } = await log.next({}, new AbortController().signal)
    return text(log.body(id, 'response_body'))
  }
  const JSONS = {
    password: "it's",
    tokens: ['one-1', 'two-2'],
    pin: 9876,
    nested: { client_secret: 'a"b\\', sessionId: 's1', Cookie: 'a=b; c=d', newPasswordConfirm: 'x,y' },
    inner: JSON.stringify({ otp: 'q"r', deeper: JSON.stringify({ refreshToken: 'z"z' }), page: 2 }),
  }
  const R = '[redacted]'
  const SAFE = {
    password: R,
    tokens: [R, R],
    pin: R,
    nested: { client_secret: R, sessionId: R, Cookie: R, newPasswordConfirm: R },
    inner: JSON.stringify({ otp: R, deeper: JSON.stringify({ refreshToken: R }), page: 2 }),
  }
  it.each([
    ['in JSON', 'application/json', JSON.stringify(JSONS), JSON.stringify(SAFE)],
    ['in JSON over lines', 'application/json', JSON.stringify(JSONS, null, 2), JSON.stringify(SAFE, null, 2)],
    [
      'in bytes that read as text',
      'application/octet-stream',
      Buffer.from('{"password":"竹"}'),
      `{"password":"${R}"}`,
    ],
    [
      'in text that is broken',
      'text/plain',
      Buffer.from('{"password":"\xff\xfe"} \xff', 'latin1'),
      `{"password":"${R}"} \ufffd`,
    ],
    [
      'in a field of a page',
      'text/html',
      '<input type=hidden name=csrf_token value="a>b"><meta content=\'c\' name="csrf-token">',
      `<input type=hidden name=csrf_token value="${R}"><meta content="${R}" name="csrf-token">`,
    ],
    [
      'in a document in JSON',
      'application/json',
      JSON.stringify({ query: 'mutation { login(pass: "x1", user: "u") }', variables: { pass: 'x2' } }),
      JSON.stringify({ query: `mutation { login(pass: "${R}", user: "u") }`, variables: { pass: R } }),
    ],
    [
      'in a script',
      'text/javascript',
      'cfg={apiKey:"k1", token: \'t1\', kind:"x"}',
      `cfg={apiKey:"${R}", token: '${R}', kind:"x"}`,
    ],
    [
      'in XML',
      'text/xml',
      '<a:Login><a:Password x="1">p</a:Password><User>u</User></a:Login>',
      `<a:Login><a:Password x="1">${R}</a:Password><User>u</User></a:Login>`,
    ],
  ])('has no secret %s', async (_, mime, body, safe) => {
    expect(await keptOf(body, mime)).toBe(safe)
  })

  it('keeps what is only about secrets, and bytes that are no text', async () => {
    const about =
      '{"token_type":"Bearer","total_tokens":12,"author":"x","cookie_policy":"strict","password":""}'
    expect(await keptOf(about, 'application/json')).toBe(about)
    const { log } = open()
    const bytes = Buffer.from([0, 1, 2, 3])
    const response_body = { text: bytes.toString('base64'), base64: true, cut: false }
    log.accept([{ ...ended('k'), response_body }], 0)
    const found = await log.next({}, new AbortController().signal)
    expect([found.response_body?.binary, log.body(found.id, 'response_body')]).toEqual([true, bytes])
  })

  it('has no secret of fragments, forms, cookies without a name and messages of bytes', async () => {
    const { log } = open()
    const url = 'https://site.test/?a=1;sid=x1#id_token=x2&sessionId=x3'
    const request_headers: [string, string][] = [
      ['content-type', 'application/x-www-form-urlencoded'],
      ['cookie', 'x4; a=x5'],
      ['referer', 'https://site.test/?passcode=x6'],
    ]
    const request_body = { text: 'user=me&password=x7\'x7"&pin=x8', base64: false, cut: false }
    const sent = Buffer.from('{"password":"x9"}').toString('base64')
    const message = { direction: 'sent' as const, text: sent, base64: true, event: null, cut: false }
    log.accept([{ ...ended('k', { url }), request_headers, request_body, message }], 0)
    const found = await log.next({}, new AbortController().signal)
    const kept = [found.url, found.request_headers, text(log.body(found.id, 'request_body'))]
    expect(JSON.stringify(kept)).not.toMatch(/x\d/)
    expect(kept).toContain('user=me&password=[redacted]&pin=[redacted]')
    expect(Buffer.from(found.messages[0]?.text ?? '', 'base64').toString()).toBe('{"password":"[redacted]"}')
    const binary = { ...message, text: Buffer.alloc(60_000, 255).toString('base64') }
    log.accept([{ key: 'k', at: 1, message: binary }], 0)
    expect(found.messages[1]?.text).toMatch(/^[\w/+=]+$/)
  })

  it('joins what page and browser tell of alike requests in their order, each once', () => {
    const { log } = open()
    const told = (key: string, at: number, source: 'browser' | 'page'): TrafficUpdate => ({
      ...{ key, at, begin: begin({ source, kind: source === 'page' ? 'fetch' : 'xhr' }), end },
    })
    log.accept([told('b1', 1000, 'browser'), told('b2', 1050, 'browser'), told('b3', 90_000, 'browser')], 0)
    log.accept([told('p2', 1049, 'page'), told('p1', 1001, 'page')], 0)
    expect(log.find({}).found.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      'r1 fetch',
      'r2 fetch',
      'r3 xhr',
    ])
  })

  it('puts what a page was answered down to where the redirects led, and what it sent to where it began', async () => {
    const { log } = open()
    const hop = (key: string, url: string, from: string | null): TrafficUpdate => ({
      ...{ key, at: 1000, begin: begin({ url, method: 'POST', redirect_of: from }), end },
    })
    log.accept([hop('b1', 'https://site.test/1', null), hop('b2', 'https://site.test/2', 'b1')], 0)
    const body = (told: string) => ({ text: told, base64: false, cut: false })
    const told = begin({ source: 'page', kind: 'fetch', url: 'https://site.test/1', method: 'POST' })
    const bodies = { request_body: body('sent'), response_body: body('answered') }
    log.accept([{ ...{ key: 'p1', at: 1000, begin: told, end }, ...bodies }], 0)
    const second = await log.next({ url: 'https://site.test/2' }, new AbortController().signal)
    expect([second.kind, text(log.body('r2', 'response_body')), log.body('r2', 'request_body')]).toEqual([
      'fetch',
      'answered',
      null,
    ])
    expect([text(log.body('r1', 'request_body')), log.body('r1', 'response_body')]).toEqual(['sent', null])
  })

  it('believes the browser where a page says less of the same request', () => {
    const { log } = open()
    const answer = { status: 200, status_text: '', mime: '', headers: [], protocol: null }
    const broken = { ...end, error: 'net::ERR_CONNECTION_RESET' }
    log.accept(
      [
        { key: 'b', at: 1000, begin: begin(), answer: { ...answer, from: 'cache' } },
        { key: 'b', at: 1900, end: broken },
        {
          ...{ key: 'p', at: 1000, begin: begin({ source: 'page', kind: 'fetch' }) },
          ...{ answer: { ...answer, from: 'network' }, end: { ...end, at: 1500 } },
        },
      ],
      0,
    )
    expect(log.get('r1')).toMatchObject({
      ...{ kind: 'fetch', error: broken.error, from: 'cache', ended_at: 1900 },
    })
    const alone = begin({ source: 'page', url: 'blob:https://site.test/1' })
    log.accept(
      [
        {
          key: 'q',
          at: 1000,
          begin: alone,
          answer: { ...answer, from: 'network' },
          end: { ...end, at: 1700 },
        },
      ],
      0,
    )
    expect(log.get('r2')).toMatchObject({ started_at: 1000, answered_at: 1700, ended_at: 1700 })
  })

  it('is bounded over all sessions together', () => {
    const { settings } = open()
    const store = new TrafficStore(settings, 1_000_000)
    const long = `https://site.test/?q=${'x'.repeat(1000)}`
    for (let session = 0; session < 3; session++)
      store.accept(
        { profile: 'p', session: `s${session}` },
        { updates: Array.from({ length: 1000 }, (_, n) => ended(`k${n}`, { url: long })), lost: 0 },
      )
    const weights = [0, 1, 2].map(n => store.open({ profile: 'p', session: `s${n}` }).weight)
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThan(1_000_000)
  })
})

it('a line of the console is never hidden by a cursor of the companion before', () => {
  const kept = { text: null as string | null }
  const file = {
    read: () => kept.text,
    write: (text: string) => {
      kept.text = text
    },
  }
  const at = { profile: 'p', session: 's' }
  const write = (key: string) => {
    const store = new TrafficStore(open().settings, undefined, new Numbers(file))
    const line = { key, at: 1, tab: 1, level: 'info', kind: 'console', text: key } as const
    store.acceptLines(at, [{ ...line, url: null, line: null, stack: '' }])
    return store.open(at)
  }
  const { cursor } = write('before').lines({})
  expect(
    write('after')
      .lines({ since: cursor })
      .found.map(({ text: told }) => told),
  ).toEqual(['after'])
})

describe('queries', () => {
  const urls = [
    'https://a.test/api/items?x=1',
    'https://a.test/api/items/7',
    'https://b.test/%E7%AB%B9?q=%d6%d0',
  ]
  it.each([
    ['a part', '/api/', 2],
    ['a glob over the whole address', 'https://*/items', 0],
    ['a glob that ends open', '*/items*', 2],
    ['a pattern', '/items\\/\\d+$/', 1],
    ['what is not ASCII, as a person writes it', 't/竹', 1],
    ['a pattern that would never end elsewhere', '/(a+)+$/', 0],
  ])('take %s', (_, url, count) => {
    const { log } = open()
    log.accept(
      urls.map((each, n) => ended(`k${n}`, { url: each })),
      0,
    )
    expect(log.find({ url }).found.length).toBe(count)
  })

  it('refuse what is no pattern and no status, with what to give', () => {
    const { log } = open()
    expect(() => log.find({ url: '/(/' })).toThrow(/is no pattern/)
    expect(() => log.find({ status: 'ok' })).toThrow(/is no status/)
  })
})
