import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { StepTools } from '../kernel/step.ts'
import { pause } from './pause.ts'

const MAX_BACKOFF_MS = 60_000
const Attempts = z.number().int().min(1).max(10)
const RetryForm = z.strictObject({
  attempts: Attempts.default(3).describe('how often at most'),
  backoff_ms: z
    .number()
    .int()
    .min(0)
    .max(MAX_BACKOFF_MS)
    .default(500)
    .describe('before the second attempt; doubled for each further one, and longer when the site says so'),
})
export type Retry = z.output<typeof RetryForm>

/** `retry: 3`, or how often and how far apart. */
export const Retry = z.union([
  Attempts.transform((attempts): Retry => RetryForm.parse({ attempts })),
  RetryForm,
])

/** Asks again when a read fails in a way that may pass by itself, as long as the run has time for the wait. */
export async function withRetry<A>(
  { signal, deadline, progress }: Pick<StepTools, 'signal' | 'deadline' | 'progress'>,
  { attempts, backoff_ms }: Retry,
  ask: () => Promise<A>,
): Promise<A> {
  for (let made = 1; ; made++) {
    try {
      return await ask()
    } catch (error) {
      if (!Failure.is(error) || !error.spec.retry || made >= attempts || signal.aborted) throw error
      const ms = Math.max(Math.min(backoff_ms * 2 ** (made - 1), MAX_BACKOFF_MS), askedToWait(error))
      // A wait that outlives the run would only hide why it failed.
      if (Date.now() + ms >= deadline) throw error
      progress(`Attempt ${made} of ${attempts} failed (${error.code}); the next comes in ${ms} ms.`)
      await pause(ms, signal)
    }
  }
}

const askedToWait = (failure: Failure): number =>
  Failure.is(failure, 'rate_limited') ? (failure.params.retry_after_s ?? 0) * 1000 : 0
