import { createHash } from 'node:crypto'
import { isRecord } from '../../../shared/json.ts'
import { type Filter, quoted, textOf } from './filter.ts'

export const VALUE_FILTERS: Readonly<Record<string, Filter>> = {
  default: {
    doc: 'The argument when the input is null or empty text.',
    params: ['other'],
    example: ["'' | default('none')", 'none'],
    run: (v, [other]) => (v === null || v === undefined || v === '' ? (other ?? null) : v),
  },
  bool: {
    doc: 'False for null, 0, "", "0", "false", "no" and "off"; else true.',
    params: [],
    example: ["'false' | bool", false],
    run: v => Boolean(v) && !(typeof v === 'string' && /^(false|0|no|off)$/i.test(v.slice(0, 10).trim())),
  },
  type: {
    doc: 'What it is: text, number, boolean, list, object or null.',
    params: [],
    example: ['[1] | type', 'list'],
    run: typeName,
  },
  json: {
    doc: 'As JSON text, indented by n when said.',
    params: ['n = 0'],
    example: ['{ a: [1] } | json', '{"a":[1]}'],
    aliases: ['to_json'],
    run: (v, [n], fuel) => {
      const indent = Number(n) > 0 ? Math.min(Number(n), 8) : 0
      const made = JSON.stringify(v ?? null, null, indent)
      fuel.spend(made.length)
      return made
    },
  },
  parse_json: {
    doc: 'JSON text as a value.',
    params: [],
    example: ['\'{"a":1}\' | parse_json', { a: 1 }],
    aliases: ['from_json'],
    run: (v, _, fuel) => {
      const written = textOf(v, fuel, 5)
      try {
        return JSON.parse(written) as unknown
      } catch {
        throw new Error(`"${quoted(written)}" is not JSON`)
      }
    },
  },
  base64: {
    doc: 'As Base64 of its UTF-8.',
    params: [],
    example: ["'你好' | base64", '5L2g5aW9'],
    aliases: ['base64_encode'],
    run: (v, _, fuel) => Buffer.from(textOf(v, fuel, 2)).toString('base64'),
  },
  base64_decode: {
    doc: 'Text from Base64, of either alphabet.',
    params: [],
    example: ["'5L2g5aW9' | base64_decode", '你好'],
    run: (v, _, fuel) => Buffer.from(textOf(v, fuel, 2), 'base64').toString(),
  },
  sha256: {
    doc: 'The SHA-256 of its UTF-8, as hex or base64: for sites that want a password only in this form.',
    params: ["form = 'hex'"],
    example: ["'你好' | sha256", '670d9743542cae3ea7ebe36af56bd53648b0a1126162e78d81a32934a711302e'],
    run: (v, [form = 'hex'], fuel) => {
      if (form !== 'hex' && form !== 'base64') throw new Error('the form is hex or base64')
      return createHash('sha256')
        .update(textOf(v, fuel, 10))
        .digest(form)
    },
  },
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'list'
  if (isRecord(value)) return 'object'
  return typeof value === 'string' ? 'text' : typeof value
}
