import { lookup as resolve } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Agent } from 'undici'
import { Failure } from '../../../shared/failures.ts'
import { hostOf } from '../../../shared/host.ts'
import type { SiteContext } from '../../ports/http.ts'

/** Which addresses may be connected to. The address that was judged is the one that is connected to. */
export interface Addresses {
  /** As the global one. Fails with address_not_allowed beside its own errors. */
  fetch(url: string, init: RequestInit): Promise<Response>
  /** For whoever connects by himself; undefined means as usual. Fails with address_not_allowed. */
  lookup(url: string): LookupFunction | undefined
}

/**
 * Public addresses, and private ones only where they were named: by the person, as the site's base, or literally in
 * an origin that the adapter declares. A name may resolve to anything, so that an adapter's name is not enough.
 */
export function addressesFor(
  { origins }: Pick<SiteContext, 'origins'>,
  resolver: LookupFunction = publicLookup,
): Addresses {
  const isNamed = (url: URL): boolean => {
    const origin = url.origin.replace(/^ws/, 'http')
    return origin === origins.own || (origins.declared.has(origin) && isLocalHost(hostOf(url)))
  }
  const judged = (text: string): 'named' | 'public' => {
    const url = new URL(text)
    if (isNamed(url)) return 'named'
    const host = hostOf(url)
    if (isLocalHost(host)) throw notAllowed(host, host)
    return 'public'
  }
  return {
    async fetch(url, init) {
      if (judged(url) === 'named') return fetch(url, init)
      const { agent, fetch: fetchBy } = await clientOf(resolver)
      // Two declarations of one standard; the library's names its dispatcher.
      return (await fetchBy(url, { ...init, dispatcher: agent } as never)) as unknown as Response
    },
    lookup: url => (judged(url) === 'named' ? undefined : resolver),
  }
}

type Client = Promise<{ agent: Agent; fetch: typeof import('undici').fetch }>
const clients = new WeakMap<LookupFunction, Client>()

/** Loaded when the first public address is asked: the global fetch takes no resolver. */
function clientOf(lookup: LookupFunction): Client {
  const client =
    clients.get(lookup) ??
    import('undici').then(({ Agent, fetch }) => ({ agent: new Agent({ connect: { lookup } }), fetch }))
  clients.set(lookup, client)
  return client
}

/** Resolves a name, and fails when any of its addresses is not public: which one is tried first is not ours to say. */
export const publicLookup: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, '', 0)
    const inside = found.find(({ address }) => !isPublic(address))
    if (inside !== undefined) return done(notAllowed(host, inside.address), '', 0)
    const [first] = found
    if (options.all === true || first === undefined) return done(null, found)
    done(null, first.address, first.family)
  })
}

/** An address that is not public, or a name that never is. */
const isLocalHost = (host: string): boolean =>
  isIP(host) !== 0 ? !isPublic(host) : /(?:^|\.)(?:localhost|local|internal)$/i.test(host)

/** What proxies that tunnel whole systems answer for every name (fake-ip); nothing real lies there. */
const TUNNELLED = ipaddr.parseCIDR('198.18.0.0/15')

/** Also of an IPv4 address that is written inside an IPv6 one. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast' || parsed.match(TUNNELLED)
  // NAT64 gives every IPv4 address of the network an IPv6 one; the last four bytes are it.
  if (parsed.range() === 'rfc6052') return isPublic(parsed.toByteArray().slice(-4).join('.'))
  return parsed.range() === 'unicast'
}

const notAllowed = (host: string, address: string): Failure<'address_not_allowed'> =>
  new Failure('address_not_allowed', { host, address })
