import type { ActResult, Verdict } from '../../shared/values.ts'
import { controlOf, shownRole } from './clickable.ts'
import { delay, drainMicrotasks, type Limit, nextTask, timeLeft } from './clock.ts'
import { ancestorsOf, focusedElement, holds, isElement, rootsIn } from './dom.ts'
import { type Change, elementOf, isDecoration, isWeak, netChanges, type Phase } from './evidence.ts'
import { fieldValueOf, isCheckable, isSelect, rawValueOf } from './field-values.ts'
import { hasVisibility } from './rendering.ts'
import { checkedState, isEditable } from './states.ts'
import { type AmbientWatch, type Instead, navigationOf, observeAll } from './watch.ts'

export type Effect =
  | 'navigation'
  | 'download'
  | 'dialog'
  | 'value'
  | 'checked'
  | 'focus'
  | 'dom'
  | 'scroll'
  | 'network'

/** After the first sign, until nothing more comes for so long, and no longer than that. */
const QUIET_MS = 3
const SETTLE_MS = 50
/** Without any sign this long. */
const GIVE_UP_MS = 500
/** A change that may be a clock's is given this long to happen again; most clocks tick each second. */
const DOUBT_MS = 1600
/** Changes beyond these tell nothing more. */
const MAX_CHANGES = 3000
const MAX_FIELDS = 500

interface Before {
  url: string
  focus: Element | null
  fields: Map<Element, string>
  dialogs: number
  scrolled: Map<Element, string>
}
/** A document that is being left stays until the next one comes; a server may take its time, or never send one. */
const LEAVE_MS = 10_000

interface NavigateEventLike extends Event {
  /** The name that the link gives the file, which may be empty. */
  downloadRequest?: string | null
  destination?: { sameDocument?: boolean }
}

/**
 * Watches a page from just before an act until its effects have settled. Only what can be put down to the act
 * counts: not what the act itself does (hovering, focusing what was clicked), nor what the page does anyway.
 */
export class Observation {
  readonly #target: Element | null
  readonly #ambient: AmbientWatch
  readonly #started = performance.now()
  readonly #changes: Change[] = []
  readonly #life = new AbortController()
  readonly #observer: MutationObserver
  readonly #before: Before
  readonly #signs = new Set<Effect>()
  readonly #deliveries = new Map<Node, number>()
  readonly #knownRequests = knownRequests()
  readonly #acted = { from: Number.POSITIVE_INFINITY, to: 0 }
  #isLeaving = false
  #phase: Phase = 'press'
  #wake: () => void = () => undefined

  constructor(target: Element | null, ambient: AmbientWatch) {
    this.#target = target
    this.#ambient = ambient
    ambient.actBegins(instead => this.#insteadCame(instead))
    this.#before = {
      url: location.href,
      focus: focusedElement(),
      fields: fieldStates(),
      dialogs: openDialogs(),
      scrolled: scrollPositions(target),
    }
    this.#observer = observeAll(records => this.#late(records))
    this.#listen()
  }

  /** What has changed up to here was done by approaching the target, not by the act. */
  forget(): void {
    this.#observer.takeRecords()
    this.#changes.length = 0
    this.#acted.from = performance.now()
  }

  /** Whether anything has changed since it was forgotten what did, but for what the page changes anyway. */
  hasChanges(): boolean {
    this.#take(this.#observer.takeRecords())
    return this.#changes.some(({ record }) => !this.#ambient.isRestless(record.target))
  }

  /** What changes from here on is put down to a phase. */
  enter(phase: Phase): void {
    this.#take(this.#observer.takeRecords())
    this.#phase = phase
  }

  /** Lets the page's own microtasks run and puts what changed down to a phase. */
  async settle(phase: Phase): Promise<void> {
    this.#phase = phase
    await drainMicrotasks()
    this.#take(this.#observer.takeRecords())
    this.#acted.to = performance.now()
  }

  /**
   * Waits for effects and tells them. Ends the watching.
   *
   * @param isDone true where the act's own end is seen to be reached: then no further sign is waited for
   */
  async conclude(
    limit: Limit,
    isDone: () => boolean = () => false,
  ): Promise<{ verdict: Verdict; effects: Effect[] }> {
    try {
      this.#phase = 'late'
      await this.#awaitSigns(limit, isDone)
      await this.#awaitLeave(limit)
      const effects = this.#effects()
      return { verdict: effects.size > 0 ? 'confirmed' : 'unconfirmed', effects: [...effects] }
    } finally {
      this.end()
    }
  }

  end(): void {
    this.#observer.disconnect()
    this.#life.abort()
    this.#ambient.actEnds()
  }

  #listen(): void {
    const options = { capture: true, passive: true, signal: this.#life.signal }
    const { signal } = this.#life
    navigationOf(window)?.addEventListener('navigate', event => this.#navigates(event), { signal })
    for (const name of ['navigateerror', 'navigatesuccess', 'currententrychange'])
      navigationOf(window)?.addEventListener(name, () => this.#stays(), { signal })
    window.addEventListener('pagehide', () => this.#sign('navigation'), options)
    window.addEventListener('scroll', event => this.#scrolls(event), options)
    for (const name of ['focusin', 'input', 'change'])
      window.addEventListener(name, () => this.#wake(), options)
    const answers = new PerformanceObserver(() => this.#wake())
    answers.observe({ type: 'resource' })
    signal.addEventListener('abort', () => answers.disconnect())
  }

  #navigates(event: NavigateEventLike): void {
    const isDownload = typeof event.downloadRequest === 'string'
    this.#isLeaving = !isDownload && event.destination?.sameDocument === false && !event.defaultPrevented
    this.#sign(isDownload ? 'download' : 'navigation')
  }

  /** No page came, so that nothing was left. */
  #insteadCame(instead: Instead): void {
    if (!this.#isLeaving) return
    this.#signs.delete('navigation')
    this.#signs.add(instead)
    this.#stays()
  }

  #stays(): void {
    this.#isLeaving = false
    this.#wake()
  }

  #scrolls({ target }: Event): void {
    if (!(target instanceof Node) || this.#ambient.isRestless(target)) return
    const box = isElement(target) ? target : document.scrollingElement
    // Bringing the target into view is announced late, but those boxes stand still since.
    if (box && positionOf(box) !== this.#before.scrolled.get(box)) this.#sign('scroll')
  }

  #sign(effect: Effect): void {
    this.#signs.add(effect)
    this.#wake()
  }

  #late(records: MutationRecord[]): void {
    this.#take(records)
    if (this.#phase !== 'late') return
    for (const node of new Set(records.map(record => record.target))) {
      this.#deliveries.set(node, (this.#deliveries.get(node) ?? 0) + 1)
    }
    this.#wake()
  }

  #take(records: MutationRecord[]): void {
    for (const record of records) {
      if (this.#changes.length < MAX_CHANGES) this.#changes.push({ record, phase: this.#phase })
    }
  }

  async #awaitSigns(limit: Limit, isDone: () => boolean): Promise<void> {
    const start = performance.now()
    for (;;) {
      const effects = this.#effects()
      const doubtful = effects.size === 1 && effects.has('dom') && this.#isDoubtful()
      if ((effects.size > 0 && !doubtful) || isDone()) break
      const patience = (doubtful ? DOUBT_MS : GIVE_UP_MS) - (performance.now() - start)
      // The act is done: what is seen until the deadline is the answer, even when that is nothing.
      const left = Math.min(patience, timeLeft(limit))
      if (left <= 0 || limit.signal.aborted) return
      await this.#nextSign(left)
    }
    await this.#awaitQuiet(limit)
  }

  async #awaitQuiet(limit: Limit): Promise<void> {
    const end = Date.now() + Math.min(SETTLE_MS, timeLeft(limit))
    for (let isQuiet = false; !isQuiet && Date.now() < end; ) {
      const sign = this.#awaitSign().then(() => false)
      const quiet = delay(Math.min(QUIET_MS, end - Date.now())).then(() => true)
      isQuiet = await Promise.race([sign, quiet])
    }
  }

  /** Whoever looks next is to see the page that comes, not the one that goes. */
  async #awaitLeave(limit: Limit): Promise<void> {
    const end = Date.now() + Math.min(LEAVE_MS, timeLeft(limit))
    while (this.#isLeaving && Date.now() < end && !limit.signal.aborted)
      await this.#nextSign(end - Date.now())
  }

  async #nextSign(ms: number): Promise<void> {
    // Fields announce nothing when they change: look again now and then.
    await Promise.race([this.#awaitSign(), delay(Math.min(ms, 100))])
    await nextTask()
  }

  #awaitSign(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  #effects(): Set<Effect> {
    const effects = new Set(this.#signs)
    if (location.href !== this.#before.url) effects.add('navigation')
    if (openDialogs() > this.#before.dialogs) effects.add('dialog')
    for (const effect of changedFields(this.#before.fields)) effects.add(effect)
    if (this.#focusMoved()) effects.add('focus')
    if (this.attributable().length > 0) effects.add('dom')
    if (this.#requested()) effects.add('network')
    return effects
  }

  #focusMoved(): boolean {
    const now = focusedElement()
    const target = this.#target
    if (!now) return false
    if (!target) return now !== this.#before.focus
    // Clicking a thing focuses it; that is an effect only where one clicks in order to type.
    if (holds(target, now) || holds(now, target)) return isEditable(now, shownRole(now))
    return now !== this.#before.focus
  }

  /** Changes that nobody else is known to make. */
  attributable(): Change[] {
    const target = this.#target
    return netChanges(this.#changes).filter(change => {
      if (target && isDecoration(change, target)) return false
      return change.phase !== 'late' || !this.#isRestless(change)
    })
  }

  #isRestless(change: Change): boolean {
    const node = change.record.target
    const element = elementOf(node)
    if (this.#ambient.isRestless(node) || (element && this.#ambient.isRestless(element))) return true
    const often = isWeak(change, this.#target) ? 2 : 3
    if ((this.#deliveries.get(node) ?? 0) < often) return false
    this.#ambient.addRestless(node)
    return true
  }

  #isDoubtful(): boolean {
    return this.attributable().every(change => isWeak(change, this.#target))
  }

  /** Own requests that began after the act and that the page does not make all the time. */
  #requested(): boolean {
    return performance.getEntriesByType('resource').some(entry => {
      const request = entry as PerformanceResourceTiming
      if (request.startTime < this.#started || !OWN_REQUESTS.has(request.initiatorType)) return false
      return isOwnSite(request.name) && this.#isAnswer(request)
    })
  }

  /** A request to a place that the page asks again and again is its own; one in the very act is the act's. */
  #isAnswer({ name, startTime }: PerformanceResourceTiming): boolean {
    const before = this.#knownRequests.get(pathOf(name)) ?? 0
    const inAct = startTime >= this.#acted.from && startTime <= this.#acted.to
    return before === 0 || (inAct && before <= SELDOM)
  }
}

const OWN_REQUESTS = new Set(['fetch', 'xmlhttprequest'])

/** So many requests to one place before are no polling yet. */
const SELDOM = 3

/** By place, how many there were. */
function knownRequests(): Map<string, number> {
  const known = new Map<string, number>()
  for (const { name } of performance.getEntriesByType('resource'))
    known.set(pathOf(name), (known.get(pathOf(name)) ?? 0) + 1)
  return known
}

const pathOf = (url: string): string => url.replace(/[?#].*$/, '')

const isOwnSite = (url: string): boolean => URL.canParse(url) && new URL(url).origin === location.origin

export const positionOf = (box: Element): string => `${box.scrollLeft} ${box.scrollTop}`

/** Of the page, and of everything around the target. */
function scrollPositions(target: Element | null): Map<Element, string> {
  const boxes = [document.scrollingElement, ...(target ? ancestorsOf(target) : [])]
  return new Map(boxes.flatMap(box => (box ? [[box, positionOf(box)]] : [])))
}

/** Values of fields are properties: no mutation tells of them. */
function fieldStates(): Map<Element, string> {
  const states = new Map<Element, string>()
  for (const root of rootsIn(document)) {
    for (const field of root.querySelectorAll('input, textarea, select, progress, meter')) {
      if (states.size >= MAX_FIELDS) return states
      states.set(field, fieldState(field))
    }
  }
  return states
}

function fieldState(field: Element): string {
  if (isCheckable(field)) return checkedState(field, field.type) ?? ''
  if (isSelect(field)) return [...field.options].map(option => Number(option.selected)).join('')
  return rawValueOf(field, '') ?? ''
}

function changedFields(before: Map<Element, string>): Set<Effect> {
  const effects = new Set<Effect>()
  for (const [field, state] of before) {
    if (field.isConnected && fieldState(field) !== state)
      effects.add(isCheckable(field) ? 'checked' : 'value')
  }
  return effects
}

const DIALOGS = 'dialog[open], [role=dialog], [role=alertdialog], [popover]:popover-open'

const openDialogs = (): number =>
  [...document.querySelectorAll(DIALOGS)].filter(dialog => dialog.checkVisibility() && hasVisibility(dialog))
    .length

/** The value of what was acted on, as it may be shown: `checked` or `unchecked` for what can be checked. */
export function shownValue(element: Element | null): string | null {
  if (!element?.isConnected) return null
  const control = controlOf(element)
  const role = shownRole(control)
  const checked = checkedState(control, role)
  if (checked !== null) return checked === 'mixed' ? 'mixed' : checked === 'true' ? 'checked' : 'unchecked'
  return fieldValueOf(control, role)
}

export function actResult(verdict: Verdict, effects: readonly string[], element: Element | null): ActResult {
  return {
    verdict,
    effects: [...effects],
    value: shownValue(element),
    url: location.href,
    title: document.title,
    hand: 'dom',
  }
}

/** An act that throws half way must not leave its watching behind. */
export async function guarded<T>(observation: Observation, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    observation.end()
    throw error
  }
}
