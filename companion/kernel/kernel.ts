import { limitedTo } from '../../shared/abort.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { Lasting, SiteWord } from '../../shared/policy.ts'
import type { LedgerPort } from '../ports/state.ts'
import { type ActPorts, act } from './act.ts'
import { answerOf } from './answer.ts'
import { Leases } from './credentials.ts'
import { failureOf, successOf } from './envelopes.ts'
import { deadline } from './layers/deadline.ts'
import { govern } from './layers/govern.ts'
import { type Layer, through } from './layers/layer.ts'
import { record } from './layers/record.ts'
import { resolve } from './layers/resolve.ts'
import { validate } from './layers/validate.ts'
import type { Catalogue, Invocation, Kernel, RunEvent } from './operation.ts'
import { nextArgs } from './pagination.ts'
import type { Governor } from './policy/governor.ts'
import { Rates } from './rates.ts'
import { newRunId } from './run-id.ts'
import { briefOf, emit, type Run } from './run-state.ts'
import { secretsOf, withoutSecrets } from './secrecy.ts'
import type { AnyStep } from './step.ts'

export interface KernelParts extends Omit<ActPorts, 'rates' | 'leases' | 'pages'> {
  catalogue: Catalogue
  steps: ReadonlyMap<string, AnyStep>
  ledger: LedgerPort
  governor: Governor
  /** Something that the status record shows has changed. */
  onChange: () => void
  /** The person took a site back, or all of them. */
  onTakenBack?: (site: string | undefined) => void
  /** Events of every run, beside the caller's own. */
  onEvent: (event: RunEvent) => void
  /** A fault of ours, or a clean-up that failed: for the log. */
  onFault: (error: unknown, run: { run_id: string; operation: string }) => void
}

/** How long the clean-up after a run may take; it never holds the answer back. */
const CLEANUP_MS = 3000

/** The one kernel: every surface calls `run` and formats the envelope that it gives. */
export const createKernel = (parts: KernelParts): Kernel => new Runs(parts)

class Runs implements Kernel {
  readonly catalogue: Catalogue
  readonly #parts: KernelParts & ActPorts
  readonly #running = new Map<string, Run>()
  readonly #layers: readonly Layer[]

  constructor(parts: KernelParts) {
    this.#parts = { ...parts, rates: new Rates(), leases: new Leases(), pages: new Map() }
    this.catalogue = parts.catalogue
    this.#layers = [
      resolve(parts.catalogue),
      record(parts.ledger),
      deadline(parts.config),
      validate,
      govern(parts.governor),
    ]
  }

  async run(invocation: Invocation): Promise<Envelope> {
    const { onChange, onEvent } = this.#parts
    const run = begin(invocation, onEvent)
    this.#running.set(run.id, run)
    onChange()
    const onClientGone = () => run.abort.abort(new Failure('cancelled', { by: 'client' }))
    if (invocation.signal.aborted) onClientGone()
    else invocation.signal.addEventListener('abort', onClientGone, { once: true })
    emit(run, { type: 'started', run_id: run.id, operation: invocation.operation, at: run.startedAt })
    const envelope = withoutSecrets(await this.#perform(run), secretsOf(run))
    invocation.signal.removeEventListener('abort', onClientGone)
    this.#running.delete(run.id)
    this.#finish(run, envelope)
    return envelope
  }

  running = () => [...this.#running.values()].map(briefOf)

  stop(filter: RunFilter, by: string): number {
    const hit = [...this.#running.values()].filter(run => matches(run, filter))
    for (const run of hit) run.abort.abort(new Failure('cancelled', { by }))
    return hit.length
  }

  putSite(site: string, word: SiteWord, session: string | null = null): void {
    this.#parts.governor.putSite(site, word, session)
    if (word === 'never') this.#parts.onTakenBack?.(site)
    this.#stopOn(site)
  }

  forgetSite(site?: string): number {
    const forgotten = this.#parts.governor.forgetSite(site)
    this.#parts.onTakenBack?.(site)
    this.#stopOn(site)
    return forgotten
  }

  /** Stops what is at a site that it may no longer touch. */
  #stopOn(site: string | undefined): void {
    const { governor } = this.#parts
    for (const run of this.#running.values())
      for (const [each, url] of run.sites)
        if ((site === undefined || each === site) && !governor.stillPermits(run, url))
          run.abort.abort(new Failure('cancelled', { by: `person, who took ${each} back` }))
  }

  approvals = () => this.#parts.governor.waiting()

  answer = (id: string, allow: boolean, lasts: Lasting = 'once', reply?: string) =>
    this.#parts.governor.answer(id, allow, lasts, reply)

  async #perform(run: Run): Promise<Envelope> {
    try {
      const data = await through(this.#layers, run, () => {
        if (run.operation === null) throw new Failure('internal', { reason: 'act before resolve' })
        return act(run, run.operation, this.#parts, this.#parts.steps)
      })
      const pagination = run.operation?.pagination
      const isList = pagination !== undefined && run.invocation.options.dry_run !== true
      const next = isList ? nextArgs(pagination, run.args, data) : null
      return successOf(run, await answerOf(run, data, this.#parts.evidence), next)
    } catch (error) {
      if (!Failure.is(error) || error.code === 'internal') this.#parts.onFault(error, nameOf(run))
      return failureOf(run, error)
    }
  }

  #finish(run: Run, envelope: Envelope): void {
    const { ledger, onFault, onChange } = this.#parts
    if (run.recorded) {
      for (const step of run.steps) ledger.step(step)
      const secrets = secretsOf(run)
      for (const request of run.requests) ledger.request(run.id, withoutSecrets(request, secrets))
      ledger.finish(run.id, envelope)
    }
    for (const end of run.ends)
      end().catch((error: unknown) => onFault(error, { run_id: run.id, operation: 'clean-up' }))
    if (run.ownSession && run.browser !== null)
      run.browser
        .call('session.close', {}, limitedTo(CLEANUP_MS))
        .catch((error: unknown) => onFault(error, { run_id: run.id, operation: 'session.close' }))
    onChange()
  }
}

interface RunFilter {
  profile?: string | undefined
  run_id?: string | undefined
}

const nameOf = (run: Run) => ({ run_id: run.id, operation: run.invocation.operation })

const matches = (run: Run, filter: RunFilter): boolean =>
  (filter.run_id === undefined || run.id === filter.run_id) &&
  // One that has opened no browser yet may be about to.
  (filter.profile === undefined || run.browser === null || run.browser.profile.id === filter.profile)

function begin(invocation: Invocation, onEvent: (event: RunEvent) => void): Run {
  const tellAll = (event: RunEvent) => {
    invocation.onEvent?.(event)
    onEvent(event)
  }
  return {
    id: newRunId(),
    invocation: { ...invocation, onEvent: tellAll },
    startedAt: Date.now(),
    abort: new AbortController(),
    deadline: Number.POSITIVE_INFINITY,
    operation: null,
    args: {},
    strategy: null,
    strategySource: null,
    attempts: [],
    strategyCache: null,
    answers: [],
    notes: [],
    steps: [],
    requests: [],
    evidence: [],
    verdict: null,
    place: null,
    state: 'running',
    step: null,
    unanswered: null,
    writesSent: 0,
    writesRefused: 0,
    recorded: false,
    browser: null,
    ownSession: false,
    access: async () => undefined,
    permits: () => false,
    sites: new Map(),
    ends: [],
  }
}
