import { describe, expect, it } from 'vitest'
import type { TrafficBegin, TrafficUpdate } from '../../shared/traffic.ts'
import { SessionLog } from './session.ts'

describe('what is exported', () => {
  const exportOf = async (
    over: Partial<TrafficBegin>,
    sent: Pick<TrafficUpdate, 'request_body' | 'request_headers'>,
  ) => {
    const spilled: Uint8Array[] = []
    const spill = {
      put: (content: Uint8Array) => String(spilled.push(content) - 1),
      get: (id: string) => ({ content: spilled[Number(id)] ?? new Uint8Array() }),
    }
    const onFault = (error: unknown) => {
      throw error
    }
    const log = new SessionLog({ spill, version: 'test', onFault })
    const begin: TrafficBegin = {
      ...{ source: 'debugger', tab: 1, method: 'GET', url: 'https://site.test/api', kind: 'fetch' },
      ...{ initiator: null, context: null, redirect_of: null, ...over },
    }
    log.accept([{ key: 'k', at: 1, begin, ...sent, end: { error: null, bytes: null } }], 0)
    const found = [await log.next({}, new AbortController().signal)]
    return {
      curl: log.export(found, 'curl'),
      fetch: log.export(found, 'fetch'),
      har: log.export(found, 'har'),
    }
  }
  const bytes = Buffer.from([0, 255, 39, 10]).toString('base64')

  it('sends bytes as they were', async () => {
    const request_body = { text: bytes, base64: true, cut: false }
    const { curl, fetch, har } = await exportOf({ method: 'POST' }, { request_body })
    expect(curl).toBe(
      `printf %s '${bytes}' | base64 -d | curl 'https://site.test/api' \\\n  -H 'content-type:' \\\n  --data-binary @-`,
    )
    expect(fetch).toContain(`body: Uint8Array.from(atob('${bytes}'), each => each.charCodeAt(0)) })`)
    expect(JSON.parse(har).log.entries[0].request.postData).toMatchObject({
      text: bytes,
      _encoding: 'base64',
    })
  })

  it('keeps headers that are empty, asks for a head without a body, and takes no brackets for lists', async () => {
    const request_headers: [string, string][] = [
      ['x-empty', ''],
      ['x-a', "it's"],
    ]
    const { curl } = await exportOf(
      { method: 'HEAD', url: 'https://site.test/?a[]={1}' },
      { request_headers },
    )
    expect(curl.split(' \\\n  ')).toEqual([
      "curl 'https://site.test/?a[]={1}'",
      '--globoff',
      '--head',
      "-H 'x-empty;'",
      "-H 'x-a: it'\\''s'",
    ])
  })

  it('gives what is too long for an argument by a pipe, and to a script no type that was not sent', async () => {
    const body = (text: string) => ({ request_body: { text, base64: false, cut: false } })
    const typed: Pick<TrafficUpdate, 'request_headers'> = { request_headers: [['content-type', 'text/x']] }
    const short = await exportOf({ method: 'POST' }, body('竹'))
    expect(short.curl).toContain("--data-raw '竹'")
    expect(short.fetch).toContain('body: new TextEncoder().encode("竹")')
    expect((await exportOf({ method: 'POST' }, body('x'.repeat(130_000)))).curl).toMatch(
      /^printf %s 'eHh4\S+' \| base64 -d \| curl [\s\S]+--data-binary @-$/,
    )
    expect((await exportOf({ method: 'POST' }, { ...body('竹'), ...typed })).fetch).toContain('"body": "竹"')
  })

  it('says that a request has no body, and that one is missing', async () => {
    const note = 'The body that was sent is not in here'
    const none = await exportOf({ method: 'POST' }, { request_headers: [['content-length', '0']] })
    expect(none.curl).toContain("-X 'POST' \\\n  -H 'content-length: 0'")
    expect(none.curl + none.fetch).not.toContain(note)
    const request_headers: [string, string][] = [['content-type', 'application/json']]
    const unknown = await exportOf({ method: 'POST', source: 'browser' }, { request_headers })
    expect(unknown.curl).toMatch(new RegExp(`^# ${note}.*\\ncurl`))
    expect(unknown.fetch).toMatch(new RegExp(`^// ${note}.*\\nawait`))
    const cut = await exportOf({ method: 'POST' }, { request_body: { text: '', base64: false, cut: true } })
    expect(cut.curl).toContain(note)
  })
})
