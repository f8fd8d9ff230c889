/**
 * Where in a session something happens: `work` is its current tab, `work/t2` one tab by its id. Handlers pass such an
 * address on as the session that they were given.
 */
export interface TabAddress {
  session: string
  /** Null: the current tab. */
  id: string | null
}

const ONE_TAB = /^(.*)\/(t\d+)$/s

export function parseAddress(address: string): TabAddress {
  const [, session, id] = ONE_TAB.exec(address) ?? []
  return session === undefined || id === undefined ? { session: address, id: null } : { session, id }
}

export const addressOf = (session: string, id: string | undefined): string =>
  id === undefined ? session : `${session}/${id}`
