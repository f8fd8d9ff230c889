import { describe, expect, test } from 'vitest'
import { MAX_FRAME_BYTES } from '../../shared/chunk.ts'
import { encodePayload, PayloadDecoder, wrapPayload } from './payload.ts'

const decode = (pieces: Buffer[]) => {
  const decoder = new PayloadDecoder()
  const payloads: string[] = []
  for (const piece of pieces) decoder.push(piece, payload => payloads.push(payload.toString()))
  return { payloads, pending: decoder.pending }
}

const texts = ['{"k":"ping"}', '', '"你好 😀"', 'x'.repeat(300)]
const stream = Buffer.concat(texts.map(encodePayload))

describe('the decoder', () => {
  test('finds the same payloads wherever the stream is cut in two', () => {
    for (let cut = 0; cut <= stream.length; cut++)
      expect(decode([stream.subarray(0, cut), stream.subarray(cut)])).toEqual({ payloads: texts, pending: 0 })
  })

  test('finds them when every byte comes alone', () => {
    expect(decode([...stream].map(byte => Buffer.from([byte]))).payloads).toEqual(texts)
  })

  test('tells how much of an incomplete frame it holds', () => {
    const whole = encodePayload('12345')
    for (let bytes = 0; bytes < whole.length; bytes++)
      expect(decode([whole.subarray(0, bytes)])).toEqual({ payloads: [], pending: bytes })
  })

  test('takes a frame of the greatest length and refuses one byte more as soon as its header is there', () => {
    const greatest = encodePayload('x'.repeat(MAX_FRAME_BYTES))
    expect(decode([greatest]).payloads[0]).toHaveLength(MAX_FRAME_BYTES)
    const header = Buffer.alloc(4)
    header.writeUInt32LE(MAX_FRAME_BYTES + 1)
    expect(() => decode([header])).toThrow(
      expect.objectContaining({
        code: 'frame_too_large',
        params: { bytes: MAX_FRAME_BYTES + 1, limit: MAX_FRAME_BYTES },
      }),
    )
  })

  test('hands over the good frames that precede a bad one', () => {
    const decoder = new PayloadDecoder()
    const payloads: string[] = []
    const bytes = Buffer.concat([encodePayload('good'), Buffer.alloc(4, 0xff)])
    expect(() => decoder.push(bytes, payload => payloads.push(payload.toString()))).toThrow()
    expect(payloads).toEqual(['good'])
  })
})

test('a text over the limit is refused before it is sent', () => {
  expect(() => encodePayload('语'.repeat(MAX_FRAME_BYTES / 2))).toThrow(
    expect.objectContaining({ code: 'frame_too_large' }),
  )
})

test('a payload that is passed on is wrapped as it was', () => {
  expect(wrapPayload(Buffer.from('abc'))).toEqual(encodePayload('abc'))
})
