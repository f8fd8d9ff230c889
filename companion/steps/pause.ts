import { setTimeout } from 'node:timers/promises'

/** Waits; the end of the run ends it. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal })
