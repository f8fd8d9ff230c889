import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../companion/ports/state.ts'
import { openHttpRig, statusOf } from '../support/http-rig.ts'
import { waitFor } from '../support/processes.ts'
import { slow } from '../support/scripted-kernel.ts'

describe('records over HTTP', () => {
  const record: RunRecord = {
    run_id: 'r1',
    operation: 'wiki.search',
    surface: 'cli',
    args: { query: 'cats' },
    options: {},
    started_at: 1,
    profile: null,
    state: 'ok',
    duration_ms: 2,
    code: null,
    meta: null,
    error: null,
    steps: [],
    requests: [],
    evidence: [],
    shape: null,
  }

  it('lists runs as asked and shows one', async () => {
    const queries: unknown[] = []
    const rig = await openHttpRig([], {
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

    expect(queries).toEqual([{ limit: 5, state: 'ok', since: undefined }])
    expect(list.runs).toHaveLength(1)
    expect(one).toEqual(record)
    expect([none.status, (await none.json()).error.code]).toEqual([404, 'not_found'])
  })

  it('shows pictures and never runs a page that was captured', async () => {
    const files: Record<string, { media_type: string; content: Uint8Array }> = {
      shot: { media_type: 'image/png', content: new Uint8Array([1, 2, 3]) },
      page: { media_type: 'text/html', content: new TextEncoder().encode('<script>alert(1)</script>') },
    }
    const rig = await openHttpRig([], { evidence: { get: id => files[id] ?? null } })

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
    const rig = await openHttpRig([], { takesYes: () => true })
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
    rig.kernel.ask(approval)
    const lasting = { allow: true, lasts: 'session' }
    const lasted = await rig.call('/v1/approvals/a1', { method: 'POST', body: lasting })
    rig.kernel.ask({ ...approval, choices: ['a'] })
    await rig.call('/v1/approvals/a1', { method: 'POST', body: { allow: true, reply: 'a' } })

    expect(list).toEqual({ approvals: [approval] })
    expect(one).toEqual(approval)
    expect(vague.status).toBe(400)
    expect(answered.status).toBe(200)
    expect(again.status).toBe(404)
    expect(await lasted.json()).toEqual({ id: 'a1', ...lasting })
    expect(rig.kernel.answers).toEqual([
      ['a1', true],
      ['a1', true, 'session'],
      ['a1', true, 'once', 'a'],
    ])
  })

  it('takes a no from whoever holds the token, and a yes only where the person lets HTTP give one', async () => {
    const rig = await openHttpRig()
    rig.kernel.ask({
      id: 'a1',
      operation: 'shop.buy',
      effect: 'write',
      text: 'Buy.',
      asked_at: 1,
      expires_at: 2,
    })
    const yes = await rig.call('/v1/approvals/a1', { method: 'POST', body: { allow: true } })
    expect(yes.status).toBe(403)
    expect((await yes.json()).error.code).toBe('person_required')
    expect(rig.kernel.approvals()).toHaveLength(1)
    expect((await rig.call('/v1/approvals/a1', { method: 'POST', body: { allow: false } })).status).toBe(200)
    expect(rig.kernel.answers).toEqual([['a1', false]])
  })
})

describe('life of the HTTP surface', () => {
  it('ends streams and runs when it closes, and frees its port', async () => {
    const rig = await openHttpRig([slow])
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
    const rig = await openHttpRig()
    const second = createHttpSurface({
      kernel: rig.kernel,
      takesYes: () => false,
      ledger: { list: () => [], get: () => null },
      evidence: { get: () => null },
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
    const rig = await openHttpRig([], {
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
    const rig = await openHttpRig([], { mcp: async request => Response.json({ got: await request.json() }) })

    const answer = await rig.call('/mcp', { method: 'POST', body: { a: 1 } })
    const refused = await fetch(`${rig.url}/mcp`, { method: 'POST', body: '{}' })

    expect(await answer.json()).toEqual({ got: { a: 1 } })
    expect(refused.status).toBe(401)
  })
})
