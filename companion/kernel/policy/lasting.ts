/** A session that is left alone for a working day is over. */
export const SESSION_MS = 8 * 3_600_000
/** How long an allowance for always holds before it is asked for again. */
export const ALWAYS_MS = 90 * 86_400_000
