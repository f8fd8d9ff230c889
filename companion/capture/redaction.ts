import { setImmediate } from 'node:timers/promises'
import type { HeaderList } from '../../shared/traffic.ts'
import { isSecretKey, REDACTED, redactMarked, redactText } from '../kernel/redact.ts'

/** What is looked at in one go, so that a large body holds nobody up. Characters. */
const SLICE = 256 * 1024
/** How far back a slice may end, at a place that no secret spans. */
const BACK = 16 * 1024

/** Names stay, values that are secrets go: of cookies each, of other headers the whole. */
export const safeHeaders = (headers: HeaderList): HeaderList =>
  headers.map(([name, value]) => [name, safeValue(name, value)])

function safeValue(name: string, value: string): string {
  if (name === 'cookie') return value.split(';').map(withoutValue).join(';')
  if (name === 'set-cookie') return value.replace(/^[^;]*/, withoutValue)
  if (isSecretKey(name) && !/^(access-control-|clear-site-data)/.test(name)) return REDACTED
  return redactText(value)
}

const withoutValue = (pair: string): string => pair.replace(/=.*$/s, `=${REDACTED}`)

/** An address longer than this is cut. Characters. */
const URL_CHARS = 8192

export const safeUrl = (url: string): string => redactMarked(url.slice(0, URL_CHARS))

/** At once; for what is short. */
export const safeShort = (text: string): string => redactMarked(text)

/** Of a body of any length; others run meanwhile. */
export async function safeBody(text: string, isForm: boolean): Promise<string> {
  const whole = isForm ? withoutFormSecrets(text) : text
  if (whole.length <= SLICE) return redactMarked(whole)
  const safe: string[] = []
  for (let at = 0; at < whole.length; ) {
    const end = endOf(whole, at)
    safe.push(redactMarked(whole.slice(at, end)))
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

/** The fields of a multipart body whose names say that they are secrets. */
const withoutFormSecrets = (text: string): string =>
  text.replace(
    /(name="([^"\r\n]{1,200})"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)([^\r\n]*)/g,
    (all, head: string, name: string) => (isSecretKey(name) ? `${head}${REDACTED}` : all),
  )
