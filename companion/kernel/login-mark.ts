import { createHash } from 'node:crypto'
import { Failure } from '../../shared/failures.ts'
import type { BrowserSession, CallOptions } from '../ports/browser.ts'

/** Cookies whose value says who is there; of all others only the name counts, since their values turn over. */
const IDENTITY = /user|uid|account|login|member|identity|(?:^|[-_])id$/i

/**
 * Stands for whoever is logged in at an address: changes when somebody logs in, out, or in as somebody else. Nothing
 * of a cookie can be read from it. Null when the browser cannot tell.
 */
export async function loginMark(
  session: BrowserSession,
  url: string,
  options: CallOptions,
): Promise<string | null> {
  if (url === '') return null
  try {
    const cookies = await session.call('cookies.get', { url }, options)
    const told = cookies.map(({ name, value }) => (IDENTITY.test(name) ? `${name}=${value}` : name))
    return createHash('sha256').update(told.toSorted().join('\n')).digest('hex').slice(0, 16)
  } catch (error) {
    if (Failure.is(error)) return null
    throw error
  }
}
