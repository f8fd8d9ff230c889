import { randomUUID } from 'node:crypto'
import type { Lasting } from '../../shared/policy.ts'
import type { ApprovalBrief } from '../../shared/status.ts'

/** A person's word; `lasts` says for how long a yes holds. */
export interface ApprovalAnswer {
  allow: boolean
  lasts: Lasting
  /** The answer to a question that wants one in words. */
  reply?: string | undefined
}

interface Waiting {
  brief: ApprovalBrief
  settle: (answer: ApprovalAnswer) => void
}

export type ApprovalQuestion = Omit<ApprovalBrief, 'id' | 'asked_at'>

/** Questions that wait for a person. The first answer on any surface wins; the deadline without one is a no. */
export class ApprovalDesk {
  readonly #waiting = new Map<string, Waiting>()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  ask(question: ApprovalQuestion) {
    const brief: ApprovalBrief = {
      id: randomUUID().slice(0, 8),
      ...question,
      asked_at: Date.now(),
    }
    return { brief, answer: (signal: AbortSignal) => this.#answer(brief, signal) }
  }

  get(id: string): ApprovalBrief | null {
    return this.#waiting.get(id)?.brief ?? null
  }

  list(): ApprovalBrief[] {
    return [...this.#waiting.values()].map(waiting => waiting.brief)
  }

  /** False when nothing of that id waits any more. */
  settle(id: string, answer: ApprovalAnswer): boolean {
    const waiting = this.#waiting.get(id)
    // At once, so that a second answer finds nothing: the promise is looked at a turn later.
    this.#waiting.delete(id)
    waiting?.settle(answer)
    return waiting !== undefined
  }

  #answer(brief: ApprovalBrief, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise<ApprovalAnswer>((resolve, reject) => {
      const onAbort = () => reject(signal.reason)
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
