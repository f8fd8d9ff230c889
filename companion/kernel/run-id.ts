import { randomUUID } from 'node:crypto'

export const newRunId = (): string => randomUUID().replaceAll('-', '').slice(0, 16)

/** The session of a run that names none; it ends with the run. */
export const ownSessionOf = (runId: string): string => `run-${runId}`

/** The run whose own session has this name; null where somebody else named it. */
export const runOfSession = (session: string): string | null =>
  /^run-([\da-f]{16})$/.exec(session)?.[1] ?? null
