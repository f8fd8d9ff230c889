import type { z } from 'zod'
import type { Effect } from '../../shared/envelope.ts'
import type { Failure } from '../../shared/failures.ts'
import type { Risk } from '../../shared/policy.ts'
import type { Verdict } from '../../shared/values.ts'
import type { BrowserSession } from '../ports/browser.ts'
import type { CredentialPort } from '../ports/credentials.ts'
import type { FilesPort } from '../ports/files.ts'
import type { HttpPort } from '../ports/http.ts'
import type { McpPort } from '../ports/mcp.ts'
import type { PersonPort } from '../ports/person.ts'
import type { ProcessPort } from '../ports/process.ts'
import type { RatePort } from '../ports/rates.ts'
import type { SessionTraffic } from '../ports/traffic.ts'

/** A pipeline, compiled: every step known, every option key checked. */
export interface PlannedStep {
  step: AnyStep
  /** As written, templates and all. */
  params: unknown
  /** Line in the adapter file, 1-based; null when it has none. */
  line: number | null
}
export type Plan = readonly PlannedStep[]

/** What a step may reach. A step sees only the ports that it names in `needs`. */
export interface StepPorts {
  /** Authenticated as the run's strategy says. */
  http: HttpPort
  browser: BrowserSession
  /** What the session's tabs asked and wrote to their console. */
  traffic: SessionTraffic
  files: FilesPort
  process: ProcessPort
  person: PersonPort
  mcp: McpPort
  rates: RatePort
  credentials: CredentialPort
}
export type Need = keyof StepPorts

export type StepEffect = 'pure' | 'read' | 'write' | 'destructive' | 'inherits'

/** Values that templates can name. */
export interface Scope {
  args: Record<string, unknown>
  vars: Record<string, unknown>
  data: unknown
  base: string
  /** Environment names that the adapter declares, as far as they are set. */
  env: Readonly<Record<string, string>>
  item?: unknown
  index?: number
}

/** A template or expression over `item` and `index`. */
export type PerRow = (item: unknown, index: number) => unknown

/** How a nested pipeline ended. `wrote` says that something which may have changed something has left in it. */
export type Attempted = { ok: true; data: unknown } | { ok: false; failure: Failure; wrote: boolean }

export interface StepTools {
  /** The previous step's answer. */
  readonly data: unknown
  readonly scope: Scope
  readonly signal: AbortSignal
  /** Absolute, epoch ms. */
  readonly deadline: number
  /** Fills templates in a value that the schema left unrendered; `extra` adds item and index. */
  render(value: unknown, extra?: Partial<Scope>): unknown
  evaluate(expression: string, extra?: Partial<Scope>): unknown
  /** `render` for many rows: the value is read once, and the names in scope are not copied for each. */
  renderer(value: unknown): PerRow
  /** `evaluate` for many rows, as `renderer` is `render` for many. */
  evaluator(expression: string): PerRow
  /** Runs a nested pipeline on `input`. Its `set` steps write into `extra.vars` when given, else here. */
  run(plan: readonly unknown[], input: unknown, extra?: Partial<Scope>): Promise<unknown>
  /** The same, with a failure that a pipeline may deal with as an answer. Others are thrown: the run has ended, the
   *  policy or the person said no, or the adapter itself is wrong. */
  attempt(plan: readonly unknown[], input: unknown, extra?: Partial<Scope>): Promise<Attempted>
  setVars(values: Record<string, unknown>): void
  /** What an act was seen to do; the worst of a run goes into meta.verdict. */
  report(verdict: Verdict): void
  /** One line for a person on long work. */
  progress(text: string): void
}
export type StepContext<N extends Need> = StepTools & Pick<StepPorts, N>

export interface Step<S extends z.ZodType = z.ZodType, N extends Need = Need> {
  /** snake_case verb, unique in the catalogue. */
  name: string
  /** Other names for the same, such as those that older tools use. */
  aliases?: readonly string[]
  doc: string
  needs: readonly N[]
  effect: StepEffect
  /** Option keys are strict. A field with meta `rendered: false` keeps its templates for the step itself, one
   *  with `plan: true` is a nested pipeline (with `reads: true` one that changes nothing), one with `plans: true`
   *  several, as a list or by name, one with `expression: true` a bare expression. */
  schema: S
  /** Of a step that inherits its effect: what its options, as written, let it do. */
  effectOf?: (options: Readonly<Record<string, unknown>>) => Effect
  /** Programs that it starts, as far as its options, as written, tell; the adapter must declare them. */
  executables?: (options: Readonly<Record<string, unknown>>) => readonly string[]
  example: z.input<S>
  /** Data that the example runs on, and what it answers to it: the tests run it and the reference shows it. */
  exampleInput?: unknown
  exampleOutput?: unknown
  /** Set when it is also an operation of its own: `browser` makes `browser.<name>`. */
  site?: 'browser' | 'files' | 'media' | 'network' | 'console'
  /** The operation's command where it is not the step's name. */
  /** Of that operation: what is at stake beyond its effect. */
  risk?: Risk
  /** Options of that operation whose values never reach log, ledger or answer. */
  secretOptions?: readonly string[]
  /** What that operation is called, where it is not the step's own name. */
  command?: string
  /** Set when that operation is among the few that every agent shall see at once. */
  isProminent?: true
  /** Set when that operation's answer keeps to a budget of its own, so that it is not cut any further. */
  isBudgeted?: true
  /** Options that a short description of that operation leaves out. */
  rareOptions?: readonly string[]
  run(ctx: StepContext<N>, params: z.output<S>): Promise<unknown>
}

/** Erased for lists; the kernel parses params by `schema` before it calls `run`. */
export interface AnyStep extends Omit<Step, 'run' | 'needs' | 'example'> {
  needs: readonly Need[]
  example: unknown
  run(ctx: StepContext<Need>, params: never): Promise<unknown>
}

export const defineStep = <S extends z.ZodType, const N extends Need>(step: Step<S, N>): Step<S, N> => step
