import picomatch from 'picomatch'
import { hostOf } from '../../../shared/host.ts'
import type { Access } from '../../ports/access.ts'
import type { ArgumentRule, PolicyRule } from '../../ports/policy.ts'
import type { Operation, Surface } from '../operation.ts'

/** What a rule is held against: an operation that is about to run, or one access of a run. */
export interface Matter {
  operation: Operation
  args: Record<string, unknown>
  surface: Surface
  /** Null before the run. */
  access: Access | null
}

/** Rules that name a domain, path or program judge the accesses of a run; all others the operation as a whole. */
export const judgesAccess = (rule: PolicyRule): boolean =>
  rule.domain !== undefined || rule.path !== undefined || rule.executable !== undefined

export const fits = (rule: PolicyRule, matter: Matter): boolean =>
  judgesAccess(rule) === (matter.access !== null) &&
  fitsOperation(rule, matter) &&
  (matter.access === null || fitsAccess(rule, matter.access))

function fitsOperation(rule: PolicyRule, { operation, args, surface }: Matter): boolean {
  const isAllowed = rule.decision === 'allow'
  return (
    matchesAny(rule.operation, operation.id) &&
    matchesAny(rule.site, operation.site) &&
    matchesAny(rule.command, operation.command) &&
    includes(rule.effect, operation.effect) &&
    includes(rule.risk, operation.risk ?? 'none') &&
    includes(rule.surface, surface) &&
    Object.entries(rule.args ?? {}).every(([name, wanted]) => fitsArgument(wanted, args[name], isAllowed))
  )
}

/** A rule about one kind of access never fits another: `domain: '*'` says nothing of files. */
function fitsAccess(rule: PolicyRule, access: Access): boolean {
  if (access.kind === 'network' || access.kind === 'browse')
    return only(rule, 'domain') && matchesAny(rule.domain, hostOf(access.url))
  if (access.kind === 'execute') {
    const program = access.argv[0] ?? ''
    const name = program.split(/[\\/]/).at(-1) ?? ''
    return (
      only(rule, 'executable') && (matchesAny(rule.executable, name) || matchesAny(rule.executable, program))
    )
  }
  return only(rule, 'path') && matchesAny(rule.path, access.path, true)
}

const ACCESS_KEYS = ['domain', 'path', 'executable'] as const
const only = (rule: PolicyRule, key: (typeof ACCESS_KEYS)[number]): boolean =>
  ACCESS_KEYS.every(each => (rule[each] !== undefined) === (each === key))

const includes = <T>(list: readonly T[] | undefined, value: T): boolean =>
  list === undefined || list.includes(value)

/**
 * Of a list of values each has to fit a rule that allows, and one is enough for a rule that forbids or asks: nobody
 * slips past a rule by naming something harmless beside it.
 */
function fitsArgument(wanted: ArgumentRule, value: unknown, isAllowed: boolean): boolean {
  const values: unknown[] = Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value]
  const holds = (test: (each: unknown) => boolean): boolean =>
    isAllowed ? values.length > 0 && values.every(test) : values.some(test)
  if (Array.isArray(wanted)) return holds(each => wanted.some(one => equals(one, each)))
  if (typeof wanted !== 'object') return holds(each => equals(wanted, each))
  const bounds = wanted as Bounds
  const size = typeof value === 'string' || Array.isArray(value) ? value.length : 0
  if (bounds.max_length !== undefined && size > bounds.max_length) return false
  if (values.length === 0) return bounds.min === undefined && bounds.max === undefined
  return holds(each => isWithin(bounds, each))
}

type Bounds = Exclude<ArgumentRule, string | readonly unknown[]> & object

function isWithin({ min, max, not }: Bounds, value: unknown): boolean {
  return (
    (min === undefined || (typeof value === 'number' && value >= min)) &&
    (max === undefined || (typeof value === 'number' && value <= max)) &&
    (not === undefined || ![not].flat().some(each => equals(each, value)))
  )
}

function equals(wanted: string | number | boolean, value: unknown): boolean {
  if (typeof wanted !== 'string') return value === wanted
  return typeof value === 'string' && (value === wanted || matchesAny([wanted], value))
}

/** Lists stand in rules and scopes that live as long as their globs are of use. */
const MATCHERS = new WeakMap<readonly string[], (text: string) => boolean>()

/**
 * True without globs. In paths a star ends at a slash, as in a shell; elsewhere it stands for anything. Case does not
 * count, and a dot also stands for a line break: nobody slips past a rule by writing a name in another way.
 */
export function matchesAny(globs: readonly string[] | undefined, text: string, isPath = false): boolean {
  if (globs === undefined) return true
  // An empty text is nothing that picomatch would look at.
  if (text === '') return globs.some(glob => /^\**$/.test(glob))
  let matcher = MATCHERS.get(globs)
  if (matcher === undefined) {
    matcher = picomatch([...globs], {
      dot: true,
      flags: 'is',
      noextglob: true,
      bash: !isPath,
      nonegate: true,
    })
    MATCHERS.set(globs, matcher)
  }
  return matcher(text)
}
