import { describe, expect, it } from 'vitest'
import { LegacyCalls } from './legacy-calls.ts'

const never = () => new AbortController().signal

describe('calls of 2025-era clients over HTTP', () => {
  it('cancels the one call that a client names, though others use the same id', () => {
    const calls = new LegacyCalls()
    const mine = calls.open('a', 1, never())
    const theirs = calls.open('b', 1, never())
    const other = calls.open('a', '1', never())

    calls.cancel('a', 1)

    expect([mine, theirs, other].map(call => call.signal.aborted)).toEqual([true, false, false])
  })

  it('aborts with the exchange itself', () => {
    const exchange = new AbortController()
    const call = new LegacyCalls().open('a', 1, exchange.signal)

    exchange.abort()

    expect(call.signal.aborted).toBe(true)
  })

  it('forgets a call that is done, and nothing but that', () => {
    const calls = new LegacyCalls()
    const first = calls.open('a', 1, never())
    const second = calls.open('a', 1, never())

    first.release()
    calls.cancel('a', 1)

    expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true])
  })

  it('cancels nothing for a client without a session', () => {
    const calls = new LegacyCalls()
    const call = calls.open(null, 1, never())

    calls.cancel(null, 1)
    calls.cancel('a', undefined)

    expect(call.signal.aborted).toBe(false)
  })
})
