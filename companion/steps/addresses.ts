import { Failure } from '../../shared/failures.ts'

export type Scalar = string | number | boolean | null

/** A relative address goes under base, whose own path is kept; null leaves a query field out. */
export function addressOf(
  at: { url: string; query?: Record<string, Scalar> | undefined },
  base: string,
): string {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(at.url)
  const text = absolute ? at.url : `${base}/${at.url.replace(/^\/+/, '')}`
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
