import { isWithinDomain } from './host.ts'
import type { SiteGrant } from './policy.ts'

/** The word that holds for an address, a never before all others; null when nothing was said of its site. */
export function wordFor(url: string, grants: readonly SiteGrant[]): SiteGrant | null {
  const fitting = grants.filter(({ site }) => isOfSite(url, site))
  return (
    fitting.find(({ word }) => word === 'never') ??
    fitting.find(({ word }) => word === 'always') ??
    fitting[0] ??
    null
  )
}

/** Whether an address belongs to a site as the companion names it: `example.com`, or host and port. */
export function isOfSite(url: string, site: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host, hostname } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  return host === site || isWithinDomain(hostname, site)
}
