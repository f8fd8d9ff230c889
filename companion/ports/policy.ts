import type { Effect } from '../../shared/envelope.ts'
import type { Decision, Grant, Risk, SiteGrant } from '../../shared/policy.ts'

/** What an argument's value must be: equal, like a glob, one of a list, or within bounds. */
export type ArgumentRule =
  | string
  | number
  | boolean
  | readonly (string | number | boolean)[]
  | {
      min?: number | undefined
      max?: number | undefined
      max_length?: number | undefined
      not?: string | number | boolean | readonly (string | number | boolean)[] | undefined
    }

/** One rule of the person's. Every key that is given must fit; lists fit when one of theirs does. */
export interface PolicyRule {
  id?: string | undefined
  decision: Decision
  reason?: string | undefined
  /** Globs. */
  operation?: readonly string[] | undefined
  site?: readonly string[] | undefined
  command?: readonly string[] | undefined
  effect?: readonly Effect[] | undefined
  risk?: readonly Risk[] | undefined
  surface?: readonly ('cli' | 'http' | 'mcp')[] | undefined
  args?: Readonly<Record<string, ArgumentRule>> | undefined
  /** Globs of host names, paths and programs. A rule with one of these judges accesses, not whole operations. */
  domain?: readonly string[] | undefined
  path?: readonly string[] | undefined
  executable?: readonly string[] | undefined
  /** 1-based line in the policy file. */
  line: number
}

export interface Policy {
  /** What happens where no rule fits. */
  otherwise: 'profile' | Decision
  rules: readonly PolicyRule[]
}

export interface PolicyPort {
  /** Absolute; need not exist. */
  path(): string
  /** The rules as the file has them now. Fails with config_invalid that names the line. */
  read(): Policy
}

/** Allowances that hold until they expire or are revoked. `key` says what is allowed and is never shown. */
export interface GrantPort {
  put(key: string, grant: Grant): void
  /** Null when there is none, or no more. */
  find(key: string): Grant | null
  list(): Grant[]
  /** How many were there to revoke; without an id, all. */
  revoke(id?: string): number
}

/** The person's lasting words on sites: `always` and `never`. Looked up in memory. */
export interface SiteWordPort {
  put(word: SiteGrant): void
  /** Null when there is none, or no more. */
  find(site: string): SiteGrant | null
  list(): SiteGrant[]
  /** How many were there to forget; without a site, all. */
  forget(site?: string): number
}

/** The places of this machine that the judge of paths must know. */
export interface PlacesPort {
  /** Absolute. */
  home: string
  /** UNICLI_HOME. */
  own: string
  /** With links resolved, as far as the path exists. */
  real(path: string): Promise<string>
}
