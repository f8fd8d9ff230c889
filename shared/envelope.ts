import { z } from 'zod'
import { isFailureCode } from './failures.ts'

/** AgentEnvelope v2: the one answer of every operation on every surface, success and failure alike. */
export const STRATEGIES = ['public', 'cookie', 'header', 'intercept', 'ui'] as const
export const Strategy = z.enum(STRATEGIES)
export type Strategy = z.infer<typeof Strategy>

export const Effect = z.enum(['pure', 'read', 'write', 'destructive'])
export type Effect = z.infer<typeof Effect>

export const Attempt = z.object({
  strategy: Strategy,
  ok: z.boolean(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  duration_ms: z.number(),
})
export type Attempt = z.infer<typeof Attempt>

export const Evidence = z.object({
  kind: z.enum(['screenshot', 'capture', 'snapshot', 'http']),
  id: z.string(),
})
export type Evidence = z.infer<typeof Evidence>

export const Meta = z.object({
  site: z.string(),
  command: z.string(),
  /** Null for operations that are no site's: browser.click and the like. */
  strategy: Strategy.nullable(),
  /** `cache` when an earlier run had found it, `probe` when this run tried, `declared` otherwise. */
  strategy_source: z.enum(['declared', 'cache', 'probe', 'asked']).nullable(),
  /** Of an auto command: what each strategy answered. */
  attempts: z.array(Attempt).optional(),
  duration_ms: z.number(),
  /** Rows in data when it is a list. */
  count: z.number().int().nullable(),
  adapter_path: z.string().nullable(),
  run_id: z.string(),
  effect: Effect,
  verdict: z.enum(['confirmed', 'unconfirmed', 'failed']).nullable(),
  profile: z.string().nullable(),
  session: z.string().nullable(),
  dry_run: z.boolean().optional(),
  /** What a surface with a limit (MCP) left out of data or details, in words. */
  truncated: z.string().optional(),
  /** Column names for the tabular formats. */
  columns: z.array(z.string()).optional(),
})
export type Meta = z.infer<typeof Meta>

export const ErrorInfo = z.object({
  code: z.string().refine(isFailureCode, 'not a failure code'),
  message: z.string(),
  class: z.enum(['auth', 'policy', 'context', 'drift', 'environment', 'adapter']),
  adapter_path: z.string().nullable(),
  /** Name and place of the step, such as "fetch" (2). */
  step: z.string().nullable(),
  step_index: z.number().int().nullable(),
  /** What that step was doing. */
  action: z.string().nullable(),
  suggestion: z.string(),
  retryable: z.boolean(),
  /** Commands to try instead. */
  alternatives: z.array(z.string()),
  details: z.record(z.string(), z.unknown()),
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
