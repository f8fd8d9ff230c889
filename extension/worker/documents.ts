import { browser } from 'wxt/browser'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { DialogPolicy, Hand } from '../../shared/values.ts'
import type { CallContext, PageAnswer } from '../page/agent.ts'
import { Keep } from './keep.ts'
import {
  type AgentAnswer,
  type Invoked,
  invokeAgent,
  type PageMethod,
  type PageMethods,
  stopAgent,
} from './page-agent.ts'
import type { Place, Scripts } from './scripts.ts'

const AGENT_FILE = '/page-agent.js'
/** The document may change between putting the agent into it and asking it. */
const TRIES = 4

const Kept = z.record(
  z.string(),
  z.object({
    /** The next number that was never given. */
    next: z.number().int(),
    /** Document number → the frame that shows it. */
    frames: z.record(z.string(), z.number().int()),
    /** Document number → the address it had last. */
    urls: z.record(z.string(), z.string()).default({}),
  }),
)

export interface AgentCall<M extends PageMethod> {
  session: string
  place: Place
  method: M
  params: PageMethods[M]['params']
  signal: AbortSignal
  deadline: number
  /** Of an act: which hand does it, and its pass to what is outside of the document. */
  hand?: Hand
  pass?: string
  unless_asks?: true | undefined
  dialogs?: DialogPolicy | undefined
}

/**
 * The documents of our tabs by number. A number is given to one document of a tab and never again, so that a ref
 * says to which document it belongs. The numbers outlive the worker.
 */
export class Documents {
  readonly #keep = new Keep('documents', Kept, () => ({}))
  /** Numbers that were offered to documents which had one already. */
  readonly #free = new Map<number, number[]>()
  readonly #scripts: Scripts
  /** Frames into which the agent is put just now. */
  readonly #injecting = new Map<string, Promise<unknown>>()
  #calls = 0

  constructor(scripts: Scripts) {
    this.#scripts = scripts
  }

  /** Asks the agent of the frame's document, injected when missing. Null when the document went away meanwhile. */
  async ask<M extends PageMethod>(call: AgentCall<M>): Promise<AgentAnswer<M> | null> {
    const { place, signal, deadline } = call
    const { hand, pass, unless_asks, dialogs } = call
    const lent = {
      ...(hand === undefined ? {} : { hand }),
      ...(pass === undefined ? {} : { pass }),
      ...(unless_asks === undefined ? {} : { unless_asks }),
      ...(dialogs === undefined ? {} : { dialogs }),
    }
    const context = { document: await this.#number(place.tab), call: `a${++this.#calls}`, deadline, ...lent }
    const stop = (): void => void this.#stop(call, context.call)
    signal.addEventListener('abort', stop, { once: true })
    try {
      const answer = await this.#invoke(call, context)
      if (answer === null || answer.document !== context.document) this.#giveBack(place.tab, context.document)
      if (answer === null) return null
      await this.#note(place, answer)
      return await this.#explained(place, answer)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** The frame that shows the document which gave a ref. Fails with ref_gone. */
  async frameOf(tab: number, ref: string): Promise<number> {
    const number = documentOf(ref)
    const frame = (await this.#keep.get())[tab]?.frames[number]
    if (frame === undefined)
      throw new Failure('ref_gone', { ref, reason: 'its document is no longer in this tab' })
    if (frame !== 0 && (await browser.webNavigation.getFrame({ tabId: tab, frameId: frame })) === null)
      throw new Failure('ref_gone', { ref, reason: 'its frame was removed from the page' })
    return frame
  }

  /** The frames of a tab that were asked before, each with the newest document that it is known to have shown. */
  async newestByFrame(tab: number): Promise<Map<number, number>> {
    const newest = new Map<number, number>()
    for (const [document, frame] of Object.entries((await this.#keep.get())[tab]?.frames ?? {}))
      newest.set(frame, Math.max(newest.get(frame) ?? 0, Number(document)))
    return newest
  }

  async forget(tab: number): Promise<void> {
    const kept = await this.#keep.get()
    if (kept[tab] === undefined) return
    delete kept[tab]
    this.#free.delete(tab)
    await this.#keep.save()
  }

  async #number(tab: number): Promise<number> {
    const kept = await this.#keep.get()
    kept[tab] ??= { next: 1, frames: {}, urls: {} }
    // A later document has a higher number.
    const newest = Math.max(0, ...Object.keys(kept[tab].frames).map(Number))
    const free = (this.#free.get(tab) ?? []).filter(number => number > newest)
    const number = free.pop() ?? kept[tab].next++
    this.#free.set(tab, free)
    return number
  }

  #giveBack(tab: number, number: number): void {
    this.#free.set(tab, [...(this.#free.get(tab) ?? []), number])
  }

  /** Before anything of the document is told to anybody, so that a killed worker gives its number to no other. */
  async #note(
    { tab, frame = 0 }: Place,
    { document, url }: { document: number; url: string },
  ): Promise<void> {
    const kept = await this.#keep.get()
    kept[tab] ??= { next: 1, frames: {}, urls: {} }
    const known = kept[tab]
    if (known.frames[document] === frame && known.urls[document] === url) return
    known.frames[document] = frame
    known.urls[document] = url
    known.next = Math.max(known.next, document + 1)
    await this.#keep.save()
  }

  /** Where a ref is of a document that the frame no longer shows, says what it showed then and shows now. */
  async #explained<A extends PageAnswer<unknown>>({ tab }: Place, answer: A): Promise<A> {
    if (answer.ok || answer.failure.code !== 'ref_gone') return answer
    const { ref } = answer.failure.params
    const number = typeof ref === 'string' ? documentOf(ref) : ''
    const old = (await this.#keep.get())[tab]?.urls[number]
    if (old === undefined || number === String(answer.document)) return answer
    const reason =
      old === answer.url ? `the page ${old} was loaded anew` : `the page went from ${old} to ${answer.url}`
    return { ...answer, failure: { code: 'ref_gone', params: { ref, reason } } }
  }

  async #invoke<M extends PageMethod>(
    call: AgentCall<M>,
    context: CallContext,
  ): Promise<AgentAnswer<M> | null> {
    const { place, session, signal, method, params } = call
    const attempt = (): Promise<Invoked | null> =>
      this.#scripts.run(place, session, signal, invokeAgent, [method, JSON.stringify(params), context])
    await this.#injecting.get(frameKey(place))
    for (let tries = 0; tries < TRIES; tries += 1) {
      const invoked = await attempt()
      if (invoked === null) return null
      // Said by our own agent in our own world, where no page can reach it.
      if (!invoked.missing) return JSON.parse(invoked.json) as AgentAnswer<M>
      if ((await this.#inject(place, session, signal)) === null) return null
    }
    throw new Failure('internal', { reason: 'the page agent did not start' })
  }

  /** Whoever asks the same document meanwhile waits for it: the agent is large. */
  async #inject(place: Place, session: string, signal: AbortSignal): Promise<true | null> {
    const key = frameKey(place)
    const injected = this.#scripts.inject(place, session, signal, AGENT_FILE)
    const ended = Promise.allSettled([injected])
    this.#injecting.set(key, ended)
    try {
      return await injected
    } finally {
      if (this.#injecting.get(key) === ended) this.#injecting.delete(key)
    }
  }

  async #stop({ place, session }: AgentCall<PageMethod>, call: string): Promise<void> {
    try {
      await this.#scripts.run(
        { ...place, readsNothing: true },
        session,
        new AbortController().signal,
        stopAgent,
        [call],
      )
    } catch (error) {
      // The tab or page is gone, and the agent's work with it.
      console.debug('the agent could not be stopped', error)
    }
  }
}

const frameKey = ({ tab, frame = 0 }: Place): string => `${tab} ${frame}`

/** The number in a ref such as d3e12, or in the cursor of a snapshot. */
export const documentOf = (ref: string): string =>
  /^(?:ref=)?\[?d(\d+)(?:e\d+|[aw]\d+\.)/.exec(ref)?.[1] ?? ''
