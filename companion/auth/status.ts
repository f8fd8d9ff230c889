import type { BuiltinCall } from '../kernel/operation.ts'
import type { SignInState } from '../ports/auth.ts'
import { isoOf } from './device-login.ts'
import { type LoginState, loginState } from './login-state.ts'
import type { AuthParts } from './parts.ts'
import { findSite, type Site, sitesOf } from './sites.ts'

/** Sites are asked over the network: a few at a time. */
const AT_ONCE = 4

export interface StatusRow {
  name: string
  kind: 'site' | 'service'
  state: LoginState['state'] | SignInState['state']
  by: LoginState['by'] | 'token'
  account: string | null
  expires_at: string | null
  reason: string | null
}

/** How the person is logged in to a site, a service, or all of them. */
export async function statusRows(
  name: string | undefined,
  parts: AuthParts,
  call: BuiltinCall,
): Promise<StatusRow[]> {
  const { kernel, config, services } = parts
  const all = services.list().map(service => service.name)
  const asked = all.filter(service => name === undefined || service === name)
  const sites =
    name === undefined
      ? sitesOf(kernel().catalogue, config).filter(site => site.isPersonal)
      : asked.length > 0
        ? sitesOf(kernel().catalogue, config).filter(site => site.name === name && site.isPersonal)
        : [findSite(parts, name)]
  await parts.browser.settled(call)
  const ofSites = await inTurns(sites, site => siteRow(site, parts, call))
  const ofServices = await Promise.all(asked.map(service => serviceRow(service, parts)))
  return [...ofSites, ...ofServices]
}

async function siteRow(site: Site, parts: AuthParts, call: BuiltinCall): Promise<StatusRow> {
  const { state, by, account, reason } = await loginState(site, parts, call)
  return { name: site.name, kind: 'site', state, by, account, expires_at: null, reason }
}

async function serviceRow(service: string, { signIns }: AuthParts): Promise<StatusRow> {
  const { state, expires_at, renews } = await signIns.state(service)
  const reason = state === 'logged_in' && renews ? 'renewed by itself' : null
  return {
    name: service,
    kind: 'service',
    state,
    by: 'token',
    account: null,
    expires_at: isoOf(expires_at),
    reason,
  }
}

async function inTurns<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(act))))
  return results
}
