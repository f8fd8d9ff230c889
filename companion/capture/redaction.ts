import { setImmediate } from 'node:timers/promises'
import type { HeaderList } from '../../shared/traffic.ts'
import { isSecretKey, REDACTED, redactMarked, redactText } from '../kernel/redact.ts'
import {
  withoutFieldSecrets,
  withoutFormSecrets,
  withoutMultipartSecrets,
  withoutQuerySecrets,
} from './secret-fields.ts'

/** What is looked at in one go, so that a large body holds nobody up. Characters. */
const SLICE = 128 * 1024
/** How far back a slice may end, at a place that no secret spans. */
const BACK = 16 * 1024

/** Names stay, values that are secrets go: of cookies each, of other headers the whole. */
export const safeHeaders = (headers: HeaderList): HeaderList =>
  headers.map(([name, value]) => [name, safeValue(name, value)])

function safeValue(name: string, value: string): string {
  if (name === 'cookie') return value.split(';').map(withoutValue).join(';')
  if (name === 'set-cookie') return value.replace(/^[^;]*/, withoutValue)
  if (isSecretKey(name) && !/^(access-control-|clear-site-data)/.test(name)) return REDACTED
  return redactText(withoutQuerySecrets(value))
}

/** A cookie may be a value alone. */
const withoutValue = (pair: string): string =>
  pair.includes('=') ? pair.replace(/=.*$/s, `=${REDACTED}`) : pair.replace(/\S.*/s, REDACTED)

/** An address longer than this is cut. Characters. */
const URL_CHARS = 64 * 1024

export function safeUrl(url: string): string {
  const safe = redactMarked(withoutQuerySecrets(url.slice(0, URL_CHARS)))
  return url.length > URL_CHARS ? `${safe}…` : safe
}

/** At once; for what is short. */
export const safeShort = (text: string): string => redactMarked(withoutFieldSecrets(text))

/** Of a body of any length; others run meanwhile. */
export async function safeBody(text: string, mime: string): Promise<string> {
  const whole = withoutSentFields(text, mime)
  if (whole.length <= SLICE) return safeShort(whole)
  const safe: string[] = []
  for (let at = 0; at < whole.length; ) {
    const end = endOf(whole, at)
    safe.push(safeShort(whole.slice(at, end)))
    at = end
    await setImmediate()
  }
  return safe.join('')
}

/** After a line, a member or a tag, where there is one. */
function endOf(text: string, start: number): number {
  const end = start + SLICE
  if (end >= text.length) return text.length
  const tail = text.slice(end - BACK, end)
  const cut = Math.max(
    tail.lastIndexOf('\n'),
    tail.lastIndexOf(','),
    tail.lastIndexOf('>'),
    tail.lastIndexOf('&'),
  )
  return cut < 0 ? end : end - BACK + cut + 1
}

function withoutSentFields(text: string, mime: string): string {
  if (/multipart/i.test(mime)) return withoutMultipartSecrets(text)
  return /x-www-form-urlencoded/i.test(mime) ? withoutFormSecrets(text) : text
}
