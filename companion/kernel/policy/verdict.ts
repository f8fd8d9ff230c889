import { hostOf } from '../../../shared/host.ts'
import { type Decision, PROFILE_DOCS, type Profile, type Scope } from '../../../shared/policy.ts'
import type { Policy, PolicyRule } from '../../ports/policy.ts'
import type { Operation } from '../operation.ts'
import { fits, type Matter, matchesAny } from './rule-match.ts'

const isWrite = ({ effect }: Operation): boolean => effect === 'write' || effect === 'destructive'

const ASKS: Readonly<Record<Profile, (operation: Operation) => boolean>> = {
  open: () => false,
  careful: operation => operation.effect === 'destructive' || (operation.risk ?? 'none') !== 'none',
  confirm: operation => isWrite(operation) || (operation.risk ?? 'none') !== 'none',
  locked: operation => operation.effect !== 'pure',
}

/** What the policy says to a matter, and what made it say so. */
export interface Verdict {
  decision: Decision
  by: 'scope' | 'sensitive' | 'rule' | 'site' | 'otherwise' | 'profile' | 'nothing'
  /** Of the rule: its id, or its line. */
  rule: string | null
  /** One clause for a person. */
  reason: string
}

/** Deny wins over ask, ask over allow; where no rule fits, `otherwise` and the profile speak. */
export function judge(matter: Matter, policy: Policy, profile: Profile, scopes: readonly Scope[]): Verdict {
  const outside = scopes.map(scope => outsideOf(scope, matter)).find(reason => reason !== null)
  if (outside !== undefined) return { decision: 'deny', by: 'scope', rule: null, reason: outside }
  const fitting = policy.rules.filter(rule => fits(rule, matter))
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const rule = fitting.find(each => each.decision === decision)
    if (rule !== undefined) return { decision, by: 'rule', rule: nameOf(rule), reason: reasonOf(rule) }
  }
  if (matter.access?.kind === 'browse') return ofSite(policy, profile)
  // An operation that got through may do what it is made of, unless a rule forbids a part of it.
  if (matter.access !== null)
    return { decision: 'allow', by: 'nothing', rule: null, reason: 'no rule speaks of it' }
  if (policy.otherwise !== 'profile')
    return {
      decision: policy.otherwise,
      by: 'otherwise',
      rule: null,
      reason: `no rule fits, and otherwise is ${policy.otherwise}`,
    }
  return byProfile(matter.operation, profile)
}

/** A site of the person's is touched where they said so: by a rule, by their profile, or when they are asked. */
function ofSite({ otherwise }: Policy, profile: Profile): Verdict {
  if (otherwise !== 'profile' && otherwise !== 'ask')
    return { decision: otherwise, by: 'otherwise', rule: null, reason: `otherwise is ${otherwise}` }
  const isOpen = profile === 'open' && otherwise === 'profile'
  return {
    decision: isOpen ? 'allow' : 'ask',
    by: 'profile',
    rule: null,
    reason: isOpen ? `the profile ${profile} ${PROFILE_DOCS[profile]}` : 'the site was never granted',
  }
}

function byProfile(operation: Operation, profile: Profile): Verdict {
  const risk = operation.risk ?? 'none'
  const kind = risk === 'none' ? operation.effect : `${operation.effect}, risk ${risk}`
  return {
    decision: ASKS[profile](operation) ? 'ask' : 'allow',
    by: 'profile',
    rule: null,
    reason: `the profile ${profile} ${PROFILE_DOCS[profile]}, and ${operation.id} is ${kind}`,
  }
}

const nameOf = (rule: PolicyRule): string => rule.id ?? `line ${rule.line}`
const reasonOf = (rule: PolicyRule): string => rule.reason ?? `the rule ${nameOf(rule)} says so`

/** Why a matter is outside of what the caller was given, or null. */
function outsideOf(scope: Scope, { operation, access }: Matter): string | null {
  if (access !== null)
    return (access.kind === 'network' || access.kind === 'browse') &&
      !matchesAny(scope.domains, hostOf(access.url))
      ? `the scope has no domain ${hostOf(access.url)}`
      : null
  if (scope.effects?.includes(operation.effect) === false)
    return `the scope has no effect ${operation.effect}`
  if (scope.risks?.includes(operation.risk ?? 'none') === false)
    return `the scope has no risk ${operation.risk ?? 'none'}`
  if (!matchesAny(scope.sites, operation.site)) return `the scope has no site ${operation.site}`
  if (!matchesAny(scope.operations, operation.id)) return `the scope has no operation ${operation.id}`
  return null
}
