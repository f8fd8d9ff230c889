import type { ConfigPort } from '../ports/state.ts'
import type { Operation } from './operation.ts'

/** Where an adapter's site is, without a slash at the end: the person's own installation (`sites.<site>.base`)
 *  wins over the adapter's; empty for operations of no site. */
export function siteBase({ site, source }: Operation, config: ConfigPort): string {
  if (source.kind !== 'adapter') return ''
  return String(config.get(`sites.${site}.base`) ?? source.base ?? '').replace(/\/+$/, '')
}

export interface SiteOrigins {
  /** Every origin that its operations may reach. */
  reachable: ReadonlySet<string>
  /** Of the base that the person set. */
  own: string | null
  /** Those that the adapter itself names. */
  declared: ReadonlySet<string>
}

/** Which origins belong to an operation's site, and who said so. */
export function siteOrigins(operation: Operation, config: ConfigPort): SiteOrigins {
  const { site, source } = operation
  if (source.kind !== 'adapter') return { reachable: new Set(), own: null, declared: new Set() }
  const named = [source.base ?? '', ...source.origins]
  return {
    reachable: originsIn([siteBase(operation, config), ...source.origins]),
    own: [...originsIn([String(config.get(`sites.${site}.base`) ?? '')])][0] ?? null,
    declared: originsIn(named),
  }
}

const originsIn = (urls: readonly string[]): Set<string> =>
  new Set(urls.filter(url => url !== '').map(url => new URL(url).origin))
