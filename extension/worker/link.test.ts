import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Frame } from '../../shared/frame.ts'
import { PROTOCOL } from '../../shared/frame.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import { Backoff } from './backoff.ts'
import { CallTable } from './calls.ts'
import { type HostPort, Link } from './link.ts'

interface FakePort {
  sent: Frame[]
  closed: boolean
  receive(frame: unknown): void
  end(reason: string): void
}

function rig() {
  const ports: FakePort[] = []
  const connect = (): HostPort => {
    let receive: (message: unknown) => void = () => undefined
    let ended: (reason: string) => void = () => undefined
    const port: FakePort = {
      sent: [],
      closed: false,
      receive: frame => receive(frame),
      end: reason => ended(reason),
    }
    ports.push(port)
    return {
      // What the link posts are frames.
      postMessage: message => void port.sent.push(message as Frame),
      disconnect: () => {
        port.closed = true
      },
      onMessage: {
        addListener: listener => {
          receive = listener
        },
      },
      onEnd: listener => {
        ended = listener
      },
    }
  }
  const calls = new CallTable({
    'link.ping': () => new Promise(() => undefined),
  } as unknown as WireHandlers)
  const link = new Link({
    connect,
    hello: async () => ({
      version: '1.2.3',
      profile: { id: 'p', name: 'P' },
      browser: { name: 'B', version: '1' },
    }),
    hasDebugger: false,
    calls,
    backoff: new Backoff(() => 1),
  })
  const newest = (): FakePort => {
    const port = ports.at(-1)
    if (port === undefined) throw new Error('not connected')
    return port
  }
  const welcome = (): void =>
    newest().receive({ k: 'welcome', protocol: PROTOCOL, version: '9', refused: null })
  return { link, ports, newest, welcome, calls }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'warn').mockReturnValue(undefined)
})
afterEach(() => {
  vi.useRealTimers()
})
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

describe('Link', () => {
  test('says hello, and is linked once it is welcome', async () => {
    const { link, newest, welcome, ports } = rig()
    link.ensure()
    link.ensure()
    await pass(0)
    expect(ports).toHaveLength(1)
    expect(newest().sent[0]).toMatchObject({
      k: 'hello',
      protocol: PROTOCOL,
      version: '1.2.3',
      capabilities: ['page', 'capture', 'http', 'cookies', 'person'],
    })
    expect(link.view.phase).toBe('connecting')
    welcome()
    expect(link.view).toMatchObject({ phase: 'linked', companion_version: '9' })
    await pass(60_000)
    expect(link.view.phase).toBe('linked')
  })

  test('opens a lost link at once, then after pauses that grow to five seconds', async () => {
    const { link, ports, newest, welcome } = rig()
    link.ensure()
    await pass(0)
    welcome()
    await pass(2000)
    const pauses: number[] = []
    for (let turn = 0; turn < 9; turn++) {
      const before = ports.length
      newest().end('Native host has exited.')
      let waited = 0
      while (ports.length === before) {
        await pass(waited === 0 ? 0 : 100)
        if (ports.length === before) waited += 100
      }
      pauses.push(waited)
    }
    expect(pauses).toEqual([0, 100, 200, 400, 800, 1600, 3200, 5000, 5000])
  })

  test('tries a missing host every five seconds, and at once when asked', async () => {
    const { link, ports, newest } = rig()
    link.ensure()
    newest().end('Specified native messaging host not found.')
    expect(link.view).toMatchObject({
      phase: 'host_missing',
      detail: 'Specified native messaging host not found.',
    })
    await pass(4999)
    expect(ports).toHaveLength(1)
    await pass(1)
    expect(ports).toHaveLength(2)
    expect(link.view.phase).toBe('host_missing')
    newest().end('No such native application dev.unicli.bridge')
    link.ensure()
    expect(ports).toHaveLength(3)
    newest().end('Access to the specified native messaging host is forbidden.')
    expect(link.view.phase).toBe('host_forbidden')
  })

  test('gives up on a silent host or companion after five seconds, and tells which it was', async () => {
    const { link, ports, newest } = rig()
    link.ensure()
    const first = newest()
    await pass(5000)
    expect(first.closed).toBe(true)
    expect(link.view.phase).toBe('host_silent')
    await pass(1)
    expect(ports).toHaveLength(2)
    await pass(1)
    newest().receive({ k: 'pong', id: 'hello' })
    await pass(5000)
    expect(link.view.phase).toBe('companion_silent')
  })

  test('leaves a companion alone that refused it, and keeps the reason', async () => {
    const { link, ports, newest } = rig()
    link.ensure()
    await pass(0)
    const params = { side: 'extension', have: '1', need: '3', mend: 'update' }
    newest().receive({
      k: 'welcome',
      protocol: 3,
      version: '9',
      refused: { code: 'version_skew', params },
    })
    expect(link.view).toMatchObject({
      phase: 'refused',
      detail: 'The extension speaks protocol 1; 3 is needed.',
    })
    await pass(29_000)
    expect(ports).toHaveLength(1)
    await pass(1000)
    expect(ports).toHaveLength(2)
  })

  test('aborts what is under way when the link is lost, and answers nothing on the next one', async () => {
    const { link, newest, welcome, calls } = rig()
    link.ensure()
    await pass(0)
    welcome()
    newest().receive({ k: 'call', id: 'c', method: 'link.ping', params: {}, deadline: Date.now() + 1e6 })
    expect(calls.size).toBe(1)
    const asked = link.ask('person.status', {})
    newest().end('Native host has exited.')
    expect(calls.size).toBe(0)
    await expect(asked).rejects.toMatchObject({ code: 'link_lost' })
    await pass(100)
    expect(newest().sent.map(frame => frame.k)).toEqual(['hello', 'ping'])
    await expect(link.ask('person.stop', {})).rejects.toMatchObject({ code: 'companion_unavailable' })
  })

  test('says hello anew for a changed name only when nothing is under way', async () => {
    const { link, ports, newest, welcome, calls } = rig()
    link.ensure()
    await pass(0)
    welcome()
    newest().receive({ k: 'call', id: 'c', method: 'link.ping', params: {}, deadline: Date.now() + 1e6 })
    link.relink()
    await pass(0)
    expect(ports).toHaveLength(1)
    calls.stop('c')
    link.onIdle()
    await pass(0)
    expect(ports).toHaveLength(2)
    expect(ports[0]?.closed).toBe(true)
  })

  test('answers pings and drops events without a link', async () => {
    const { link, newest, welcome } = rig()
    link.emit('session.tab_closed', { session: 's', tab: 1 })
    link.ensure()
    await pass(0)
    link.emit('session.tab_closed', { session: 's', tab: 2 })
    welcome()
    link.emit('session.tab_closed', { session: 's', tab: 3 })
    newest().receive({ k: 'ping', id: 'x', to: 'extension' })
    expect(newest().sent.slice(2)).toEqual([
      { k: 'event', name: 'session.tab_closed', data: { session: 's', tab: 3 } },
      { k: 'pong', id: 'x' },
    ])
  })
})
