import type { z } from 'zod'
import type { Effect, Envelope, Strategy } from '../../shared/envelope.ts'
import type { Failure } from '../../shared/failures.ts'
import type { Lasting, Risk, Scope, SiteWord } from '../../shared/policy.ts'
import type { ApprovalBrief, RunBrief } from '../../shared/status.ts'
import type { SiteAuth } from '../ports/auth.ts'
import type { BrowserSession } from '../ports/browser.ts'
import type { FilesPort } from '../ports/files.ts'
import type { CsrfHint } from '../ports/http.ts'
import type { Pagination } from './pagination.ts'
import type { Plan, PlannedStep, Scope as StepScope } from './step.ts'

/** How an operation was shown to work: on the live software, against the provider's documented shape, or on
 *  answers replayed from an earlier live run. */
export interface Verification {
  how: 'live' | 'contract' | 'replay'
  /** ISO day. */
  date: string
}

/** Anything callable, as data. Help, routes, tools, docs and permissions derive from this and nothing else. */
export interface Operation {
  /** `site.command`, both of [a-z0-9_-]. */
  id: string
  site: string
  command: string
  /** One sentence. */
  doc: string
  /** Strict object; unknown arguments are refused. Descriptions, defaults and choices are in the schema. */
  args: z.ZodObject
  /** Arguments that the CLI also takes by place, in order. */
  positional: readonly string[]
  /** Arguments whose values never reach log, ledger or answer. */
  secrets: readonly string[]
  effect: Effect
  /** What is at stake beyond the effect; `none` when it is not said. */
  risk?: Risk | undefined
  /** Arguments that name what is acted on: a lasting allowance holds for their values. None: for those of all. */
  targets?: readonly string[] | undefined
  /** Ports that it may open, such as `http` and `browser`. */
  needs: readonly string[]
  /** Null for operations of no site. `auto` tries `strategies` in order. */
  strategy: Strategy | 'auto' | null
  strategies: readonly Strategy[]
  example: Record<string, unknown>
  columns: readonly string[]
  aliases: readonly string[]
  /** Shown also where there is room for a few only, such as the tools of an MCP client. */
  isProminent?: boolean | undefined
  /** Its answer keeps to a budget of its own, so that it is not cut any further. */
  isBudgeted?: boolean | undefined
  /** Arguments that are left out where it is described in few words. */
  rareArgs?: readonly string[] | undefined
  adapterPath: string | null
  verified: Verification | null
  /** Operations to try when this one fails. */
  alternatives: readonly string[]
  /** An empty list is an answer, not `empty_result`. */
  allowEmpty: boolean
  /** How its list goes on. */
  pagination?: Pagination | undefined
  /** How long it may take when the caller does not say; without it, as the settings say. */
  timeoutMs?: number | undefined
  /** What `act` runs. */
  source: OperationSource
}

export type OperationSource =
  | {
      kind: 'adapter'
      base: string | null
      origins: readonly string[]
      plans: Partial<Record<Strategy, Plan>>
      csrf: CsrfHint
      auth?: SiteAuth | undefined
      /** Programs that it may start, by name or absolute path. */
      executables: readonly string[]
      /** Environment names that its expressions and programs may see. */
      env: readonly string[]
      /** Requests per minute to its site, over all runs. */
      rate?: number | undefined
    }
  | { kind: 'step'; step: string }
  | { kind: 'builtin'; run: (args: Record<string, unknown>, call: BuiltinCall) => Promise<unknown> }

/** What an operation that is code of ours sees of its run. */
export interface BuiltinCall {
  runId: string
  surface: Surface
  /** To what the caller narrowed this run. An operation that runs others passes it on: they are within it as well. */
  limits: RunLimits
  signal: AbortSignal
  /** Absolute, epoch ms. */
  deadline: number
  /** One line for a person on long work. */
  progress(text: string): void
  /** The run's own session, opened on first use. Fails as BrowserPort.open does. */
  browser(): BrowserSession
  files(): FilesPort
}

export type RunLimits = Pick<RunOptions, 'scope' | 'session'>

export interface RunOptions {
  strategy?: Strategy | 'auto' | undefined
  /** Browser profile, by id or name. */
  profile?: string | undefined
  timeout_ms?: number | undefined
  dry_run?: boolean | undefined
  /** What of the answer is wanted, in this order: a dot path or JSONPath, fields of each row, one value of each. */
  select?: string | undefined
  fields?: readonly string[] | undefined
  pluck?: string | undefined
  /** Of each row only the declared columns, as a model reads it; any of the three above, or `full`, overrules it. */
  brief?: boolean | undefined
  /** Nothing of the answer is cut: neither long texts nor bytes, which are base64 then. */
  full?: boolean | undefined
  /** Pictures of the answer go along where a surface can show some. */
  images?: boolean | undefined
  /** Browser session; `default` for browser operations, one of its own for each run of an adapter. */
  session?: string | undefined
  /** Which tab of the session; by default its current one. */
  tab?: string | undefined
  /** Narrows what this call may do, and with `session` every later call in that session. */
  scope?: Scope | undefined
}

export type Surface = 'cli' | 'http' | 'mcp'

export interface Invocation {
  /** `site.command` */
  operation: string
  args: Record<string, unknown>
  options: RunOptions
  surface: Surface
  /** Aborts when the client went away. */
  signal: AbortSignal
  /** Folders of adapters that count for this call, above all others; absolute. */
  adapterDirs?: readonly string[] | undefined
  onEvent?: ((event: RunEvent) => void) | undefined
  /** Sees what every step was given and answered. For code inside the companion: no surface passes it on. */
  trace?: ((seen: StepSeen) => void) | undefined
}

/** One step of a run, as it went. */
export interface StepSeen {
  planned: PlannedStep
  /** Its input is `data`; in an `each` also `item`. */
  scope: StepScope
  output: unknown
  failure: Failure | null
}

/** What a run tells while it goes on; every surface streams these as they are. */
export type RunEvent =
  | { type: 'started'; run_id: string; operation: string; at: number }
  | { type: 'attempt'; run_id: string; strategy: Strategy; ok: boolean | null; reason: string | null }
  | {
      type: 'step'
      run_id: string
      path: string
      step: string
      state: 'started' | 'done' | 'failed'
      duration_ms: number | null
    }
  | { type: 'waiting'; run_id: string; approval: ApprovalBrief }
  | { type: 'progress'; run_id: string; text: string }

export interface AdapterFault {
  file: string
  line: number | null
  reason: string
}

/** The one list of everything callable; changes as adapters are added, mended or broken. */
export interface Catalogue {
  get(id: string): Operation | null
  /** Sorted by id. */
  list(): readonly Operation[]
  search(query: string, limit: number): readonly { operation: Operation; score: number }[]
  /** Ids most like `name`, best first, for "did you mean". */
  nearest(name: string): readonly string[]
  faults(): readonly AdapterFault[]
  /** The same with folders of adapters on top, which count for one caller. */
  under?(folders: readonly string[]): Catalogue
}

/** What surfaces call. They format what it answers and add nothing. */
export interface Kernel {
  readonly catalogue: Catalogue
  /** Never rejects: every failure is an envelope. */
  run(invocation: Invocation): Promise<Envelope>
  running(): readonly RunBrief[]
  /** Stops runs of a profile, or all; returns how many. */
  stop(filter: { profile?: string | undefined; run_id?: string | undefined }, by: string): number
  /** The person's word on a site. What runs there and no longer may is stopped. */
  putSite(site: string, word: SiteWord, session?: string | null): void
  /** Takes words on a site back, or on all; returns how many. What runs there and no longer may is stopped. */
  forgetSite(site?: string): number
  approvals(): readonly ApprovalBrief[]
  /** False when nothing of that id waits any more. */
  answer(id: string, allow: boolean, lasts?: Lasting, reply?: string): boolean
}
