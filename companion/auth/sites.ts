import { Failure } from '../../shared/failures.ts'
import { nearestName } from '../kernel/nearest.ts'
import type { Catalogue, Operation } from '../kernel/operation.ts'
import { siteBase, siteOrigins } from '../kernel/site-base.ts'
import type { SiteAuth } from '../ports/auth.ts'
import type { ConfigPort } from '../ports/state.ts'
import type { AuthParts } from './parts.ts'

/** A site as its adapters describe it together. */
export interface Site {
  name: string
  /** Empty when no adapter has one. */
  base: string
  /** Where its cookies are. */
  origins: readonly string[]
  auth: SiteAuth
  /** Tells whether somebody is logged in; null when no operation does. */
  probe: Operation | null
  /** Whether any of its operations acts as the person. */
  isPersonal: boolean
}

/** Commands that tell who one is, by the names that adapters give them. */
const TELLING = ['whoami', 'me', 'account', 'login-state', 'profile', 'user-info']

/** Sites that have adapters, by name. */
export function sitesOf(catalogue: Catalogue, config: ConfigPort): Site[] {
  return [...grouped(catalogue.list())].flatMap(([name, all]) => {
    const operations = all.filter(({ source }) => source.kind === 'adapter')
    return operations.length === 0 ? [] : [siteOf(name, operations, catalogue, config)]
  })
}

/** Fails with not_found, naming the site or service that was probably meant. */
export function findSite({ kernel, config, services }: AuthParts, name: string): Site {
  const { catalogue } = kernel()
  const sites = sitesOf(catalogue, config)
  const site = sites.find(each => each.name === name)
  if (site !== undefined) return site
  const known = [...sites, ...services.list()].map(each => each.name)
  const near = nearestName(name, known)
  throw new Failure('not_found', {
    what: `A site or service "${name}"`,
    hint: near === null ? `Known: ${[...new Set(known)].join(', ')}.` : `Did you mean ${near}?`,
  })
}

function grouped(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations)
    groups.set(operation.site, [...(groups.get(operation.site) ?? []), operation])
  return groups
}

function siteOf(
  name: string,
  operations: readonly Operation[],
  catalogue: Catalogue,
  config: ConfigPort,
): Site {
  // What an adapter says first holds: they are sorted by name, and seldom two of a site say it.
  const auth: SiteAuth = Object.assign(
    {},
    ...operations.toReversed().map(({ source }) => (source.kind === 'adapter' ? source.auth : undefined)),
  )
  const origins = operations.flatMap(each => [...siteOrigins(each, config).reachable])
  return {
    name,
    base: operations.map(each => siteBase(each, config)).find(base => base !== '') ?? '',
    origins: [...new Set(origins)],
    auth,
    probe: auth.probe === undefined ? telling(name, catalogue) : catalogue.get(auth.probe),
    isPersonal: operations.some(({ strategies }) => strategies.some(strategy => strategy !== 'public')),
  }
}

function telling(site: string, catalogue: Catalogue): Operation | null {
  const found = TELLING.map(command => catalogue.get(`${site}.${command}`)).find(
    operation =>
      operation !== null &&
      operation.effect === 'read' &&
      operation.strategies.some(strategy => strategy !== 'public') &&
      operation.args.safeParse({}).success,
  )
  return found ?? null
}
