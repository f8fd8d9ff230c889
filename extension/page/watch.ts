import { delay } from './clock.ts'
import { isElement, rootsIn } from './dom.ts'

/** Events by which a page tells that something may look different, though no node changed. */
const TELLING_EVENTS =
  'transitionend animationend load toggle input change scrollend popstate hashchange'.split(' ')

/**
 * Calls back after every change of the page that some event announces. Observers and listeners of an extension's
 * world are not visible to the page.
 *
 * @returns what ends it
 */
export function onChange(callback: () => void): () => void {
  const observer = observeAll(callback)
  const life = new AbortController()
  for (const name of TELLING_EVENTS) {
    window.addEventListener(name, callback, { capture: true, passive: true, signal: life.signal })
  }
  navigationOf(window)?.addEventListener('currententrychange', callback, { signal: life.signal })
  return () => {
    observer.disconnect()
    life.abort()
  }
}

/** The navigation API, which tells of every navigation as it begins; Firefox has it since 147. */
export const navigationOf = (owner: object): EventTarget | null =>
  (owner as { navigation?: EventTarget }).navigation ?? null

export const WATCHED: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  attributeOldValue: true,
}

/** Observes the document and all of its shadow roots, also those that come in later. */
export function observeAll(callback: (records: MutationRecord[]) => void): MutationObserver {
  const observer = new MutationObserver(records => {
    for (const record of records) {
      for (const node of record.addedNodes) observeRootsOf(observer, node)
    }
    callback(records)
  })
  for (const root of rootsIn(document)) observer.observe(root, WATCHED)
  return observer
}

function observeRootsOf(observer: MutationObserver, node: Node): void {
  if (!isElement(node) || !node.isConnected) return
  for (const root of rootsIn(node)) if (root !== node) observer.observe(root, WATCHED)
}

/** Resolves at the next change, when the time is over, or when the call is given up. */
export async function changeWithin(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = deferred()
  const stop = onChange(resolve)
  signal.addEventListener('abort', resolve, { once: true })
  await Promise.race([promise, delay(ms)])
  signal.removeEventListener('abort', resolve)
  stop()
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}

/** How long the page is watched after the last call, and how long after an act its own effects may still come. */
const WATCH_MS = 30_000
const AFTERMATH_MS = 1500
/** How long it is watched at least before the first act. */
const LOOK_MS = 150

/** What came of a navigation that led to no page: a file, or an answer without content. */
export type Instead = 'download' | 'network'

/** So many changes in so long are a rhythm; what comes closer together is one change. */
const RHYTHM_BEATS = 3
const RHYTHM_MS = 60
const BEAT_MS = 10

/**
 * Learns which parts of a page change all by themselves, such as clocks, so that no act takes credit for them.
 * Watches only while an agent works with the page.
 */
export class AmbientWatch {
  #observer: MutationObserver | null = null
  #restless = new WeakMap<Node, number>()
  readonly #onAct: () => void
  #onStays: ((instead: Instead) => void) | null = null
  #began = 0
  #quietUntil = 0
  #ends = 0
  readonly #beats: number[] = []

  /** @param onAct told right before an act, from when on it may have an effect */
  constructor(onAct: () => void) {
    this.#onAct = onAct
  }

  /** Called at every call of the agent: watch on. */
  keep(): void {
    this.#ends = Date.now() + WATCH_MS
    if (this.#observer) return
    this.#observer = observeAll(records => this.#note(records))
    this.#began = performance.now()
  }

  /** Resolves when the page has been watched for long enough to know what never rests. */
  async hasLooked(): Promise<void> {
    const left = LOOK_MS - (performance.now() - this.#began)
    if (left > 0) await delay(left)
  }

  /**
   * What changes from here on is an act's doing.
   *
   * @param onStays told where the page does not go where it was about to go, and what came instead
   */
  actBegins(onStays: (instead: Instead) => void): void {
    this.#onAct()
    this.#onStays = onStays
    this.#note(this.#observer?.takeRecords() ?? [])
    this.#quietUntil = Number.POSITIVE_INFINITY
  }

  /** The worker has seen that the navigation of the act led to no page. */
  stays(instead: Instead): void {
    this.#onStays?.(instead)
  }

  actEnds(): void {
    this.#onStays = null
    this.#quietUntil = Date.now() + AFTERMATH_MS
  }

  isRestless(node: Node): boolean {
    return (this.#restless.get(node) ?? 0) > 0
  }

  /** Seen to change again and again in answer to nothing. */
  addRestless(node: Node): void {
    this.#restless.set(node, (this.#restless.get(node) ?? 0) + 1)
  }

  /** Whether the page has changed in frame after frame just now, as it does where a script moves things. */
  hasRhythm(): boolean {
    this.#note(this.#observer?.takeRecords() ?? [])
    const since = performance.now() - RHYTHM_MS
    return this.#beats.filter(at => at >= since).length >= RHYTHM_BEATS
  }

  #beat(): void {
    const now = performance.now()
    if (now - (this.#beats.at(-1) ?? 0) < BEAT_MS) return
    this.#beats.push(now)
    if (this.#beats.length > RHYTHM_BEATS) this.#beats.shift()
  }

  #note(records: MutationRecord[]): void {
    if (records.length > 0) this.#beat()
    if (Date.now() > this.#ends) {
      this.#observer?.disconnect()
      this.#observer = null
      return
    }
    if (Date.now() < this.#quietUntil) return
    for (const record of records) this.addRestless(record.target)
  }
}
