import { getDomain } from 'tldts'
import { hostOf } from '../../../shared/host.ts'

const OF_SITES = new Set(['http:', 'https:', 'ws:', 'wss:'])

/**
 * The site of an address, which is what a person grants: the registrable domain, whose parts share a login, or host and
 * port where there is none, since on one host each port may be another program's. Null for what is no site's, such as
 * an empty page.
 */
export function siteOf(address: string): string | null {
  const url = urlOf(address)
  if (url === null || !OF_SITES.has(url.protocol)) return null
  const host = hostOf(url)
  // What a hoster gives to strangers, such as x.github.io, is a site of its own.
  const domain = getDomain(host, { allowPrivateDomains: true })
  if (domain !== null) return domain
  const name = host.includes(':') ? `[${host}]` : host
  return url.port === '' ? name : `${name}:${url.port}`
}

function urlOf(address: string): URL | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  // blob:https://example.com/… belongs to the site that made it.
  return url.protocol === 'blob:' ? urlOf(url.pathname) : url
}

/** The site that a person names, as an address or as a host. Null when it is none. */
export const siteNamed = (text: string): string | null =>
  siteOf(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `https://${text}`)
