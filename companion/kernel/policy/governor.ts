import { Failure } from '../../../shared/failures.ts'
import {
  DEFAULT_PROFILE,
  type Grant,
  type Lasting,
  PROFILES,
  type Profile,
  type Scope,
  type SiteGrant,
  type SiteWord,
} from '../../../shared/policy.ts'
import type { ApprovalBrief } from '../../../shared/status.ts'
import type { Access, AccessCheck } from '../../ports/access.ts'
import type { Question } from '../../ports/person.ts'
import type { GrantPort, PlacesPort, Policy, PolicyPort, SiteWordPort } from '../../ports/policy.ts'
import type { ConfigPort } from '../../ports/state.ts'
import { type ApprovalAnswer, ApprovalDesk } from '../approvals.ts'
import type { Invocation, Operation } from '../operation.ts'
import { emit, type Run } from '../run-state.ts'
import { siteBase } from '../site-base.ts'
import { type Coverage, coverageOf, type Redact } from './coverage.ts'
import { ALWAYS_MS } from './lasting.ts'
import { questionText } from './question-text.ts'
import type { Matter } from './rule-match.ts'
import { pathsIn, sensitiveReason } from './sensitive-paths.ts'
import { SessionGrants } from './session-grants.ts'
import { siteOf } from './site-of.ts'
import { SiteWords } from './site-words.ts'
import { judge, type Verdict } from './verdict.ts'

export interface GovernorParts {
  config: ConfigPort
  policy: PolicyPort
  grants: GrantPort
  sites: SiteWordPort
  places: PlacesPort
  redact: Redact
  /** Something waits for a person, or no longer does. */
  onChange: () => void
}

/** A verdict with all that a person wants to know of it. */
export interface Explanation extends Verdict {
  profile: Profile
  /** What the person would be shown; null when nobody is asked. */
  question: string | null
  /** What an allowance for the session or for always would cover. */
  covers: string
  /** The allowance that answers the question in the person's place. */
  grant: Grant | null
}

/** Accesses that change nothing where the operation changes nothing. */
const HARMLESS: ReadonlySet<Access['kind']> = new Set(['network', 'read_file', 'browse'])

/** The one judge: of operations before they run, and of every access of a run. */
export class Governor {
  readonly #parts: GovernorParts
  readonly #desk: ApprovalDesk
  readonly #sessions = new SessionGrants()
  readonly #sites: SiteWords
  /** What a run was already allowed by a person: within it nothing is asked twice. */
  readonly #allowed = new WeakMap<Run, Set<string>>()

  constructor(parts: GovernorParts) {
    this.#parts = parts
    this.#desk = new ApprovalDesk(parts.onChange)
    this.#sites = new SiteWords(parts.sites)
  }

  /** Fails with paused, policy_denied, approval_denied, approval_required or config_invalid before anything happened. */
  async admit(run: Run): Promise<void> {
    const { operation } = run
    if (operation === null) throw new Failure('internal', { reason: 'govern before resolve' })
    if (operation.effect !== 'pure' && this.#parts.config.get('policy.paused') === true)
      throw new Failure('paused', {})
    const matter: Matter = { operation, args: run.args, surface: run.invocation.surface, access: null }
    const verdict = this.#judge(matter, this.#scopes(run.invocation))
    // A dry run does nothing that a person would have to allow.
    if (verdict.decision === 'ask' && run.invocation.options.dry_run === true) return
    await this.#enforce(run, matter, verdict)
  }

  /** Judges what a run is about to touch. */
  accessOf =
    (run: Run): AccessCheck =>
    async access => {
      const { operation } = run
      if (operation === null) throw new Failure('internal', { reason: 'access before resolve' })
      const matter: Matter = { operation, args: run.args, surface: run.invocation.surface, access }
      if (access.kind === 'browse') return this.#enforceSite(run, matter, access.url)
      await this.#enforce(run, matter, await this.#judgeAccess(matter, access, this.#scopes(run.invocation)))
    }

  /** Whether a run may touch an address of the person's browser as things are now; nobody is asked. */
  permits(run: Run, url: string): boolean {
    const { operation, args, invocation } = run
    const site = siteOf(url)
    if (site === null) return true
    if (operation === null) return false
    const access: Access = { kind: 'browse', url }
    const matter: Matter = { operation, args, surface: invocation.surface, access }
    const { decision } = this.#judgeSite(run, matter, site)
    return decision === 'allow' || (decision === 'ask' && this.#allowedIn(run).has(siteKey(site)))
  }

  /** The same, after the person took a word back: what a run was allowed once goes with it. */
  stillPermits(run: Run, url: string): boolean {
    this.#allowedIn(run).delete(siteKey(siteOf(url) ?? ''))
    return this.permits(run, url)
  }

  /** What would be said to a call or an access, and why; nobody is asked. */
  async explain(matter: Matter, options: { profile?: Profile; scope?: Scope } = {}): Promise<Explanation> {
    const profile = options.profile ?? this.profile()
    const scopes = options.scope === undefined ? [] : [options.scope]
    const verdict =
      matter.access === null
        ? this.#judge(matter, scopes, profile)
        : await this.#judgeAccess(matter, matter.access, scopes, profile)
    const coverage = this.#coverage(matter)
    const asks = verdict.decision === 'ask'
    return {
      ...verdict,
      profile,
      question: asks ? questionText(matter, verdict, this.#parts.redact) : null,
      covers: coverage.text,
      grant: asks ? this.#parts.grants.find(coverage.key) : null,
    }
  }

  /** Fails with config_invalid. */
  profile(): Profile {
    const name = this.#parts.config.get('policy.profile') ?? DEFAULT_PROFILE
    const profile = PROFILES.find(each => each === name)
    if (profile === undefined)
      throw new Failure('config_invalid', { key: 'policy.profile', reason: 'not a known profile' })
    return profile
  }

  /** The rules in force. Fails with config_invalid. */
  policy = (): Policy => this.#parts.policy.read()
  policyPath = (): string => this.#parts.policy.path()

  waiting = (): ApprovalBrief[] => this.#desk.list()

  /** False when nothing of that id waits any more. Fails with usage for a reply that the question does not take. */
  answer(id: string, allow: boolean, lasts: Lasting, reply?: string): boolean {
    const choices = this.#desk.get(id)?.choices
    if (allow && choices !== undefined) checkReply(reply, choices)
    return this.#desk.settle(id, { allow, lasts, reply })
  }

  /** Puts a question of a run to the person and waits for the answer. Fails with answer_missing. */
  async inquire(run: Run, { text, choices }: Question): Promise<string> {
    const { brief, answer } = this.#desk.ask({
      operation: run.invocation.operation,
      effect: 'read',
      text,
      choices: [...choices],
      expires_at: run.deadline,
    })
    const unanswered = new Failure('answer_missing', { question: text, reason: 'nobody answered in time' })
    const { allow, reply } = await whileWaiting(run, brief, unanswered, () => answer(run.abort.signal))
    if (allow && reply !== undefined) return reply
    throw new Failure('answer_missing', { question: text, reason: 'the person would not say' })
  }

  grants = (): Grant[] => [...this.#sessions.list(), ...this.#parts.grants.list()]

  /** Every word of the person's on a site. */
  sites = (): SiteGrant[] => this.#sites.list()

  /** The person's word on a site, unasked. It also answers every question about that site which waits. */
  putSite(site: string, word: SiteWord, session: string | null = null): void {
    this.#sites.put(site, word, session)
    for (const waiting of this.#desk.list()) {
      if (waiting.site !== site || (word === 'session' && waiting.session !== session)) continue
      this.#desk.settle(waiting.id, { allow: word !== 'never', lasts: 'once' })
    }
    this.#parts.onChange()
  }

  /** How many words on a site were taken back; without a site, all of every site. */
  forgetSite(site?: string): number {
    const forgotten = this.#sites.forget(site)
    this.#parts.onChange()
    return forgotten
  }

  /** How many allowances that ended; without an id, all. */
  revoke = (id?: string): number => this.#sessions.revoke(id) + this.#parts.grants.revoke(id)

  #judge(matter: Matter, scopes: readonly Scope[], profile = this.profile()): Verdict {
    return judge(matter, this.#policyFor(matter), profile, scopes)
  }

  async #judgeAccess(
    matter: Matter,
    access: Access,
    scopes: readonly Scope[],
    profile = this.profile(),
  ): Promise<Verdict> {
    if (access.kind === 'browse') {
      const word = this.#sites.find(
        siteOf(access.url) ?? '',
        sessionOf({ options: {}, surface: matter.surface }),
      )
      return withWord(this.#judge(matter, scopes, profile), word)
    }
    const secret = await this.#secretIn(access)
    if (secret !== null) return { decision: 'deny', by: 'sensitive', rule: null, reason: secret }
    return this.#judge(matter, scopes, profile)
  }

  /** A policy that cannot be read may have forbidden anything: then only what changes nothing goes on. */
  #policyFor({ operation, access }: Matter): Policy {
    try {
      return this.#parts.policy.read()
    } catch (error) {
      const harmless = operation.effect === 'pure' || operation.effect === 'read'
      if (harmless && (access === null || HARMLESS.has(access.kind)))
        return { otherwise: 'profile', rules: [] }
      throw error
    }
  }

  #judgeSite({ invocation }: Run, matter: Matter, site: string): Verdict {
    const word = this.#sites.find(site, sessionOf(invocation))
    return withWord(this.#judge(matter, this.#scopes(invocation)), word)
  }

  async #enforceSite(run: Run, matter: Matter, url: string): Promise<void> {
    const site = siteOf(url)
    if (site === null || this.permits(run, url)) return
    const verdict = this.#judgeSite(run, matter, site)
    if (verdict.by === 'site') throw new Failure('site_refused', { site })
    if (verdict.decision === 'deny') throw denied(matter.operation.id, verdict)
    const session = sessionOf(run.invocation)
    const covers = `whatever agents do on ${site}`
    const { allow, lasts } = await this.#ask(run, matter, verdict, { covers, site, session })
    if (!allow && lasts === 'always') this.putSite(site, 'never')
    if (!allow) throw new Failure('approval_denied', { operation: `${matter.operation.id} on ${site}` })
    this.#allowedIn(run).add(siteKey(site))
    if (lasts !== 'once') this.putSite(site, lasts, session)
  }

  async #secretIn(access: Exclude<Access, { kind: 'browse' }>): Promise<string | null> {
    const { places } = this.#parts
    if (access.kind === 'network') return null
    const paths =
      access.kind === 'execute'
        ? (
            await Promise.all(access.argv.map(word => pathsIn(word, places, access.cwd ?? places.home)))
          ).flat()
        : [access.path, await places.real(access.path)]
    const isWrite = access.kind !== 'read_file'
    for (const path of paths) {
      const reason = sensitiveReason(path, places, isWrite)
      if (reason !== null) return reason
    }
    return null
  }

  async #enforce(run: Run, matter: Matter, verdict: Verdict): Promise<void> {
    if (verdict.decision === 'allow') return
    const operation = matter.operation.id
    if (verdict.decision === 'deny') throw denied(operation, verdict)
    const coverage = this.#coverage(matter)
    const session = sessionOf(run.invocation)
    const before = this.#allowedIn(run)
    if (before.has(coverage.key) || this.#sessions.has(session, coverage.key)) return
    if (this.#parts.grants.find(coverage.key) !== null) return
    const { allow, lasts } = await this.#ask(run, matter, verdict, { covers: coverage.text })
    if (!allow) throw new Failure('approval_denied', { operation })
    before.add(coverage.key)
    this.#keep(session, matter.operation, coverage, lasts)
  }

  #allowedIn(run: Run): Set<string> {
    const allowed = this.#allowed.get(run) ?? new Set<string>()
    this.#allowed.set(run, allowed)
    return allowed
  }

  async #ask(
    run: Run,
    matter: Matter,
    verdict: Verdict,
    about: Pick<ApprovalBrief, 'covers' | 'site' | 'session'>,
  ): Promise<ApprovalAnswer> {
    const { operation } = matter
    const { brief, answer } = this.#desk.ask({
      operation: operation.id,
      effect: operation.effect,
      ...((operation.risk ?? 'none') !== 'none' && { risk: operation.risk }),
      text: questionText(matter, verdict, this.#parts.redact),
      ...about,
      expires_at: run.deadline,
    })
    const unanswered = new Failure('approval_required', { operation: operation.id, id: brief.id })
    return whileWaiting(run, brief, unanswered, () => answer(run.abort.signal))
  }

  #keep(session: string, operation: Operation, coverage: Coverage, lasts: Lasting): void {
    if (lasts === 'session') this.#sessions.put(session, operation.id, coverage)
    if (lasts !== 'always') return
    const now = Date.now()
    this.#parts.grants.put(coverage.key, {
      id: coverage.key.slice(0, 8),
      operation: operation.id,
      covers: coverage.text,
      lasts,
      granted_at: now,
      expires_at: now + ALWAYS_MS,
    })
  }

  #coverage(matter: Matter): Coverage {
    return coverageOf(matter, siteBase(matter.operation, this.#parts.config), this.#parts.redact)
  }

  /** Every scope of this call and of the calls before it in the same session: a session is never widened again. */
  #scopes(invocation: Invocation): readonly Scope[] {
    const { scope, session } = invocation.options
    const own = scope === undefined ? [] : [scope]
    return session === undefined ? own : this.#sessions.narrow(session, own)
  }
}

/** Shows the run as waiting; when its time is over meanwhile, that is why it failed. */
async function whileWaiting<T>(
  run: Run,
  approval: ApprovalBrief,
  unanswered: Failure,
  wait: () => Promise<T>,
): Promise<T> {
  run.state = 'waiting'
  run.unanswered = unanswered
  emit(run, { type: 'waiting', run_id: run.id, approval })
  try {
    return await wait()
  } finally {
    run.state = 'running'
    run.unanswered = null
  }
}

function checkReply(reply: string | undefined, choices: readonly string[]): void {
  if (reply !== undefined && (choices.length === 0 || choices.includes(reply))) return
  const wanted = choices.length === 0 ? 'text' : `one of: ${choices.join(', ')}`
  throw new Failure('usage', {
    problem: `The question wants an answer in words, ${wanted}.`,
    hint: 'Give it with --reply (CLI) or "reply" (HTTP).',
  })
}

/** Whom an allowance for the session is for: the named session, or the surface that asked. */
const sessionOf = ({ options, surface }: Pick<Invocation, 'options' | 'surface'>): string =>
  options.session ?? `surface ${surface}`

const siteKey = (site: string): string => `site ${site}`

/** The person's word on a site beside what the rules say of it. A never outdoes every rule. */
function withWord(verdict: Verdict, word: SiteGrant | null): Verdict {
  if (word?.word === 'never')
    return { decision: 'deny', by: 'site', rule: null, reason: `${word.site} is never to be used` }
  if (word === null || verdict.decision !== 'ask') return verdict
  return { decision: 'allow', by: 'site', rule: null, reason: `${word.site} is granted` }
}

const denied = (operation: string, { by, rule, reason }: Verdict): Failure =>
  new Failure('policy_denied', { operation, rule: rule === null ? `${by}: ${reason}` : `${rule}: ${reason}` })
