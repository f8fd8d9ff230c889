import { describe, expect, test } from 'vitest'
import { CHUNK_CHARS, ChunkJoiner, chunked, MAX_FRAME_BYTES } from './chunk.ts'
import { Frame } from './frame.ts'

const event = (data: string): Frame => ({ k: 'event', name: 'any', data })
const join = (frames: Frame[], joiner = new ChunkJoiner()): unknown => {
  let whole: string | null = null
  for (const frame of frames) whole = frame.k === 'chunk' ? joiner.push(frame) : JSON.stringify(frame)
  return JSON.parse(whole ?? 'null')
}

describe('splitting', () => {
  test('leaves a message alone that fits', () => {
    const small = event('x'.repeat(1000))
    expect(chunked(small, () => 'c1')).toEqual([small])
  })

  test.each([
    ['plain text', 'x'],
    ['text of which every character doubles', '"'],
    ['text of three bytes a character', '语'],
    ['characters of two units, one of which may fall on either side of a cut', '😀'],
  ])('gives frames below the limit of the stream for %s, and joining gives the message back', (_, unit) => {
    const large = event(unit.repeat(CHUNK_CHARS))
    const frames = chunked(large, () => 'c1')
    expect(frames.length).toBeGreaterThan(1)
    for (const frame of frames) {
      expect(Frame.safeParse(frame).success).toBe(true)
      expect(Buffer.byteLength(JSON.stringify(frame))).toBeLessThan(MAX_FRAME_BYTES)
    }
    expect(join(frames)).toEqual(large)
  })
})

describe('joining', () => {
  const chunk = (seq: number, text: string, last = false, id = 'c') => ({
    k: 'chunk' as const,
    id,
    seq,
    last,
    text,
  })

  test('keeps interleaved messages apart', () => {
    const joiner = new ChunkJoiner()
    expect(joiner.push(chunk(0, 'a', false, 'one'))).toBeNull()
    expect(joiner.push(chunk(0, 'x', false, 'two'))).toBeNull()
    expect(joiner.push(chunk(1, 'b', true, 'one'))).toBe('ab')
    expect(joiner.push(chunk(1, 'y', true, 'two'))).toBe('xy')
  })

  test('refuses a gap and forgets the message', () => {
    const joiner = new ChunkJoiner()
    joiner.push(chunk(0, 'a'))
    expect(() => joiner.push(chunk(2, 'c'))).toThrow('chunk 2 out of order')
    expect(() => joiner.push(chunk(1, 'b'))).toThrow('chunk 1 out of order')
  })

  test('limits all waiting messages together, and frees what was joined or refused', () => {
    const joiner = new ChunkJoiner(10)
    joiner.push(chunk(0, 'aaaaa', false, 'one'))
    joiner.push(chunk(0, 'bbbb', false, 'two'))
    expect(() => joiner.push(chunk(1, 'cc', false, 'two'))).toThrow('message too large')
    expect(joiner.push(chunk(1, 'aaaaa', true, 'one'))).toBe('aaaaaaaaaa')
    expect(joiner.push(chunk(0, 'dddddddddd', true, 'three'))).toBe('dddddddddd')
  })
})
