import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../shared/frame.ts'
import { CLI_EVENT, RUN_METHOD } from './channel.ts'
import type { CliIo } from './request.ts'
import { type CliPeer, serveCli } from './session.ts'

/** A client in memory that reads only when it is let. */
function client(run: (request: unknown, io: CliIo) => Promise<number>) {
  const frames: Frame[] = []
  const listeners: { frame: (frame: Frame) => void; drain: () => void; close: () => void } = {
    frame: () => undefined,
    drain: () => undefined,
    close: () => undefined,
  }
  const state = { isFree: true }
  const peer: CliPeer = {
    send: frame => {
      frames.push(frame)
      return state.isFree
    },
    onDrain: listener => {
      listeners.drain = listener
    },
    onFrame: listener => {
      listeners.frame = listener
    },
    onClose: listener => {
      listeners.close = listener
    },
  }
  serveCli({ run }, peer)
  const call = (method = RUN_METHOD) =>
    listeners.frame({ k: 'call', id: 'run', method, params: {}, deadline: Date.now() + 1000 })
  const text = (name: string) =>
    frames.map(frame => (frame.k === 'event' && frame.name === name ? frame.data : '')).join('')
  const send = (data: string | null) => listeners.frame({ k: 'event', name: CLI_EVENT.in, data })
  return { frames, state, listeners, call, send, text }
}
/** Lets everything happen that waits for nothing but its turn. */
const settle = () => new Promise(resolve => setImmediate(resolve))

describe('the session of a thin client', () => {
  it('carries output in pieces that cut no character, and the exit code last', async () => {
    const out = `a${'😀'.repeat(100_000)}`
    const { frames, call, text } = client(async (_, io) => {
      io.out(out)
      io.err('err')
      io.effect('write')
      return 77
    })
    call()
    await settle()
    const pieces = frames.filter(frame => frame.k === 'event' && frame.name === CLI_EVENT.out)
    expect(pieces.length).toBeGreaterThan(2)
    for (const piece of pieces) expect(JSON.stringify(piece)).not.toMatch(/\\ud[89a-f]/)
    expect(text(CLI_EVENT.out)).toBe(out)
    expect(text(CLI_EVENT.err)).toBe('err')
    expect(text(CLI_EVENT.effect)).toBe('write')
    expect(frames.at(-1)).toEqual({ k: 'done', id: 'run', result: { exit_code: 77 } })
  })

  it('waits for a client that does not read, and keeps the order', async () => {
    const { frames, call, state, listeners, text } = client(async (_, io) => {
      for (const part of ['1', '2', '3']) io.out(part)
      return 0
    })
    state.isFree = false
    call()
    await settle()
    expect(frames).toHaveLength(1)
    listeners.drain()
    expect(frames).toHaveLength(2)
    state.isFree = true
    listeners.drain()
    expect(text(CLI_EVENT.out)).toBe('123')
    expect(frames.at(-1)?.k).toBe('done')
  })

  it('asks for stdin at the first read, once, and gives it to its end', async () => {
    const { frames, call, send } = client(async (_, io) => {
      let text = ''
      for await (const chunk of io.stdin()) text += chunk
      for await (const chunk of io.stdin()) text += chunk
      io.out(text)
      return 0
    })
    call()
    await settle()
    send('東')
    await settle()
    send('京')
    send(null)
    await settle()
    const names = frames.map(frame => (frame.k === 'event' ? frame.name : frame.k))
    expect(names).toEqual([CLI_EVENT.wantStdin, CLI_EVENT.out, 'done'])
    expect(frames[1]).toMatchObject({ data: '東京' })
  })

  it.each(['stop', 'close'] as const)('cancels at %s', async how => {
    let isCancelled = false
    const { call, listeners } = client(
      (_, io) =>
        new Promise(resolve => {
          io.signal.addEventListener('abort', () => {
            isCancelled = true
            resolve(1)
          })
        }),
    )
    call()
    if (how === 'close') listeners.close()
    else listeners.frame({ k: 'stop', id: 'run' })
    await settle()
    expect(isCancelled).toBe(true)
  })

  it('refuses a method that is none', async () => {
    const { frames, call } = client(async () => 0)
    call('cli.other')
    await settle()
    expect(frames).toMatchObject([{ k: 'fail', id: 'run', failure: { code: 'frame_invalid' } }])
  })
})
