import { z } from 'zod'

const id = z.string().regex(/^[a-z0-9][a-z0-9_-]*\.[a-z0-9][a-z0-9_-]*$/, 'must be site.command')
const args = z.record(z.string(), z.unknown()).default({})

/** What shows that a goal is reached. */
export const Check = z.strictObject({
  operation: id,
  args,
  expect: z
    .string()
    .min(1)
    .describe('expression over ok, data, meta and error of the answer, such as data | length > 0'),
})
export type Check = z.infer<typeof Check>

export const Attempt = z.strictObject({ operation: id, args })
export type Attempt = z.infer<typeof Attempt>

/** What shall be so, how that is seen, and what may be done for it. */
export const Goal = z.strictObject({
  goal: z.string().min(1).max(500).describe('in words'),
  checks: z.array(Check).min(1).max(20).describe('all have to hold'),
  attempts: z
    .array(Attempt)
    .min(1)
    .max(20)
    .describe('ways to reach it, the best first: each is an alternative to those before'),
  max_attempts: z.int().min(1).max(50).default(5).describe('runs of attempts in all, over every call'),
  deadline: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('nothing is tried after this time, in any call'),
})
export type Goal = z.infer<typeof Goal>

/** One run of an attempt. `started` is written before it begins, so that a crash leaves it behind. */
export const Try = z.strictObject({
  attempt: z.int(),
  operation: z.string(),
  state: z.enum(['started', 'done', 'failed', 'unknown']),
  code: z.string().nullable(),
  message: z.string().nullable(),
  run_id: z.string().nullable(),
  /** Something that may change the site had left before it failed. */
  wrote: z.boolean().default(false),
  at: z.iso.datetime(),
})
export type Try = z.infer<typeof Try>

/** What is known of a goal from call to call. */
export const GoalState = z.strictObject({ tries: z.array(Try) })
export type GoalState = z.infer<typeof GoalState>

export interface Checked {
  operation: string
  holds: boolean
  /** What the check itself failed with: then it says nothing about the goal. Null when it ran. */
  code: string | null
  /** Why it does not; null when it does. */
  reason: string | null
  run_id: string
}

export interface GoalReport {
  goal: string
  state: 'satisfied' | 'in_progress' | 'blocked' | 'exhausted'
  /** What a person has to do; null unless blocked. */
  blocked_by: string | null
  checks: readonly Checked[]
  tries: readonly Try[]
  tries_left: number
}
