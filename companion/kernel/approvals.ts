import { randomUUID } from 'node:crypto'
import { Failure } from '../../shared/failures.ts'
import type { ApprovalBrief } from '../../shared/status.ts'
import type { Operation } from './operation.ts'

interface Waiting {
  brief: ApprovalBrief
  settle: (allow: boolean) => void
}

/** Questions that wait for a person. The first answer on any surface wins; the deadline without one is a no. */
export class ApprovalDesk {
  readonly #waiting = new Map<string, Waiting>()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  ask(operation: Operation, args: Record<string, unknown>, deadline: number) {
    const id = randomUUID().slice(0, 8)
    const brief: ApprovalBrief = {
      id,
      operation: operation.id,
      effect: operation.effect,
      text: describe(operation, args),
      asked_at: Date.now(),
      expires_at: deadline,
    }
    return { brief, answer: (signal: AbortSignal) => this.#answer(brief, signal) }
  }

  list(): ApprovalBrief[] {
    return [...this.#waiting.values()].map(waiting => waiting.brief)
  }

  /** False when nothing of that id waits any more. */
  settle(id: string, allow: boolean): boolean {
    const waiting = this.#waiting.get(id)
    waiting?.settle(allow)
    return waiting !== undefined
  }

  #answer(brief: ApprovalBrief, signal: AbortSignal): Promise<boolean> {
    return new Promise<boolean>((resolve, reject) => {
      const onAbort = () =>
        reject(
          Failure.is(signal.reason, 'deadline_exceeded')
            ? new Failure('approval_required', { operation: brief.operation, id: brief.id })
            : signal.reason,
        )
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.set(brief.id, { brief, settle: resolve })
      this.#onChange()
    }).finally(() => {
      this.#waiting.delete(brief.id)
      this.#onChange()
    })
  }
}

function describe(operation: Operation, args: Record<string, unknown>): string {
  const shown = Object.entries(args)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}: ${operation.secrets.includes(name) ? '[secret]' : JSON.stringify(value)}`,
    )
  return [operation.doc, ...shown].join('\n').slice(0, 2000)
}
