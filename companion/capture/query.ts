import { Failure } from '../../shared/failures.ts'
import { globSource } from '../../shared/glob.ts'
import type { RequestKind } from '../../shared/traffic.ts'
import { compilePattern, parsePattern } from '../kernel/pattern.ts'
import type { Exchange, TrafficQuery } from '../ports/traffic.ts'

type Test = (exchange: Exchange) => boolean

const ASSETS: ReadonlySet<RequestKind> = new Set(['script', 'style', 'image', 'font', 'media', 'preflight'])

/** What a caller hardly ever looks for, unless something went wrong with it. */
export const isAsset = ({ kind, status, error }: Exchange): boolean =>
  ASSETS.has(kind) && error === null && (status ?? 0) < 400

/** Everything that the query says but since and assets. Fails with usage. */
export function testOf(query: TrafficQuery): Test {
  const tests: Test[] = []
  const { url, method, status, kinds, mime, failed } = query
  if (url !== undefined) {
    const fits = textTest(url)
    const isAscii = !/[^ -~]/.test(url)
    tests.push(exchange => fits(exchange.url) || (!isAscii && fits(readable(exchange.url))))
  }
  if (method !== undefined) tests.push(exchange => exchange.method === method.toUpperCase())
  if (status !== undefined) tests.push(statusTest(status))
  if (kinds !== undefined && kinds.length > 0) tests.push(({ kind }) => kinds.includes(kind))
  if (mime !== undefined) tests.push(exchange => exchange.mime.includes(mime.toLowerCase()))
  if (failed === true) tests.push(({ error, status: got }) => error !== null || (got ?? 0) >= 400)
  return exchange => tests.every(test => test(exchange))
}

/** As a person writes it: without the encoding of what is no ASCII. */
const readable = (url: string): string =>
  url.replace(/(?:%[89a-f][\da-f])+/gi, encoded => {
    try {
      return decodeURIComponent(encoded)
    } catch (error) {
      // Of another charset than UTF-8.
      if (error instanceof URIError) return encoded
      throw error
    }
  })

/** `/pattern/`, a glob over the whole text, or a part of it. */
export function textTest(written: string): (text: string) => boolean {
  const isPattern = /^\/.+\/[ims]*$/s.test(written)
  if (!isPattern && !written.includes('*')) return text => text.includes(written)
  try {
    const pattern = isPattern ? parsePattern(written) : compilePattern(globSource(written), 's')
    return isPattern ? text => pattern.test(text) : text => pattern.fits(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('usage', {
      problem: `"${written}" is no pattern: ${reason}.`,
      hint: 'Give a part of the address, a glob with *, or /a regular expression/.',
    })
  }
}

function statusTest(written: string): Test {
  const [, sign = '', digits = ''] = /^(>=|<=|>|<|)(\d{3}|\dxx)$/i.exec(written) ?? []
  if (digits === '')
    throw new Failure('usage', {
      problem: `"${written}" is no status.`,
      hint: 'Give one such as 404, 4xx or >=400.',
    })
  if (/xx/i.test(digits)) return ({ status }) => Math.floor((status ?? 0) / 100) === Number(digits[0])
  const limit = Number(digits)
  return ({ status }) => {
    if (status === null) return false
    if (sign === '>=') return status >= limit
    if (sign === '<=') return status <= limit
    if (sign === '>') return status > limit
    return sign === '<' ? status < limit : status === limit
  }
}
