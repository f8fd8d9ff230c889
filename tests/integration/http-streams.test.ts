import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { valid } from '../support/envelope-check.ts'
import { type HttpRig, openHttpRig, statusOf } from '../support/http-rig.ts'
import { waitFor } from '../support/processes.ts'
import { search, slow, steps } from '../support/scripted-kernel.ts'

describe('streams over HTTP', () => {
  it('sends the events of a run as server-sent events, and the envelope last', async () => {
    const rig = await openHttpRig([steps])

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
    valid(events.at(-1)?.data)
  })

  it('sends them as lines of JSON when asked so, failures too', async () => {
    const rig = await openHttpRig([search])

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
    valid(lines.at(-1))
    expect(lines.at(-1)).toMatchObject({ ok: false, error: { code: 'invalid_args' } })
  })

  it('cancels the run when the reader of its stream goes away', async () => {
    const rig = await openHttpRig([slow])
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
    const rig = await openHttpRig([search])
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
    const rig = await openHttpRig()
    const client = new AbortController()

    await rig.call('/v1/events', { signal: client.signal })
    expect(rig.listeners()).toBe(2)
    client.abort()

    await waitFor(() => rig.listeners() === 0, { what: 'the listeners to be gone' })
  })

  it('cuts off a watcher who does not read, in place of filling the memory', async () => {
    const rig = await openHttpRig()
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
