import { Governor, type GovernorParts } from '../../companion/kernel/policy/governor.ts'
import { redactValue } from '../../companion/kernel/redact.ts'
import type { GrantPort, Policy, SiteWordPort } from '../../companion/ports/policy.ts'
import type { Grant, SiteGrant } from '../../shared/policy.ts'

export const HOME = '/home/me'
export const NO_RULES: Policy = { otherwise: 'profile', rules: [] }

/** Allowances in memory. */
export function grantsInMemory(): GrantPort {
  const kept = new Map<string, Grant>()
  return {
    put: (key, grant) => void kept.set(key, grant),
    find: key => kept.get(key) ?? null,
    list: () => [...kept.values()],
    revoke(id) {
      const hit = [...kept].filter(([, grant]) => id === undefined || grant.id === id)
      for (const [key] of hit) kept.delete(key)
      return hit.length
    },
  }
}

/** Words on sites in memory. */
export function siteWordsInMemory(): SiteWordPort {
  const kept = new Map<string, SiteGrant>()
  return {
    put: grant => void kept.set(grant.site, grant),
    find: site => kept.get(site) ?? null,
    list: () => [...kept.values()],
    forget(site) {
      const hit = site === undefined ? kept.size : Number(kept.has(site))
      if (site === undefined) kept.clear()
      else kept.delete(site)
      return hit
    },
  }
}

/** A judge without rules over settings in memory; its paths have no links. */
export const governorOf = (
  config: Readonly<Record<string, unknown>>,
  over: Partial<GovernorParts> = {},
): Governor =>
  new Governor({
    config: { get: key => config[key] },
    policy: { path: () => `${HOME}/.unicli/policy.yaml`, read: () => NO_RULES },
    grants: grantsInMemory(),
    sites: siteWordsInMemory(),
    places: { home: HOME, own: `${HOME}/.unicli`, real: async path => path },
    redact: (value, secretNames) => redactValue(value, secretNames),
    onChange: () => undefined,
    ...over,
  })
