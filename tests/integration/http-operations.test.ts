import { describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { valid } from '../support/envelope-check.ts'
import { type HttpRig, openHttpRig } from '../support/http-rig.ts'
import { waitFor } from '../support/processes.ts'
import { operationOf, type Script, search, slow, steps } from '../support/scripted-kernel.ts'

const fails = (id: string, make: () => Failure): Script => ({
  operation: operationOf(id),
  run: () => {
    throw make()
  },
})

describe('operations over HTTP', () => {
  it('lists, searches and describes them', async () => {
    const rig = await openHttpRig([search, slow])

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
        auth: 'none',
        needs: [],
        example: { query: 'cats' },
      },
    ])
    expect(one).toMatchObject({
      operation: 'wiki.search',
      example: { query: 'cats' },
      args: { required: ['query'] },
    })
  })

  it('says which name was meant when it describes one that is not there', async () => {
    const rig = await openHttpRig([search])

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
    const rig = await openHttpRig()

    const answer = await rig.call('/v1/operations?limit=none&page=2')

    expect(answer.status).toBe(400)
    expect((await answer.json()).error.message).toMatch(/query\.limit.*page/)
  })

  it('calls them and answers with an envelope that fits the published schema', async () => {
    const rig = await openHttpRig([search])

    const answer = await rig.call('/v1/operations/wiki/search', {
      method: 'POST',
      body: { args: { query: 'cats' }, options: { profile: 'work', timeout_ms: 500 } },
    })
    const envelope = await answer.json()

    expect(answer.status).toBe(200)
    valid(envelope)
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
    const rig = await openHttpRig([script])

    const answer = await rig.call(`/v1/operations/${script.operation.id.replace('.', '/')}`, {
      method: 'POST',
      body: {},
    })
    const envelope = await answer.json()

    expect(answer.status).toBe(status)
    valid(envelope)
    expect(envelope.error.code).toBe(code)
  })

  it('takes a call without a body as one without arguments', async () => {
    const rig = await openHttpRig([steps])

    const answer = await rig.call('/v1/operations/steps/three', {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })

    expect(await answer.json()).toMatchObject({ ok: true, data: 'done' })
  })

  it('cancels the run when its client goes away', async () => {
    const rig = await openHttpRig([slow])
    const client = new AbortController()

    const answer = rig.call('/v1/operations/slow/wait', { method: 'POST', body: {}, signal: client.signal })
    await waitFor(() => rig.kernel.invocations.length === 1, { what: 'the run' })
    client.abort()

    await expect(answer).rejects.toThrow()
    await aborted(rig)
  })

  it('answers its other clients while one run goes on', async () => {
    const rig = await openHttpRig([slow, search])
    const client = new AbortController()
    const { signal } = client
    const ended = expect(
      rig.call('/v1/operations/slow/wait', { method: 'POST', body: {}, signal }),
    ).rejects.toThrow()

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
    await ended
  })
})

const aborted = (rig: HttpRig) =>
  waitFor(() => rig.kernel.invocations[0]?.signal.aborted, { what: 'the signal to abort' })
