import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { StepTools } from '../kernel/step.ts'
import { pause } from './pause.ts'

const MAX_BACKOFF_MS = 60_000
const Attempts = z.number().int().min(1).max(10)
export const Backoff = z
  .number()
  .int()
  .min(0)
  .max(MAX_BACKOFF_MS)
  .default(500)
  .describe('before the second attempt; doubled for each further one, and longer when the site says so')
const RetryForm = z.strictObject({
  attempts: Attempts.default(3).describe('how often at most'),
  backoff_ms: Backoff,
})
export type Retry = z.output<typeof RetryForm>

/** `retry: 3`, or how often and how far apart. */
export const Retry = z.union([
  Attempts.transform((attempts): Retry => RetryForm.parse({ attempts })),
  RetryForm,
])

type Outcome<A> = { ok: true; data: A } | { ok: false; failure: Failure }
type Tools = Pick<StepTools, 'signal' | 'deadline' | 'progress'>

/** Asks again when a read fails in a way that may pass by itself, as long as the run has time for the wait. */
export const withRetry = <A>(tools: Tools, how: Retry, ask: () => Promise<A>): Promise<A> =>
  untilDone(tools, how, async () => {
    try {
      return { ok: true, data: await ask() }
    } catch (error) {
      if (!Failure.is(error)) throw error
      return { ok: false, failure: error }
    }
  })

/** The same for an attempt that tells of its failure. What it throws is not tried again. */
export async function untilDone<A>(
  { signal, deadline, progress }: Tools,
  { attempts, backoff_ms }: Retry,
  attempt: () => Promise<Outcome<A>>,
): Promise<A> {
  for (let made = 1; ; made++) {
    const outcome = await attempt()
    if (outcome.ok) return outcome.data
    const { failure } = outcome
    if (!failure.spec.retry || made >= attempts || signal.aborted) throw failure
    const ms = Math.max(Math.min(backoff_ms * 2 ** (made - 1), MAX_BACKOFF_MS), askedToWait(failure))
    // A wait that outlives the run would only hide why it failed.
    if (Date.now() + ms >= deadline) throw failure
    progress(`Attempt ${made} of ${attempts} failed (${failure.code}); the next comes in ${ms} ms.`)
    await pause(ms, signal)
  }
}

const askedToWait = (failure: Failure): number =>
  Failure.is(failure, 'rate_limited') ? (failure.params.retry_after_s ?? 0) * 1000 : 0
