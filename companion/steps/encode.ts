import { createHash, createHmac } from 'node:crypto'
import { decodeHTML, escapeUTF8 } from 'entities'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { BYTE_ENCODINGS, bytesOfText, decodeBytes, encodeBytes } from './bytes.ts'
import { atField, changeAt, parseFailure, textOf, wrongInput } from './fields.ts'

const ALGORITHMS = ['sha256', 'sha1', 'sha384', 'sha512', 'md5'] as const
const Encoding = z.enum(BYTE_ENCODINGS)

export const hash = defineStep({
  name: 'hash',
  doc: 'Hash text (as UTF-8) or bytes.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({
    algorithm: z.enum(ALGORITHMS).default('sha256'),
    encoding: Encoding.default('hex'),
    ...atField,
  }),
  example: { algorithm: 'sha1', field: 'title', to: 'id' },
  exampleInput: [{ title: '桥' }],
  exampleOutput: [{ title: '桥', id: '579c8d68cdfa151e010368ccfa1144b97a631540' }],
  run: async ({ data }, { algorithm, encoding, ...place }) =>
    changeAt(data, place, value => createHash(algorithm).update(bytesOfText(value, 'hash')).digest(encoding)),
})

export const sign = defineStep({
  name: 'sign',
  aliases: ['hmac'],
  doc: 'Sign text (as UTF-8) or bytes with a key: an HMAC. Take the key from a secret argument or a declared environment name.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({
    key: z.string().min(1).describe('such as ${{ args.key }}; it appears in no answer, log or failure'),
    key_encoding: z
      .enum(['utf8', ...BYTE_ENCODINGS])
      .default('utf8')
      .describe('how the key is written'),
    algorithm: z.enum(ALGORITHMS).default('sha256'),
    encoding: Encoding.default('hex'),
    ...atField,
  }),
  example: { key: '${{ args.key }}', encoding: 'base64' },
  exampleInput: 'GET /orders?limit=1',
  exampleOutput: 'jeu01GsJEe8NSZIBPT56kS1NvR7jjSHxU0/hw6RIZV0=',
  run: async ({ data }, { key, key_encoding, algorithm, encoding, ...place }) => {
    const bytes = key_encoding === 'utf8' ? Buffer.from(key, 'utf8') : decodeBytes(key, key_encoding)
    if (bytes === null)
      throw new Failure('usage', {
        problem: `The key of "sign" is not ${key_encoding}.`,
        hint: 'Look at how the key is written, and say so in key_encoding.',
      })
    return changeAt(data, place, value =>
      createHmac(algorithm, bytes).update(bytesOfText(value, 'sign')).digest(encoding),
    )
  },
})

const TEXT_CODES = [...BYTE_ENCODINGS, 'url', 'html'] as const

export const encode = defineStep({
  name: 'encode',
  doc: 'Write text (as UTF-8) or bytes as base64, base64url, hex, a part of an address, or escaped for HTML.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({ as: z.enum(TEXT_CODES), ...atField }),
  example: { as: 'base64url' },
  exampleInput: '桥 & bridge',
  exampleOutput: '5qGlICYgYnJpZGdl',
  run: async ({ data }, { as, ...place }) =>
    changeAt(data, place, value => {
      // Half a pair of surrogates has no UTF-8; Buffer puts U+FFFD there, where encodeURIComponent throws.
      if (as === 'url') return encodeURIComponent(Buffer.from(textOf(value, 'encode')).toString())
      if (as === 'html') return escapeUTF8(textOf(value, 'encode'))
      return encodeBytes(bytesOfText(value, 'encode'), as)
    }),
})

const Charset = z
  .string()
  .refine(isCharset, 'this is no charset that is known, such as utf-8, gb18030 or shift_jis')
const Decode = z.strictObject({
  from: z.enum([...TEXT_CODES, 'bytes']).describe('bytes: data that is bytes already'),
  charset: Charset.default('utf-8').describe('what the bytes are in, such as gb18030, big5 or shift_jis'),
  ...atField,
})

export const decode = defineStep({
  name: 'decode',
  doc: 'Read text out of base64, base64url, hex, an address, HTML entities or bytes, in any charset.',
  needs: [],
  effect: 'pure',
  schema: Decode,
  example: { from: 'url', charset: 'gb18030' },
  exampleInput: '%C7%C5%20bridge',
  exampleOutput: '桥 bridge',
  run: async ({ data }, { from, charset, ...place }) => {
    // Fatal: a text full of replacement characters is a wrong charset that nobody notices.
    const decoder = new TextDecoder(charset, { fatal: true })
    return changeAt(data, place, value => decoded(value, from, decoder))
  },
})

function decoded(value: unknown, from: z.output<typeof Decode>['from'], decoder: TextDecoder): string {
  if (from === 'html') return decodeHTML(textOf(value, 'decode'))
  const bytes = encodedBytes(value, from)
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw parseFailure('The input of "decode"', new Error(`its bytes are not ${decoder.encoding}`, { cause }))
  }
}

function encodedBytes(value: unknown, from: Exclude<z.output<typeof Decode>['from'], 'html'>): Uint8Array {
  if (from === 'bytes') {
    if (value instanceof Uint8Array) return value
    throw wrongInput('decode', 'bytes', value)
  }
  const text = textOf(value, 'decode')
  const bytes = from === 'url' ? percentBytes(text) : decodeBytes(text, from)
  if (bytes === null) throw parseFailure('The input of "decode"', `it is not ${from}`)
  return bytes
}

/** Null where a percent sign has no two digits after it. */
function percentBytes(text: string): Uint8Array | null {
  if (/%(?![\da-f]{2})/i.test(text)) return null
  const parts = text.split(/((?:%[\da-f]{2})+)/i)
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 === 1 ? Buffer.from(part.replaceAll('%', ''), 'hex') : Buffer.from(part, 'utf8'),
    ),
  )
}

function isCharset(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
