import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import type { Frame } from '../../shared/frame.ts'
import { WIRE, type WireHandlers, type WireMethod } from '../../shared/wire.ts'
import { CallTable } from './calls.ts'

type Handler = (params: unknown, call: { signal: AbortSignal; deadline: number }) => Promise<unknown>

/** Every method refuses but those that are given. */
function handlers(own: Partial<Record<WireMethod, Handler>>): WireHandlers {
  const refuse: Handler = () => Promise.reject(new Error('not in this test'))
  const all = Object.keys(WIRE).map(method => [method, own[method as WireMethod] ?? refuse])
  return Object.fromEntries(all) as WireHandlers
}

function table(own: Partial<Record<WireMethod, Handler>>, onIdle = vi.fn()) {
  const sent: Frame[] = []
  const calls = new CallTable(handlers(own), onIdle)
  const ask = (method: string, params: unknown, deadline = Date.now() + 1000, id = 'c1') =>
    calls.accept({ k: 'call', id, method, params, deadline }, frame => sent.push(frame))
  return { calls, sent, ask, onIdle }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('CallTable', () => {
  test('passes parsed params on and answers with the result', async () => {
    const { sent, ask, onIdle } = table({ 'session.tabs': async params => [params] })
    ask('session.tabs', { session: 's' })
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toEqual([{ k: 'done', id: 'c1', result: [{ session: 's' }] }])
    expect(onIdle).toHaveBeenCalledTimes(1)
  })

  test('refuses an unknown method, params that do not fit, and a deadline that has passed', () => {
    const { sent, ask } = table({})
    ask('page.fly', {})
    ask('session.tabs', { session: '' })
    ask('session.tabs', { session: 's', more: 1 })
    ask('link.ping', {}, Date.now())
    expect(sent.map(frame => frame.k === 'fail' && frame.failure.code)).toEqual([
      'unsupported',
      'bad_request',
      'bad_request',
      'deadline_exceeded',
    ])
  })

  test('answers with the handler’s failure, and any other error as internal', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    const { sent, ask } = table({
      'session.tabs': () => Promise.reject(new Failure('tab_gone', { session: 's' })),
      'link.ping': () => Promise.reject(new TypeError('oops')),
    })
    ask('session.tabs', { session: 's' })
    ask('link.ping', {}, undefined, 'c2')
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toEqual([
      { k: 'fail', id: 'c1', failure: { code: 'tab_gone', params: { session: 's' } } },
      { k: 'fail', id: 'c2', failure: { code: 'internal', params: { reason: 'oops' } } },
    ])
  })

  test('fails at the deadline, aborts the handler, and drops its late answer', async () => {
    const aborted = vi.fn()
    const { sent, ask } = table({
      'link.ping': (_, { signal }) =>
        new Promise(resolve => {
          signal.addEventListener('abort', () => {
            aborted(signal.reason)
            resolve({ at: 1 })
          })
        }),
    })
    ask('link.ping', {}, Date.now() + 300)
    await vi.advanceTimersByTimeAsync(299)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual([
      {
        k: 'fail',
        id: 'c1',
        failure: { code: 'deadline_exceeded', params: { action: 'link.ping', ms: 300 } },
      },
    ])
    expect(Failure.is(aborted.mock.calls[0]?.[0], 'deadline_exceeded')).toBe(true)
  })

  test('sends nothing for a call that was stopped, and aborts everything when the link is lost', async () => {
    const signals: AbortSignal[] = []
    const { calls, sent, ask, onIdle } = table({
      'link.ping': (_, { signal }) => {
        signals.push(signal)
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        )
      },
    })
    ask('link.ping', {})
    ask('link.ping', {}, undefined, 'c2')
    calls.stop('c1')
    calls.stop('never')
    expect(signals.map(signal => signal.aborted)).toEqual([true, false])
    expect(onIdle).not.toHaveBeenCalled()
    calls.abortAll(new Failure('link_lost', { hop: 'native host' }))
    await vi.advanceTimersByTimeAsync(2000)
    expect(signals.map(signal => signal.aborted)).toEqual([true, true])
    expect(sent).toEqual([])
    expect(calls.size).toBe(0)
  })

  test('runs a call once though it came twice', async () => {
    vi.spyOn(console, 'warn').mockReturnValue(undefined)
    const ping = vi.fn(() => new Promise<never>(() => undefined))
    const { ask } = table({ 'link.ping': ping })
    ask('link.ping', {})
    ask('link.ping', {})
    expect(ping).toHaveBeenCalledTimes(1)
  })

  test('says so when a result is too large to be sent', async () => {
    const sent: Frame[] = []
    const calls = new CallTable(handlers({ 'link.ping': async () => ({ at: 1 }) }))
    calls.accept(
      { k: 'call', id: 'c1', method: 'link.ping', params: {}, deadline: Date.now() + 1000 },
      frame => {
        if (frame.k === 'done') throw new Failure('frame_too_large', { bytes: 9, limit: 1 })
        sent.push(frame)
      },
    )
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toMatchObject([{ k: 'fail', id: 'c1', failure: { code: 'frame_too_large' } }])
  })
})
