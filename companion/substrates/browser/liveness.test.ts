import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { HostState } from './host-process.ts'
import { Liveness } from './liveness.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A host that answers as long as `answers` says so; `state` is what the system tells of its process. */
function watched(host: { answers: boolean; state: HostState; drains?: boolean }) {
  const seen = { pings: 0, looks: 0, dead: null as HostState | null }
  let received = 0
  let sent = 0
  const liveness = new Liveness({
    ping: () => {
      seen.pings++
      sent += 40
      if (host.answers) received += 30
    },
    received: () => received,
    sent: () => (host.drains ? ++sent : sent),
    look: async () => {
      seen.looks++
      return host.state
    },
    dead: state => {
      seen.dead = state
    },
  })
  onTestFinished(() => liveness.stop())
  return { liveness, seen }
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('a healthy host', () => {
  test('is asked every second for a minute after it was needed, then every 15 s, and its process never', async () => {
    const { liveness, seen } = watched({ answers: true, state: 'running' })
    liveness.touch()
    await pass(10_000)
    expect(seen.pings).toBe(11)
    await pass(60_000)
    const afterMinute = seen.pings
    await pass(60_000)
    expect(seen.pings - afterMinute).toBe(4)
    expect(seen).toMatchObject({ looks: 0, dead: null })
  })
})

describe('a suspended host', () => {
  test('is found within 1.4 s while it is needed', async () => {
    const host = { answers: true, state: 'running' as HostState }
    const { liveness, seen } = watched(host)
    liveness.touch()
    await pass(5001)
    host.answers = false
    host.state = 'stopped'
    await pass(1400)
    expect(seen.dead).toBe('stopped')
  })

  test('is found within 0.4 s of the first need after an idle time', async () => {
    const { liveness, seen } = watched({ answers: false, state: 'stopped' })
    await pass(2000)
    liveness.touch()
    await pass(400)
    expect(seen.dead).toBe('stopped')
  })
})

describe('a silent host that is not suspended', () => {
  test('is given up after 10 s, not before', async () => {
    const { liveness, seen } = watched({ answers: false, state: 'running' })
    liveness.touch()
    await pass(9900)
    expect(seen.dead).toBeNull()
    await pass(1000)
    expect(seen.dead).toBe('running')
  })

  test('is left alone while it takes what was sent to it', async () => {
    const { liveness, seen } = watched({ answers: false, state: 'running', drains: true })
    liveness.touch()
    await pass(60_000)
    expect(seen.dead).toBeNull()
  })
})

test('after the machine slept, the host gets a new ping before it is judged', async () => {
  const host = { answers: false, state: 'running' as HostState }
  const { liveness, seen } = watched(host)
  liveness.touch()
  await pass(1)
  host.answers = true
  vi.setSystemTime(Date.now() + 3_600_000)
  await pass(300)
  expect(seen).toMatchObject({ pings: 2, looks: 0, dead: null })
  await pass(20_000)
  expect(seen.dead).toBeNull()
})

test('a watch that was stopped says nothing more, not even from a look under way', async () => {
  const { liveness, seen } = watched({ answers: false, state: 'stopped' })
  liveness.touch()
  await pass(1)
  liveness.stop()
  await pass(60_000)
  expect(seen).toMatchObject({ pings: 1, dead: null })
})
