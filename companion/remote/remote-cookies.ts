import { isSentTo } from '../../shared/cookie-scope.ts'
import { isWithinDomain } from '../../shared/host.ts'
import type { Protocol } from './protocol.ts'

/** A cookie as the protocol has it. */
interface ProtocolCookie {
  name: string
  value: string
  domain: string
  path: string
  /** Epoch seconds; -1 for a session cookie. */
  expires: number
  httpOnly: boolean
  secure: boolean
  session: boolean
  sameSite?: 'Strict' | 'Lax' | 'None'
  partitionKey?: ProtocolPartition
}

/** Without either the protocol takes none. */
interface ProtocolPartition {
  topLevelSite: string
  hasCrossSiteAncestor: boolean
}

interface CookieQuery {
  url?: string
  domain?: string
  name?: string
  partitionKey?: { topLevelSite?: string }
}

interface CookieDetails {
  url: string
  name?: string
  value?: string
  domain?: string
  path?: string
  secure?: boolean
  httpOnly?: boolean
  sameSite?: string
  expirationDate?: number
  partitionKey?: { topLevelSite?: string; hasCrossSiteAncestor?: boolean }
}

const TO_EXTENSION = { Strict: 'strict', Lax: 'lax', None: 'no_restriction' } as const
const TO_PROTOCOL: Record<string, string> = { strict: 'Strict', lax: 'Lax', no_restriction: 'None' }

/** `chrome.cookies` over the protocol. */
export class RemoteCookies {
  readonly #protocol: Protocol

  constructor(protocol: Protocol) {
    this.#protocol = protocol
  }

  readonly getAll = async ({ url, domain, name, partitionKey }: CookieQuery) => {
    const { cookies } = await this.#protocol.send<{ cookies: ProtocolCookie[] }>('Storage.getCookies')
    return cookies
      .filter(cookie => (cookie.partitionKey === undefined) === (partitionKey === undefined))
      .filter(
        ({ partitionKey: own }) =>
          partitionKey?.topLevelSite === undefined || own?.topLevelSite === partitionKey.topLevelSite,
      )
      .filter(cookie => url === undefined || isSentTo(cookie, new URL(url)))
      .filter(cookie => domain === undefined || isWithinDomain(cookie.domain.replace(/^\./, ''), domain))
      .filter(cookie => name === undefined || cookie.name === name)
      .map(({ expires, session, sameSite, ...cookie }) => ({
        ...cookie,
        session,
        hostOnly: !cookie.domain.startsWith('.'),
        sameSite: sameSite === undefined ? 'unspecified' : TO_EXTENSION[sameSite],
        ...(session ? {} : { expirationDate: expires }),
      }))
  }

  readonly set = async ({ sameSite = '', expirationDate, partitionKey, ...details }: CookieDetails) => {
    const partition = partitionOf(partitionKey)
    const cookie = {
      ...{ ...details, sameSite: TO_PROTOCOL[sameSite], expires: expirationDate },
      ...(partition === null ? {} : { partitionKey: partition }),
    }
    await this.#protocol.send('Storage.setCookies', { cookies: [cookie] })
    const query = { url: details.url, name: details.name ?? '' }
    return (await this.getAll(partition === null ? query : { ...query, partitionKey: partition }))[0] ?? null
  }

  /** A cookie is removed by one that is over. */
  readonly remove = async ({
    url,
    name,
    partitionKey,
  }: Pick<CookieDetails, 'partitionKey'> & { url: string; name: string }) => {
    const partition = partitionOf(partitionKey)
    const query = { url, name }
    for (const { domain, path, secure } of await this.getAll(
      partition === null ? query : { ...query, partitionKey: partition },
    ))
      await this.#protocol.send('Storage.setCookies', {
        cookies: [
          {
            ...{ name, value: '', domain, path, secure, expires: 1 },
            ...(partition === null ? {} : { partitionKey: partition }),
          },
        ],
      })
    return { url, name }
  }
}

const partitionOf = (key: CookieDetails['partitionKey']): ProtocolPartition | null =>
  key?.topLevelSite === undefined
    ? null
    : { topLevelSite: key.topLevelSite, hasCrossSiteAncestor: key.hasCrossSiteAncestor ?? true }
