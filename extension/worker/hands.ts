import { browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import {
  type OutsideAnswer,
  OutsideMessage,
  type OutsideRequest,
  type OutsideResults,
  type Placed,
} from '../../shared/outside.ts'
import type { Hand } from '../../shared/values.ts'
import { CaughtDrag } from './caught-drag.ts'
import { clickListeners } from './click-listeners.ts'
import type { Debugger, Hold } from './debugger.ts'
import type { AgentCall, Documents } from './documents.ts'
import { startDrawing, stopDrawing } from './drawing.ts'
import { frameChain } from './frames.ts'
import { needDebugger } from './need-debugger.ts'
import type { PageMethods } from './page-agent.ts'
import { tabOfContentScript } from './senders.ts'
import { asIfFocused, giveInput } from './trusted-input.ts'

/** One act that runs, and where. */
export interface Lent {
  tab: number
  frame: number
  session: string
  hand: Hand
  signal: AbortSignal
  deadline: number
  /** What the tab has opened since the act began. */
  opened: () => Promise<readonly unknown[]>
}

interface Loan extends Lent {
  hold: Promise<Hold> | null
  isUsed: boolean
  drag: CaughtDrag
}

/**
 * What lies outside of a document, lent to its agent for one act: the frames around it and the browser's own input.
 * A pass names the act; without one, and after the act, nothing is given.
 */
export class Hands {
  readonly #loans = new Map<string, Loan>()
  readonly #debug: Debugger
  readonly #documents: Documents

  constructor(debug: Debugger, documents: Documents) {
    this.#debug = debug
    this.#documents = documents
    browser.runtime.onMessage.addListener((message: unknown, sender) => {
      const tab = tabOfContentScript(sender)
      const parsed = tab === null ? null : OutsideMessage.safeParse(message)
      if (!parsed?.success) return undefined
      return this.#answer(parsed.data, { tab, frame: sender.frameId ?? 0 })
    })
  }

  /** `isUsed` tells whether the act had input of the browser itself. */
  lend(lent: Lent): { pass: string; isUsed(): boolean; end(): void } {
    const pass = crypto.randomUUID()
    const loan: Loan = { ...lent, hold: null, isUsed: false, drag: new CaughtDrag() }
    this.#loans.set(pass, loan)
    return {
      pass,
      isUsed: () => loan.isUsed,
      end: () => {
        this.#loans.delete(pass)
        loan.hold?.then(
          hold => stopDrawing(hold.send).then(() => hold.release()),
          error => console.debug('there was no debugger to release', error),
        )
      },
    }
  }

  async #answer(
    { pass, request }: OutsideMessage,
    from: { tab: number | null; frame: number },
  ): Promise<OutsideAnswer> {
    const loan = this.#loans.get(pass)
    try {
      if (loan === undefined || loan.tab !== from.tab || loan.frame !== from.frame)
        throw new Failure('internal', { reason: 'the act is over that asked for it' })
      return { ok: true, value: await orAborted(this.#give(loan, request), loan.signal) }
    } catch (error) {
      const failure = Failure.is(error) ? error : new Failure('internal', { reason: String(error) })
      return { ok: false, failure: failure.toJSON() }
    }
  }

  async #give(loan: Loan, request: OutsideRequest): Promise<OutsideResults[keyof OutsideResults]> {
    if (request.ask === 'place') return await this.#place(loan, request.point)
    const { send } = await this.#hold(loan)
    if (request.ask === 'listeners')
      // A tab that came of a click has shown that it was heard.
      return (await loan.opened()).length > 0 ? 'some' : await clickListeners(send, request.at)
    if (request.ask === 'attach') return true
    loan.isUsed = true
    await giveInput(send, request.inputs, loan.drag)
    return true
  }

  async #hold(loan: Loan): Promise<Hold> {
    if (loan.hand === 'dom')
      throw new Failure('unsupported', {
        what: 'Input of the browser itself',
        where: 'an act with hand=dom',
        hint: 'Call again with hand=auto or hand=cdp.',
      })
    needDebugger('input')
    loan.hold ??= this.#debug.hold(loan.tab, {
      begin: async send => {
        await asIfFocused(send)
        // Moves of a held pointer, and what a page does when it scrolls, come with the next frame.
        await startDrawing(send)
      },
      onEvent: event => loan.drag.hear(event),
    })
    return await loan.hold
  }

  /** From frame to frame outwards. Each document tells where its own frame shows the point. */
  async #place(loan: Loan, point: { x: number; y: number }): Promise<Placed> {
    const { tab, session, signal, deadline } = loan
    let placed: Placed = { at: point, obstacle: null }
    for (const { frame, parent } of await frameChain(tab, loan.frame)) {
      const call = { session, signal, deadline }
      const own = await this.#ask({ ...call, place: { tab, frame }, method: 'frame', params: {} })
      const params = { index: own.index ?? -1, point: placed.at }
      const through = await this.#ask({ ...call, place: { tab, frame: parent }, method: 'through', params })
      placed = { at: through.point, obstacle: placed.obstacle ?? through.obstacle }
    }
    return placed
  }

  async #ask<M extends 'frame' | 'through'>(call: AgentCall<M>): Promise<PageMethods[M]['result']> {
    const answer = await this.#documents.ask(call)
    if (answer === null)
      throw new Failure('element_not_ready', { target: 'The frame around it', reason: 'it was replaced' })
    if (!answer.ok) throw Failure.fromJSON(answer.failure)
    return answer.value
  }
}
