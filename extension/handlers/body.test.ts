import { describe, expect, test } from 'vitest'
import { fromBase64, toBase64 } from '../worker/base64.ts'
import { decodeBody } from './body.ts'

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  )
const ZHONG_WEN = [0xd6, 0xd0, 0xce, 0xc4]

describe('decodeBody', () => {
  test.each([
    ['the header', bytes(ZHONG_WEN), 'text/plain; charset="GBK"', '中文'],
    ['UTF-8 when nothing is said', bytes('中文'), 'application/json', '中文'],
    ['a type of the +json kind', bytes('{}'), 'application/problem+json; charset=utf-8', '{}'],
    ['an unknown charset as UTF-8', bytes('ä'), 'text/plain; charset=klingon', 'ä'],
    ['a byte order mark', bytes([0xff, 0xfe, 0x2d, 0x4e]), 'text/plain', '中'],
    [
      'an XML declaration',
      bytes('<?xml version="1.0" encoding="gb2312"?>', ZHONG_WEN),
      'application/xml',
      '<?xml version="1.0" encoding="gb2312"?>中文',
    ],
    ['no type at all', bytes('plain'), '', 'plain'],
  ])('reads text by %s', (_, input, type, text) => {
    expect(decodeBody(input, type)).toEqual({ body: text, base64: false })
  })

  test('reads a page by what its meta element says', () => {
    for (const meta of [
      '<meta charset=gbk>',
      '<meta http-equiv="Content-Type" content="text/html; charset=gbk">',
    ])
      expect(decodeBody(bytes(meta, ZHONG_WEN), 'text/html').body).toBe(`${meta}中文`)
  })

  test('gives everything else as base64', () => {
    expect(decodeBody(bytes([1, 0, 255]), 'image/png')).toEqual({ body: 'AQD/', base64: true })
    expect(decodeBody(bytes([1, 0, 255]), '')).toEqual({ body: 'AQD/', base64: true })
  })

  test('has base64 that is exact over any length', () => {
    const long = Uint8Array.from({ length: 100_003 }, (_, index) => index % 251)
    expect(toBase64(long)).toBe(Buffer.from(long).toString('base64'))
    expect(fromBase64(toBase64(long))).toEqual(long)
  })
})
