import type { Envelope, Strategy } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { createKernel, type KernelParts } from '../kernel/kernel.ts'
import type { BuiltinCall, Catalogue, Kernel, Operation, StepSeen } from '../kernel/operation.ts'
import { FixtureAnswers } from '../library/fixture-answers.ts'
import type { NamedFixture } from '../library/fixtures.ts'
import type { BrowserPort, BrowserSession } from '../ports/browser.ts'
import type { HttpFactory } from '../ports/http.ts'
import { fixtureBrowser } from './fixture-browser.ts'
import { type Answered, Tape } from './tape.ts'

/** A run that is no real run: nothing of it is recorded, and its answers are known ones where there are some. */
export interface Rehearsed {
  envelope: Envelope
  seen: readonly StepSeen[]
  /** Rows of the answer; one for an answer that is no list. */
  rows: readonly Record<string, unknown>[]
  /** What the site answered, in order. */
  answers: readonly Answered[]
  /** HTML of the page that was read last. */
  page: string | null
}

/** Makes a kernel of one operation over other clients than the companion's own. */
export type KernelMaker = (clients: {
  catalogue: Catalogue
  http: HttpFactory
  browser: BrowserPort
}) => Rehearsals

type Rehearsals = Pick<Kernel, 'run'>

/** Who wants a repair: its runs are judged as theirs, and do no more than they may. */
export type Caller = Pick<BuiltinCall, 'surface' | 'limits'>

/** Kernels like the companion's own, which leave no trace: no ledger, no cache of strategies. */
export const rehearsalKernels =
  (parts: KernelParts, caller: Caller = { surface: 'cli', limits: {} }): KernelMaker =>
  clients => {
    const kernel = createKernel({
      ...parts,
      ...clients,
      ledger: {
        begin: nothing,
        step: nothing,
        request: nothing,
        finish: nothing,
        list: () => [],
        get: () => null,
      },
      // A repair compares every column itself.
      known: () => [],
      strategies: { get: () => null, put: nothing, drop: nothing },
      evidence: { ...parts.evidence, keep: () => ({ id: '', bytes: 0 }) },
      onChange: nothing,
      onEvent: nothing,
    })
    const run: Rehearsals['run'] = call =>
      kernel.run({ ...call, surface: caller.surface, options: { ...call.options, ...caller.limits } })
    return { run }
  }

const nothing = (): void => undefined

export interface RehearsalParts {
  kernelOf: KernelMaker
  http: HttpFactory
  browser: BrowserPort
}

export interface Cue {
  operation: Operation
  args: Record<string, unknown>
  strategy: Strategy
  signal: AbortSignal
}

/** Runs against a fixture alone. */
export function rehearseKnown(parts: RehearsalParts, cue: Cue, fixture: NamedFixture): Promise<Rehearsed> {
  const tape = new Tape()
  const http = tape.http({ open: () => new FixtureAnswers(fixture.answers) })
  return rehearse({ ...parts, http, browser: fixtureBrowser(fixture.answers) }, cue, tape.answers)
}

/** Runs against the site, once for each address: what it has answered on the tape is not asked again. */
export function rehearseLive(parts: RehearsalParts, cue: Cue, tape: Tape): Promise<Rehearsed> {
  const clients = { ...parts, http: tape.http(parts.http), browser: tape.browser(parts.browser) }
  return rehearse(clients, cue, tape.answers)
}

async function rehearse(
  { kernelOf, http, browser }: RehearsalParts,
  { operation, args, strategy, signal }: Cue,
  answers: readonly Answered[],
): Promise<Rehearsed> {
  const seen: StepSeen[] = []
  const pages: string[] = []
  const reading = readingBrowser(browser, html => pages.push(html))
  const kernel = kernelOf({ catalogue: catalogueOf(operation), http, browser: reading })
  const envelope = await kernel.run({
    operation: operation.id,
    args,
    options: { strategy },
    surface: 'cli',
    signal,
    trace: step => seen.push(step),
  })
  if (signal.aborted) throw Failure.from(signal.reason)
  return { envelope, seen, rows: rowsOf(envelope), answers, page: pages.at(-1) ?? null }
}

function readingBrowser(browser: BrowserPort, onHtml: (html: string) => void): BrowserPort {
  const open: BrowserPort['open'] = request => {
    const session = browser.open(request)
    const call: BrowserSession['call'] = async (method, params, options) => {
      const result = await session.call(method, params, options)
      if (method === 'page.html') onHtml((result as { html: string }).html)
      return result
    }
    return { profile: session.profile, session: session.session, call, onCapture: session.onCapture }
  }
  return { open, links: () => browser.links(), settled: options => browser.settled(options) }
}

const rowsOf = ({ ok, data }: Envelope): Record<string, unknown>[] => {
  const list: unknown[] = !ok || data === null ? [] : Array.isArray(data) ? data : [data]
  return list.filter(row => typeof row === 'object' && row !== null) as Record<string, unknown>[]
}

const catalogueOf = (operation: Operation): Catalogue => ({
  get: id => (id === operation.id ? operation : null),
  list: () => [operation],
  search: () => [],
  nearest: () => [operation.id],
  faults: () => [],
})
