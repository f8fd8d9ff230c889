import { Failure } from '../../shared/failures.ts'

export type Scalar = string | number | boolean | null

/** A relative address goes under base, whose own path is kept; null leaves a query field out. */
export function addressOf(
  at: { url: string; query?: Record<string, Scalar> | undefined },
  base: string,
): string {
  const text = isAbsolute(at.url)
    ? at.url
    : base === ''
      ? asTyped(at.url)
      : `${base}/${at.url.replace(/^\/+/, '')}`
  if (!URL.canParse(text))
    throw new Failure('usage', {
      problem: `"${text}" is not an address.`,
      hint: 'Give a whole address, such as https://example.com/.',
    })
  const url = new URL(text)
  for (const [name, value] of Object.entries(at.query ?? {}))
    if (value !== null) url.searchParams.set(name, String(value))
  return url.href
}

/** `localhost:8080` has no scheme, although it looks like one. */
const isAbsolute = (url: string): boolean =>
  /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[\w.-]+:\d+(\/|$)/.test(url)

/** As a person types it into the address bar: without a scheme it is https, and http on this machine. */
function asTyped(url: string): string {
  const host = /^(\[[\da-f:]+\]|[\p{L}\p{N}_.-]+)(?::\d+)?(?=[/?#]|$)/iu.exec(url)?.[1]
  if (host === undefined || !(host.includes('.') || host === 'localhost' || host.startsWith('['))) return url
  return `${/^(localhost|127\.[\d.]+|\[::1\])$/.test(host) ? 'http' : 'https'}://${url}`
}
