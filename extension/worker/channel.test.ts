import { describe, expect, test } from 'vitest'
import { CHUNK_CHARS, chunked, type Frame } from '../../shared/frame.ts'
import { FrameChannel, type FrameFault } from './channel.ts'

function channel() {
  const posted: unknown[] = []
  const frames: Frame[] = []
  const faults: FrameFault[] = []
  let receive: (message: unknown) => void = () => undefined
  const port = {
    postMessage: (message: unknown) => void posted.push(message),
    disconnect: () => undefined,
    onMessage: {
      addListener: (listener: (message: unknown) => void) => {
        receive = listener
      },
    },
  }
  const made = new FrameChannel(
    port,
    frame => frames.push(frame),
    fault => faults.push(fault),
  )
  return { made, posted, frames, faults, receive: (message: unknown) => receive(message) }
}

const big: Frame = { k: 'done', id: 'c', result: '😀"\\'.repeat(CHUNK_CHARS) }

describe('FrameChannel', () => {
  test('splits what is large, and joins it again', () => {
    const out = channel()
    out.made.send({ k: 'pong', id: 'p' })
    expect(out.posted).toEqual([{ k: 'pong', id: 'p' }])
    out.made.send(big)
    expect(out.posted.length).toBeGreaterThan(3)
    const into = channel()
    for (const piece of out.posted.slice(1)) into.receive(structuredClone(piece))
    expect(into.frames).toEqual([big])
    expect(into.faults).toEqual([])
  })

  test('joins messages whose chunks come in turns', () => {
    const { receive, frames } = channel()
    const pieces = (['a', 'b'] as const).map(id => chunked(big, () => id))
    for (const [index] of (pieces[0] ?? []).entries()) for (const each of pieces) receive(each[index])
    expect(frames).toHaveLength(2)
  })

  test('refuses to send more than a whole message may be', () => {
    const { made, posted } = channel()
    const huge: Frame = { k: 'done', id: 'c', result: 'x'.repeat(65 * 1024 * 1024) }
    expect(() => made.send(huge)).toThrow(/over the limit/)
    expect(posted).toEqual([])
  })

  test('reports what is no frame, and goes on', () => {
    const { receive, frames, faults } = channel()
    receive(null)
    receive('text')
    receive({ k: 'surprise' })
    receive({ k: 'call', id: 'c7', method: 1 })
    receive({ k: 'chunk', id: 'gap', seq: 2, last: true, text: 'x' })
    receive({ k: 'chunk', id: 'junk', seq: 0, last: true, text: '{' })
    receive({
      k: 'chunk',
      id: 'nested',
      seq: 0,
      last: true,
      text: JSON.stringify({ k: 'chunk', id: 'n', seq: 0, last: true, text: '{}' }),
    })
    expect(faults.map(fault => fault.id)).toEqual([null, null, null, 'c7', null, null, null])
    receive({ k: 'pong', id: 'p' })
    expect(frames).toEqual([{ k: 'pong', id: 'p' }])
  })
})
