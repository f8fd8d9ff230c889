import { z } from 'zod'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import { DialogPolicy, type PageDialog } from '../../shared/values.ts'
import type { DebugEvent, Holder, Send } from './debug-attachment.ts'
import type { Debugger, Hold } from './debugger.ts'
import { Keep } from './keep.ts'
import { parseAddress } from './tab-address.ts'

/** An act during which the page may ask something. */
interface Act {
  policy: DialogPolicy
  raised: PageDialog[]
  /** Told when a dialog is left open. */
  waits: () => void
}

interface OpenDialog {
  dialog: PageDialog
  /** Keeps the debugger on the tab until there is an answer. */
  hold: Promise<Hold>
  limit: ReturnType<typeof setTimeout>
}

export interface Watched<T> {
  /** Null while the act stands still behind a dialog that is left open. */
  done: { value: T } | null
  dialogs: PageDialog[]
}

export interface Answer {
  accept: boolean
  text: string | null
}

interface Opening {
  type: PageDialog['kind']
  message: string
  defaultPrompt?: string
  url: string
}

/** So long an open dialog waits for `browser.dialog`. */
const OPEN_MS = 300_000
/** So many are kept for whoever asks what happened between two acts. */
const MAX_EARLIER = 20
/** A page's words are quoted, not handed on whole. */
const MAX_CHARS = 1000

/**
 * The dialogs that pages raise. A tab in the background shows none: the browser says OK to an alert and no to
 * everything else at once. With the debugger on the tab the page waits for an answer instead, which is given here,
 * always, so that no page stands still behind a dialog that nobody sees.
 */
export class Dialogs {
  readonly #policies = new Keep('dialogs', z.record(z.string(), DialogPolicy), () => ({}))
  readonly #acts = new Map<number, Act>()
  readonly #open = new Map<number, OpenDialog>()
  readonly #earlier = new Map<number, PageDialog[]>()
  /** Tabs whose page has raised one: it may do so again. */
  readonly #asking = new Set<number>()
  readonly #stays = new Map<number, (url: string) => void>()
  readonly #sessionOf: (tab: number) => Promise<string | null>
  #debug: Debugger | null = null

  constructor(sessionOf: (tab: number) => Promise<string | null>) {
    this.#sessionOf = sessionOf
  }

  /** What the debugger is to be made with. */
  readonly standing = (tab: number): Holder => {
    let send: Send | null = null
    return {
      begin: async given => {
        send = given
        await given('Page.enable')
      },
      onEvent: event => {
        if (send !== null) void this.#hear(tab, event, send)
      },
      onLost: () => this.#open.delete(tab),
    }
  }

  use(debug: Debugger): void {
    this.#debug = debug
  }

  /** @throws dialog_open while a dialog of the tab waits: no script runs in it until then. */
  refuseWhileOpen(tab: number): void {
    const open = this.#open.get(tab)
    if (open === undefined) return
    const { kind, message } = open.dialog
    throw new Failure('dialog_open', { kind, message: message ?? '' })
  }

  /** Whether the page of this tab has asked something before. */
  hasAsked(tab: number): boolean {
    return this.#asking.has(tab)
  }

  async policyOf(session: string): Promise<DialogPolicy> {
    return (await this.#policies.get())[parseAddress(session).session] ?? 'auto'
  }

  async setPolicy(session: string, policy: DialogPolicy): Promise<void> {
    const policies = await this.#policies.get()
    policies[parseAddress(session).session] = policy
    await this.#policies.save()
  }

  /** Told with the page's address when it was to be left and stays, because it asked and was told no. */
  onStay(tab: number, listener: (url: string) => void): () => void {
    this.#stays.set(tab, listener)
    return () => void this.#stays.delete(tab)
  }

  openIn(tab: number): PageDialog | null {
    return this.#open.get(tab)?.dialog ?? null
  }

  /** Those that nobody was told of yet. */
  takeEarlier(tab: number): PageDialog[] {
    const earlier = this.#earlier.get(tab) ?? []
    this.#earlier.delete(tab)
    return earlier
  }

  forget(tab: number): void {
    this.#earlier.delete(tab)
    this.#asking.delete(tab)
    this.#close(tab)
  }

  /**
   * Runs an act with the debugger on the tab, and answers what the page asks meanwhile. Fails as the act does, and
   * with unsupported where the debugger cannot be attached.
   */
  async during<T>(
    tab: number,
    policy: DialogPolicy,
    signal: AbortSignal,
    run: () => Promise<T>,
  ): Promise<Watched<T>> {
    this.refuseWhileOpen(tab)
    const debug = this.#debug
    if (debug === null) return { done: { value: await run() }, dialogs: [] }
    let waits = (): void => undefined
    const waiting = new Promise<null>(resolve => {
      waits = () => resolve(null)
    })
    const act: Act = { policy, raised: [], waits }
    this.#acts.set(tab, act)
    const running = debug.on(tab, run)
    // Behind an open dialog the act goes on for itself: what becomes of it, nobody waits for.
    running.catch(error => console.debug('an act ended', error))
    try {
      const value = await orAborted(Promise.race([running.then(done => ({ value: done })), waiting]), signal)
      return { done: value, dialogs: act.raised }
    } finally {
      if (this.#acts.get(tab) === act) this.#acts.delete(tab)
    }
  }

  /** Answers the dialog that waits. Fails with no_dialog. */
  async answer(session: string, tab: number, { accept, text }: Answer): Promise<PageDialog> {
    const open = this.#open.get(tab)
    if (open === undefined) throw new Failure('no_dialog', { session })
    const { send } = await open.hold
    try {
      await send('Page.handleJavaScriptDialog', spoken(accept, text ?? open.dialog.suggested))
    } catch (error) {
      // It closed meanwhile: the person answered it, or the page is gone.
      console.debug('the dialog could not be answered', error)
      this.#close(tab)
      throw new Failure('no_dialog', { session }, { cause: error })
    }
    this.#close(tab)
    const { hint: _, ...dialog } = open.dialog
    return { ...dialog, answer: accept ? 'accepted' : 'dismissed' }
  }

  async #hear(tab: number, { method, params }: DebugEvent, send: Send): Promise<void> {
    if (method === 'Page.javascriptDialogClosed') this.#close(tab)
    if (method !== 'Page.javascriptDialogOpening') return
    this.#asking.add(tab)
    const opening = params as unknown as Opening
    const act = this.#acts.get(tab)
    const policy = act?.policy ?? (await this.#policyOfTab(tab))
    const dialog = toldOf(opening, policy)
    if (act !== undefined) act.raised.push(dialog)
    else this.#noteEarlier(tab, dialog)
    if (dialog.answer === 'waiting') return this.#leaveOpen(tab, dialog, act)
    try {
      await send('Page.handleJavaScriptDialog', spoken(dialog.answer === 'accepted', dialog.suggested))
    } catch (error) {
      console.debug('the dialog closed by itself', error)
    }
    if (opening.type === 'beforeunload' && dialog.answer === 'dismissed') this.#stays.get(tab)?.(opening.url)
  }

  #leaveOpen(tab: number, dialog: PageDialog, act: Act | undefined): void {
    if (this.#debug === null) return
    const hold = this.#debug.hold(tab, {})
    hold.catch(error => console.debug('the debugger was lost behind a dialog', error))
    const limit = setTimeout(() => void this.#giveUp(tab, dialog), OPEN_MS)
    this.#open.set(tab, { dialog, hold, limit })
    act?.waits()
  }

  /** Nobody answers: the page shall not stand still for ever. */
  async #giveUp(tab: number, dialog: PageDialog): Promise<void> {
    try {
      const answer = { accept: dialog.kind === 'alert', text: null }
      this.#noteEarlier(tab, await this.answer('', tab, answer))
    } catch (error) {
      console.debug('the dialog closed meanwhile', error)
    }
  }

  #close(tab: number): void {
    const open = this.#open.get(tab)
    this.#open.delete(tab)
    clearTimeout(open?.limit)
    void open?.hold.then(({ release }) => release()).catch(error => console.debug('it is off already', error))
  }

  #noteEarlier(tab: number, dialog: PageDialog): void {
    const earlier = this.#earlier.get(tab) ?? []
    this.#earlier.set(tab, [...earlier, dialog].slice(-MAX_EARLIER))
  }

  async #policyOfTab(tab: number): Promise<DialogPolicy> {
    const session = await this.#sessionOf(tab)
    return session === null ? 'auto' : await this.policyOf(session)
  }
}

/** @param text for a prompt; without one of the caller's it is what the prompt suggests */
const spoken = (accept: boolean, text: string | undefined): { accept: boolean; promptText?: string } => ({
  accept,
  ...(text === undefined ? {} : { promptText: text }),
})

/** What is told of a dialog, and with it what it is answered. */
function toldOf({ type, message, defaultPrompt }: Opening, policy: DialogPolicy): PageDialog {
  const answer = answerTo(type, policy)
  return {
    kind: type,
    message: message.slice(0, MAX_CHARS),
    ...(type === 'prompt' ? { suggested: defaultPrompt ?? '' } : {}),
    answer,
    ...hintFor(type, answer, policy),
  }
}

function answerTo(kind: PageDialog['kind'], policy: DialogPolicy): PageDialog['answer'] {
  if (policy === 'ask') return 'waiting'
  // There is one button only.
  if (kind === 'alert') return 'accepted'
  return policy === 'accept' ? 'accepted' : 'dismissed'
}

function hintFor(
  kind: PageDialog['kind'],
  answer: PageDialog['answer'],
  policy: DialogPolicy,
): { hint?: string } {
  if (answer === 'waiting') return { hint: 'Answer it with browser.dialog.' }
  if (policy !== 'auto' || kind === 'alert') return {}
  return { hint: 'To answer otherwise, repeat the act with dialogs "accept" or "ask".' }
}
