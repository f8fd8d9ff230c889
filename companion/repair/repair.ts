import { STRATEGIES, type Strategy } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { AnyStep } from '../kernel/step.ts'
import { type AdapterPlace, AdapterProblem } from '../library/adapter.ts'
import type { NamedFixture } from '../library/fixtures.ts'
import { YamlFault } from '../library/yaml-source.ts'
import { type Diagnosis, diagnosisOf, failureOf, withDrift, withFaults } from './diagnosis.ts'
import { type Draft, draftOf, edited } from './draft.ts'
import { patchOf } from './edits.ts'
import { faultsOf } from './judge.ts'
import { locate } from './locate.ts'
import { type Drift, MARGIN, type Proposal } from './proposals.ts'
import { type RehearsalParts, type Rehearsed, rehearseKnown, rehearseLive } from './rehearsal.ts'
import { leavesOf } from './spots.ts'
import { Tape } from './tape.ts'

export interface RepairParts extends RehearsalParts {
  steps: ReadonlyMap<string, AnyStep>
}

export interface RepairTask {
  place: AdapterPlace
  /** The adapter as it is. */
  text: string
  /** Known good runs; the first is compared with, all others are held out to verify. */
  fixtures: readonly NamedFixture[]
  signal: AbortSignal
  progress(text: string): void
}

export interface RepairReport {
  /** `healthy`: nothing to mend. `mended`: a patch was found and verified. `refused`: nothing is certain enough, or
   *  it is nothing that a patch can mend. */
  outcome: 'healthy' | 'mended' | 'refused'
  diagnosis: Diagnosis
  strategy: Strategy | null
  /** What the patch takes for what, in words. */
  changes: readonly string[]
  patch: string | null
  /** The adapter with the patch. */
  text: string | null
  /** Runs that the patch gave the known rows in: live ones with the arguments of the fixtures. */
  verified: { compared: number; held_out: number }
  /** Why it was refused. */
  reason: string | null
  /** What the run ended with; null when it ended well. */
  failure: Failure | null
}

/** More drifts than these in one adapter are a new adapter. */
const MAX_DEPTH = 5
const MAX_BRANCHES = 3
const MAX_DRAFTS = 40
const MAX_FIXTURES = 4

/** Finds out what is wrong with an adapter of a read and how to mend it. Changes nothing. */
export async function repair(parts: RepairParts, task: RepairTask): Promise<RepairReport> {
  const original = draftOf(task.text, task.place, parts.steps)
  if (original.operation.effect !== 'read' && original.operation.effect !== 'pure')
    throw new Failure('unsupported', {
      what: 'Repairing what changes a site',
      where: original.operation.id,
      hint: 'A write is never repeated to find out what is wrong with it. Compare the adapter by hand.',
    })
  let blocked: RepairReport | null = null
  for (const strategy of strategiesOf(original)) {
    const report = await new Search(parts, task, original, strategy).run()
    if (report === null) continue
    if (report.outcome !== 'refused' || report.diagnosis.kind === 'drift') return report
    blocked ??= report
  }
  return blocked ?? noFixture(original)
}

const noFixture = ({ operation }: Draft): never => {
  throw new Failure('not_found', {
    what: `A known good run of ${operation.id}`,
    hint: 'Record one under fixtures/ beside the adapter while the command works.',
  })
}

const strategiesOf = ({ operation }: Draft): readonly Strategy[] =>
  operation.strategy === 'auto' || operation.strategy === null
    ? STRATEGIES.filter(strategy => operation.strategies.includes(strategy))
    : [operation.strategy]

interface Known {
  fixture: NamedFixture
  run: Rehearsed
  tape: Tape
}

interface Found {
  draft: Draft
  proposals: readonly Proposal[]
  score: number
  rows: string
}

/** The search for a patch of one strategy's pipeline. */
class Search {
  readonly #parts: RepairParts
  readonly #task: RepairTask
  readonly #original: Draft
  readonly #strategy: Strategy
  #drafts = 0
  #reason: string | null = null

  constructor(parts: RepairParts, task: RepairTask, original: Draft, strategy: Strategy) {
    this.#parts = parts
    this.#task = task
    this.#original = original
    this.#strategy = strategy
  }

  /** Null when no fixture is about this strategy. */
  async run(): Promise<RepairReport | null> {
    const known = await this.#known()
    const [first] = known
    if (first === undefined) return null
    const live = await this.#live(this.#original, first)
    const diagnosis = diagnosisOf(live.envelope)
    const failure = live.envelope.ok ? null : failureOf(live.envelope)
    if (diagnosis.kind !== 'healthy' && diagnosis.kind !== 'drift')
      return this.#report(diagnosis, { failure, reason: 'It is not the adapter that is at fault.' })
    const drift = locate(this.#original, first.run, this.#original, live)
    const faults = faultsOf(first.run.rows, live.rows, first.fixture)
    if (drift === null && faults.length === 0) return this.#report(diagnosis, { outcome: 'healthy', failure })
    const told = drift === null ? withFaults(diagnosis, faults) : withDrift(diagnosis, drift)
    const found = drift === null ? null : await this.#mend(this.#original, drift, first, known, [])
    if (found !== null) return this.#mended(told, found, known.length - 1, failure)
    const reason = this.#reason ?? (drift?.what === undefined ? faults.join('; ') : `${drift.what}.`)
    return this.#report(told, { failure, reason })
  }

  /** Known good runs of the adapter as it is: a fixture that it does not answer to says nothing. */
  async #known(): Promise<Known[]> {
    const usable = this.#task.fixtures.filter(
      ({ expect, strategy }) =>
        expect.code === undefined && expect.rows_min !== 0 && this.#isMine(strategy ?? null),
    )
    // The one that tells most is compared with.
    const telling = usable.toSorted((a, b) => leavesOf(b.answers).size - leavesOf(a.answers).size)
    const out: Known[] = []
    for (const fixture of telling.slice(0, MAX_FIXTURES)) {
      const cue = { ...this.#cue(this.#original), args: fixture.args }
      const run = await rehearseKnown(this.#parts, cue, fixture)
      if (run.envelope.ok && run.rows.length > 0) out.push({ fixture, run, tape: new Tape() })
    }
    return out
  }

  /** Strategies that fetch share a pipeline, and so the shape of its answers; a page is something else. */
  #isMine(strategy: Strategy | null): boolean {
    const { source } = this.#original.operation
    if (strategy === null || strategy === this.#strategy) return true
    return source.kind === 'adapter' && source.plans[strategy] === source.plans[this.#strategy]
  }

  #cue = ({ operation }: Draft) => ({ operation, strategy: this.#strategy, signal: this.#task.signal })

  #live = (draft: Draft, { fixture, tape }: Known): Promise<Rehearsed> =>
    rehearseLive(this.#parts, { ...this.#cue(draft), args: fixture.args }, tape)

  /** Tries what could mend a drift, and what drifts after it; null when nothing is certain enough. */
  async #mend(
    draft: Draft,
    drift: Drift,
    first: Known,
    known: readonly Known[],
    before: readonly Proposal[],
  ): Promise<Found | null> {
    if (drift.proposals.length === 0) this.#reason ??= `${drift.what}, and nothing there can be taken for it.`
    if (before.length >= MAX_DEPTH) return null
    const found: Found[] = []
    for (const proposal of drift.proposals.slice(0, MAX_BRANCHES)) {
      const [best] = found
      if (best !== undefined && best.score - proposal.score >= MARGIN) break
      const outcome = await this.#follow(draft, proposal, first, known, [...before, proposal])
      if (outcome !== null) found.push({ ...outcome, score: proposal.score })
    }
    const [best] = found
    if (best === undefined) return null
    const rival = found.find(other => other.rows !== best.rows)
    if (rival === undefined) return best
    this.#reason = `${drift.what}; ${best.proposals.at(-1)?.what}, or else ${rival.proposals.at(-1)?.what}: it cannot be told which.`
    return null
  }

  async #follow(
    draft: Draft,
    proposal: Proposal,
    first: Known,
    known: readonly Known[],
    proposals: readonly Proposal[],
  ): Promise<Found | null> {
    const next = this.#edited(draft, proposal)
    if (next === null || ++this.#drafts > MAX_DRAFTS) return null
    this.#task.progress(`tries: ${proposal.what}`)
    const live = await this.#live(next, first)
    const drift = locate(this.#original, first.run, next, live)
    if (drift !== null) return this.#mend(next, drift, first, known, proposals)
    const fault = await this.#verify(next, live, first, known)
    if (fault === null)
      return { draft: next, proposals, score: proposal.score, rows: JSON.stringify(live.rows) }
    this.#reason = `With the patch (${proposal.what}), ${fault}.`
    return null
  }

  #edited(draft: Draft, { edits }: Proposal): Draft | null {
    try {
      return edited(draft, edits, this.#task.place, this.#parts.steps)
    } catch (error) {
      if (error instanceof AdapterProblem || error instanceof YamlFault) return null
      throw error
    }
  }

  /** Null when the patched adapter gives what is known, for every fixture. */
  async #verify(
    draft: Draft,
    live: Rehearsed,
    first: Known,
    known: readonly Known[],
  ): Promise<string | null> {
    for (const each of known) {
      const run = each === first ? live : await this.#live(draft, each)
      if (!run.envelope.ok) return run.envelope.error.message.replace(/\.$/, '')
      const [fault] = faultsOf(each.run.rows, run.rows, each.fixture)
      if (fault !== undefined) return fault
      if (locate(this.#original, each.run, draft, run) !== null) return 'another known run still drifts'
    }
    return null
  }

  #mended(
    diagnosis: Diagnosis,
    { draft, proposals }: Found,
    heldOut: number,
    failure: Failure | null,
  ): RepairReport {
    const { text, place } = this.#task
    return this.#report(diagnosis, {
      outcome: 'mended',
      failure,
      changes: proposals.map(({ what }) => what),
      patch: patchOf(`${place.site}/${place.command}.yaml`, text, draft.text),
      text: draft.text,
      verified: { compared: 1, held_out: heldOut },
    })
  }

  #report = (diagnosis: Diagnosis, over: Partial<RepairReport>): RepairReport => ({
    outcome: 'refused',
    diagnosis,
    strategy: this.#strategy,
    changes: [],
    patch: null,
    text: null,
    verified: { compared: 0, held_out: 0 },
    reason: null,
    failure: null,
    ...over,
  })
}
