import { z } from 'zod'
import { isFailureCode } from './failures.ts'

/** AgentEnvelope v2: the one answer of every operation on every surface, success and failure alike. */
export const STRATEGIES = ['public', 'cookie', 'header', 'intercept', 'ui'] as const
export const Strategy = z.enum(STRATEGIES)
export type Strategy = z.infer<typeof Strategy>

export const Effect = z.enum(['pure', 'read', 'write', 'destructive'])
export type Effect = z.infer<typeof Effect>

/** A key that may be missing where an answer is written, and is null where it is read: nulls would cost tokens. */
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().default(null)

export const Attempt = z.object({
  strategy: Strategy,
  ok: z.boolean(),
  code: orNull(z.string()),
  reason: orNull(z.string()),
  /** HTTP status of the answer that it failed on. */
  status: orNull(z.number().int()),
  /** Id of the evidence that shows that answer. */
  evidence: orNull(z.string()),
  duration_ms: z.number(),
})
export type Attempt = z.infer<typeof Attempt>

export const Evidence = z.object({
  /** `data` is the whole of an answer that was cut; `blob` what stood in it as bytes. */
  kind: z.enum(['screenshot', 'capture', 'snapshot', 'http', 'data', 'blob']),
  /** SHA-256 of the content: `unicli runs evidence <id>` and GET /v1/evidence/<id> give it. */
  id: z.string(),
  media_type: z.string().optional(),
  /** Size of the content. */
  bytes: z.number().int().optional(),
})
export type Evidence = z.infer<typeof Evidence>

export const Meta = z.object({
  site: z.string(),
  command: z.string(),
  /** Null for operations that are no site's: browser.click and the like. */
  strategy: orNull(Strategy),
  /** `cache` when an earlier run had found it, `probe` when this run tried, `declared` otherwise. */
  strategy_source: orNull(z.enum(['declared', 'cache', 'probe', 'asked'])),
  /** Of an auto command: what each strategy answered. */
  attempts: z.array(Attempt).optional(),
  /** Of an auto command: whether what answered an earlier run was taken, why not, and how long it is kept. */
  strategy_cache: z
    .object({ used: z.boolean(), reason: orNull(z.string()), expires: orNull(z.string()) })
    .optional(),
  duration_ms: z.number(),
  /** Rows in data when it is a list. */
  count: orNull(z.number().int()),
  adapter_path: orNull(z.string()),
  /** Empty for what was refused before it became a run. */
  run_id: z.string().default(''),
  effect: Effect,
  verdict: orNull(z.enum(['confirmed', 'unconfirmed', 'failed'])),
  profile: orNull(z.string()),
  session: orNull(z.string()),
  dry_run: z.boolean().optional(),
  /** Of a run that failed: something that may change the site had left before. */
  wrote: z.literal(true).optional(),
  /** What a surface with a limit (MCP) left out of data or details, in words. */
  truncated: z.string().optional(),
  /** Remarks on the answer, such as that no row has a field that was asked for. */
  notes: z.array(z.string()).optional(),
  /** Arguments that ask for what comes after these rows; missing when nothing does, or nobody knows. */
  next: z.record(z.string(), z.unknown()).optional(),
  /** Fields of the rows that a brief answer leaves out: `fields` or `full` give them. */
  left_out: z.array(z.string()).optional(),
  /** Column names for the tabular formats. */
  columns: z.array(z.string()).optional(),
})
export type Meta = z.infer<typeof Meta>

export const ErrorInfo = z.object({
  code: z.string().refine(isFailureCode, 'not a failure code'),
  message: z.string(),
  class: z.enum(['auth', 'policy', 'context', 'drift', 'environment', 'adapter']),
  adapter_path: orNull(z.string()),
  /** Name and place of the step, such as "fetch" (2). */
  step: orNull(z.string()),
  step_index: orNull(z.number().int()),
  /** 1-based line of that step in the adapter. */
  adapter_line: orNull(z.number().int()),
  /** What that step was doing. */
  action: orNull(z.string()),
  suggestion: z.string(),
  retryable: z.boolean(),
  /** Commands to try instead. */
  alternatives: z.array(z.string()).default([]),
  details: z.record(z.string(), z.unknown()).default({}),
})
export type ErrorInfo = z.infer<typeof ErrorInfo>

const common = {
  version: z.literal('v2'),
  meta: Meta,
  evidence: z.array(Evidence),
}
const exit = z.union([0, 1, 2, 66, 69, 75, 77, 78].map(code => z.literal(code)))
export const Envelope = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), ...common, data: z.unknown(), error: z.null(), exit_code: z.literal(0) }),
  z.object({ ok: z.literal(false), ...common, data: z.null(), error: ErrorInfo, exit_code: exit }),
])
export type Envelope = z.infer<typeof Envelope>
/** As every surface writes it: keys of meta and error that say nothing may be missing. */
export type WrittenEnvelope = z.input<typeof Envelope>
