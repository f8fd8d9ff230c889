import type { CallOptions } from './browser.ts'

export interface Pace {
  /** Whose requests are counted together, such as a site or a host; also shown to the caller. */
  name: string
  perMinute: number
  /** What may go at once; a sixth of `perMinute` by default. */
  burst?: number | undefined
}

/** Token buckets that all runs of the companion share, by name. */
export interface RatePort {
  /** Takes a token, waiting its turn. Fails with rate_limited at once when the turn comes after the deadline. */
  take(pace: Pace, options: CallOptions): Promise<void>
}
