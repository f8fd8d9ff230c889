import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { RunRecord } from '../../companion/ports/state.ts'
import { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { type HttpRig, startHttpRig, statusOf } from '../support/http-rig.ts'
import { waitFor } from '../support/processes.ts'
import { operationOf, type Script } from '../support/scripted-kernel.ts'

const fitsEnvelope = new Ajv2020({ strict: false }).compile(z.toJSONSchema(Envelope))

const search: Script = {
  operation: operationOf('wiki.search', {
    doc: 'Search the pages.',
    args: z.strictObject({ query: z.string(), limit: z.int().default(10) }),
    example: { query: 'cats' },
  }),
  run: ({ args }) => [{ title: args.query }],
}
const fails = (id: string, make: () => Failure): Script => ({
  operation: operationOf(id),
  run: () => {
    throw make()
  },
})
const slow: Script = { operation: operationOf('slow.wait'), run: call => call.untilCancelled() }
const steps: Script = {
  operation: operationOf('steps.three'),
  run: ({ emit, runId }) => {
    for (const text of ['one', 'two', 'three']) emit({ type: 'progress', run_id: runId, text })
    return 'done'
  },
}

const open: HttpRig[] = []
async function rigOf(...args: Parameters<typeof startHttpRig>): Promise<HttpRig> {
  const rig = await startHttpRig(...args)
  open.push(rig)
  return rig
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(rig => rig.close()))
})

describe('operations over HTTP', () => {
  it('lists, searches and describes them', async () => {
    const rig = await rigOf([search, slow])

    const all = await (await rig.call('/v1/operations')).json()
    const found = await (await rig.call('/v1/operations?query=pages&limit=1')).json()
    const one = await (await rig.call('/v1/operations/wiki/search')).json()

    expect(all.total).toBe(2)
    expect(all.operations.map((each: { operation: string }) => each.operation)).toEqual([
      'slow.wait',
      'wiki.search',
    ])
    expect(found.operations).toEqual([
      {
        operation: 'wiki.search',
        doc: 'Search the pages.',
        effect: 'read',
        strategy: 'public',
        args: ['query', 'limit?'],
      },
    ])
    expect(one).toMatchObject({
      operation: 'wiki.search',
      example: { query: 'cats' },
      args: { required: ['query'] },
    })
  })

  it('says which name was meant when it describes one that is not there', async () => {
    const rig = await rigOf([search])

    const answer = await rig.call('/v1/operations/wiki/serch')

    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({
      error: {
        code: 'unknown_operation',
        message: 'There is no operation "wiki.serch".',
        suggestion: 'Did you mean wiki.search?',
      },
    })
  })

  it('refuses a query that it does not know', async () => {
    const rig = await rigOf()

    const answer = await rig.call('/v1/operations?limit=none&page=2')

    expect(answer.status).toBe(400)
    expect((await answer.json()).error.message).toMatch(/query\.limit.*page/)
  })

  it('calls them and answers with an envelope that fits the published schema', async () => {
    const rig = await rigOf([search])

    const answer = await rig.call('/v1/operations/wiki/search', {
      method: 'POST',
      body: { args: { query: 'cats' }, options: { profile: 'work', timeout_ms: 500 } },
    })
    const envelope = await answer.json()

    expect(answer.status).toBe(200)
    expect(fitsEnvelope(envelope), JSON.stringify(fitsEnvelope.errors)).toBe(true)
    expect(envelope).toMatchObject({
      ok: true,
      data: [{ title: 'cats' }],
      meta: { count: 1, profile: 'work' },
    })
    expect(rig.kernel.invocations).toMatchObject([
      { operation: 'wiki.search', surface: 'http', options: { profile: 'work', timeout_ms: 500 } },
    ])
  })

  it.each([
    ['invalid_args', 400, search],
    [
      'no_browser',
      503,
      fails('x.y', () => new Failure('no_browser', { cause: 'none', mend: 'unicli setup' })),
    ],
    ['auth_required', 403, fails('x.y', () => new Failure('auth_required', { site: 'x', reason: 'none' }))],
    ['rate_limited', 429, fails('x.y', () => new Failure('rate_limited', { site: 'x', retry_after_s: 3 }))],
    ['deadline_exceeded', 504, fails('x.y', () => new Failure('deadline_exceeded', { action: 'x', ms: 5 }))],
    ['outcome_unknown', 502, fails('x.y', () => new Failure('outcome_unknown', { action: 'x' }))],
    ['internal', 500, fails('x.y', () => new Failure('internal', { reason: 'x' }))],
  ])('answers a run that failed with %s by an envelope with status %i', async (code, status, script) => {
    const rig = await rigOf([script])

    const answer = await rig.call(`/v1/operations/${script.operation.id.replace('.', '/')}`, {
      method: 'POST',
      body: {},
    })
    const envelope = await answer.json()

    expect(answer.status).toBe(status)
    expect(fitsEnvelope(envelope), JSON.stringify(fitsEnvelope.errors)).toBe(true)
    expect(envelope.error.code).toBe(code)
  })

  it('takes a call without a body as one without arguments', async () => {
    const rig = await rigOf([steps])

    const answer = await rig.call('/v1/operations/steps/three', {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })

    expect(await answer.json()).toMatchObject({ ok: true, data: 'done' })
  })

  it('cancels the run when its client goes away', async () => {
    const rig = await rigOf([slow])
    const client = new AbortController()

    const answer = rig.call('/v1/operations/slow/wait', { method: 'POST', body: {}, signal: client.signal })
    await waitFor(() => rig.kernel.invocations.length === 1, { what: 'the run' })
    client.abort()

    await expect(answer).rejects.toThrow()
    await aborted(rig)
  })

  it('answers its other clients while one run goes on', async () => {
    const rig = await rigOf([slow, search])
    const client = new AbortController()
    const waiting = rig.call('/v1/operations/slow/wait', { method: 'POST', body: {}, signal: client.signal })
    waiting.catch(() => undefined)

    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(async query => {
        const answer = await rig.call('/v1/operations/wiki/search', {
          method: 'POST',
          body: { args: { query } },
        })
        return (await answer.json()).data[0].title
      }),
    )

    expect(answers).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    client.abort()
  })
})

describe('streams over HTTP', () => {
  it('sends the events of a run as server-sent events, and the envelope last', async () => {
    const rig = await rigOf([steps])

    const answer = await rig.call('/v1/operations/steps/three', {
      method: 'POST',
      body: {},
      headers: { accept: 'text/event-stream' },
    })
    const events = (await answer.text()).trim().split('\n\n').map(parseEvent)

    expect(answer.headers.get('content-type')).toMatch('text/event-stream')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    expect(events.map(event => event.name)).toEqual([
      'started',
      'progress',
      'progress',
      'progress',
      'envelope',
    ])
    expect(fitsEnvelope(events.at(-1)?.data)).toBe(true)
  })

  it('sends them as lines of JSON when asked so, failures too', async () => {
    const rig = await rigOf([search])

    const answer = await rig.call('/v1/operations/wiki/search', {
      method: 'POST',
      body: {},
      headers: { accept: 'application/x-ndjson, application/json;q=0.1' },
    })
    const lines = (await answer.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))

    expect(answer.status).toBe(200)
    expect(lines.map(line => line.type)).toEqual(['started', undefined])
    expect(fitsEnvelope(lines.at(-1))).toBe(true)
    expect(lines.at(-1)).toMatchObject({ ok: false, error: { code: 'invalid_args' } })
  })

  it('cancels the run when the reader of its stream goes away', async () => {
    const rig = await rigOf([slow])
    const client = new AbortController()

    const answer = await rig.call('/v1/operations/slow/wait', {
      method: 'POST',
      body: {},
      headers: { accept: 'text/event-stream' },
      signal: client.signal,
    })
    const reader = answer.body?.getReader()
    await reader?.read()
    client.abort()

    await aborted(rig)
  })

  it('tells watchers the state at once, each change, and what runs do', async () => {
    const rig = await rigOf([search])
    const answer = await rig.call('/v1/events', { headers: { accept: 'application/x-ndjson' } })
    const lines = linesOf(answer)

    const first = await lines.next()
    rig.announce(statusOf(7))
    rig.announceRun({ type: 'progress', run_id: 'r1', text: 'half' })
    const second = await lines.next()
    const third = await lines.next()

    expect(first.value).toMatchObject({ type: 'status', status: { operations: 1 } })
    expect(second.value).toMatchObject({ type: 'status', status: { operations: 7 } })
    expect(third.value).toEqual({ type: 'progress', run_id: 'r1', text: 'half' })
  })

  it('stops listening when a watcher goes away', async () => {
    const rig = await rigOf()
    const client = new AbortController()

    await rig.call('/v1/events', { signal: client.signal })
    expect(rig.listeners()).toBe(2)
    client.abort()

    await waitFor(() => rig.listeners() === 0, { what: 'the listeners to be gone' })
  })

  it('cuts off a watcher who does not read, in place of filling the memory', async () => {
    const rig = await rigOf()
    await rig.call('/v1/events')
    const text = 'x'.repeat(100_000)

    await waitFor(
      () => {
        for (let count = 0; count < 50; count += 1) rig.announceRun({ type: 'progress', run_id: 'r', text })
        return rig.listeners() === 0
      },
      { what: 'the watcher to be cut off' },
    )
  })
})

describe('records over HTTP', () => {
  const record: RunRecord = {
    run_id: 'r1',
    operation: 'wiki.search',
    surface: 'cli',
    args: { query: 'cats' },
    started_at: 1,
    profile: null,
    state: 'ok',
    duration_ms: 2,
    code: null,
    meta: null,
    error: null,
    steps: [],
  }

  it('lists runs as asked and shows one', async () => {
    const queries: unknown[] = []
    const rig = await rigOf([], {
      ledger: {
        list: query => {
          queries.push(query)
          return [
            {
              run_id: 'r1',
              operation: 'wiki.search',
              profile: null,
              state: 'ok',
              started_at: 1,
              duration_ms: 2,
              code: null,
            },
          ]
        },
        get: id => (id === 'r1' ? record : null),
      },
    })

    const list = await (await rig.call('/v1/runs?limit=5&state=ok')).json()
    const one = await (await rig.call('/v1/runs/r1')).json()
    const none = await rig.call('/v1/runs/r2')

    expect(queries).toEqual([{ limit: 5, state: 'ok' }])
    expect(list.runs).toHaveLength(1)
    expect(one).toEqual(record)
    expect([none.status, (await none.json()).error.code]).toEqual([404, 'not_found'])
  })

  it('shows pictures and never runs a page that was captured', async () => {
    const files: Record<string, { type: string; bytes: Uint8Array<ArrayBuffer> }> = {
      shot: { type: 'image/png', bytes: new Uint8Array([1, 2, 3]) },
      page: { type: 'text/html', bytes: new TextEncoder().encode('<script>alert(1)</script>') },
    }
    const rig = await rigOf([], { evidence: { read: async id => files[id] ?? null } })

    const shot = await rig.call('/v1/evidence/shot')
    const page = await rig.call('/v1/evidence/page')
    const none = await rig.call('/v1/evidence/none')

    expect(shot.headers.get('content-type')).toBe('image/png')
    expect(new Uint8Array(await shot.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
    expect(page.headers.get('content-type')).toBe('application/octet-stream')
    expect(page.headers.get('content-disposition')).toBe('attachment')
    expect(page.headers.get('content-security-policy')).toContain('sandbox')
    expect(none.status).toBe(404)
  })

  it('shows what waits for a person and takes the answer once', async () => {
    const rig = await rigOf()
    const approval = {
      id: 'a1',
      operation: 'shop.buy',
      effect: 'write',
      text: 'Buy a bell.',
      asked_at: 1,
      expires_at: 2,
    }
    rig.kernel.ask(approval)

    const list = await (await rig.call('/v1/approvals')).json()
    const one = await (await rig.call('/v1/approvals/a1')).json()
    const vague = await rig.call('/v1/approvals/a1', { method: 'POST', body: { allow: 'yes' } })
    const answered = await rig.call('/v1/approvals/a1', { method: 'POST', body: { allow: true } })
    const again = await rig.call('/v1/approvals/a1', { method: 'POST', body: { allow: false } })

    expect(list).toEqual({ approvals: [approval] })
    expect(one).toEqual(approval)
    expect(vague.status).toBe(400)
    expect(answered.status).toBe(200)
    expect(again.status).toBe(404)
    expect(rig.kernel.answers).toEqual([
      ['a1', true],
      ['a1', false],
    ])
  })
})

describe('life of the HTTP surface', () => {
  it('ends streams and runs when it closes, and frees its port', async () => {
    const rig = await rigOf([slow])
    const events = await rig.call('/v1/events')
    const run = rig.call('/v1/operations/slow/wait', { method: 'POST', body: {} })
    await waitFor(() => rig.kernel.invocations.length === 1, { what: 'the run' })

    await rig.close()

    expect(await events.text()).toContain('event: status')
    expect((await (await run).json()).error.code).toBe('cancelled')
    expect(rig.listeners()).toBe(0)
    await expect(fetch(rig.url)).rejects.toThrow()
    await rig.close()
  })

  it('says that a port is taken', async () => {
    const { createHttpSurface } = await import('../../companion/surfaces/http/surface.ts')
    const rig = await rigOf()
    const second = createHttpSurface({
      kernel: rig.kernel,
      ledger: { list: () => [], get: () => null },
      status: () => statusOf(0),
      onStatus: () => () => undefined,
      onRunEvent: () => () => undefined,
      token: 'x',
      version: '0',
      docsAssets: '',
      onFault: () => undefined,
    })

    await expect(second.listen(rig.port)).rejects.toMatchObject({ code: 'config_invalid' })
  })

  it('tells a fault of its own as internal, and reports it', async () => {
    const rig = await rigOf([], {
      ledger: {
        list: () => {
          throw new Error('disk on fire')
        },
        get: () => null,
      },
    })

    const answer = await rig.call('/v1/runs')

    expect(answer.status).toBe(500)
    expect((await answer.json()).error.code).toBe('internal')
    expect(rig.faults).toMatchObject([{ message: 'disk on fire' }])
  })

  it('mounts what it is given at /mcp, behind the guard', async () => {
    const rig = await rigOf([], { mcp: async request => Response.json({ got: await request.json() }) })

    const answer = await rig.call('/mcp', { method: 'POST', body: { a: 1 } })
    const refused = await fetch(`${rig.url}/mcp`, { method: 'POST', body: '{}' })

    expect(await answer.json()).toEqual({ got: { a: 1 } })
    expect(refused.status).toBe(401)
  })
})

const aborted = (rig: HttpRig) =>
  waitFor(() => rig.kernel.invocations[0]?.signal.aborted, { what: 'the signal to abort' })

function parseEvent(block: string): { name: string; data: unknown } {
  const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
  return { name, data: JSON.parse(data) }
}

async function* linesOf(answer: Response): AsyncGenerator<unknown> {
  if (answer.body === null) return
  const lines = createInterface({
    input: Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream),
  })
  for await (const line of lines) yield JSON.parse(line)
}
