import type { ServerContext } from '@modelcontextprotocol/server'
import type { RunEvent } from '../../kernel/operation.ts'

export interface Progress {
  onEvent(event: RunEvent): void
  /** Resolves when all that was told has been written, so that the result comes after it. */
  sent(): Promise<void>
}

/** Tells the events of a run as progress notifications, if the client asked for them by a progress token. */
export function progressOf(ctx: ServerContext): Progress | undefined {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let progress = 0
  let last: Promise<unknown> = Promise.resolve()
  return {
    onEvent: event => {
      progress += 1
      const params = { progressToken, progress, message: textOf(event) }
      const sending = ctx.mcpReq.notify({ method: 'notifications/progress', params })
      // A client that is gone cannot be told; its signal has ended the run already.
      last = Promise.allSettled([last, sending])
    },
    sent: async () => {
      await last
    },
  }
}

function textOf(event: RunEvent): string {
  switch (event.type) {
    case 'started':
      return event.operation
    case 'attempt':
      return `${event.strategy}: ${attemptText(event.ok, event.reason)}`
    case 'step':
      return `${event.step}: ${event.state}`
    case 'waiting':
      return `Waits for a person: ${event.approval.text}`
    case 'progress':
      return event.text
  }
}

const attemptText = (ok: boolean | null, reason: string | null): string =>
  ok === null ? 'tried' : ok ? 'worked' : `failed (${reason ?? 'no reason given'})`
