import type { ActResult } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { type } from './acts.ts'
import { shownRole } from './clickable.ts'
import { click } from './clicking.ts'
import { checkLimit, nextFrame, timeLeft } from './clock.ts'
import { ariaWord, focusedElement } from './dom.ts'
import { isInput } from './field-values.ts'
import { moveFocus } from './focus.ts'
import { haveDrawn } from './hidden-tab.ts'
import { nameOf } from './names.ts'
import { actResult } from './observe.ts'
import {
  fillView,
  isChosen,
  type OptionPlace,
  openLists,
  optionsOf,
  scrollerOf,
  scrollOn,
  scrollTo,
  takesSeveral,
  timesShown,
} from './option-lists.ts'
import { awaitPointable, notReady } from './readiness.ts'
import { bestNamed, exactlyNamed, noOption } from './select-entry.ts'
import { isEditable, isReadOnly } from './states.ts'
import { tidy } from './text.ts'
import { changeWithin } from './watch.ts'

export interface SelectRequest {
  target: string
  /** Labels or values; all of them are chosen, and no others. */
  options: readonly string[]
}

export const PLAIN_CLICK = { count: 1, button: 'left', modifiers: [], position: null } as const

/** How long a list may take to load its options, where nothing else leads to them. */
const PATIENCE_MS = 2000
/** How long, before a list that holds more than it shows is scrolled or searched. */
const GLANCE_MS = 400
const RECHECK_MS = 100
/** A list may be scrolled for so long, and one of so many pages is searched before. */
const SCROLLING_MS = 10_000
const MANY_PAGES = 20
/** How long a list that takes one option may be seen after it has taken it. */
const CLOSES_MS = 500
const MOST_REDRAWS = 3
/** How long the part of a list that came into view may stay blank. */
const REDRAWS_MS = 300

type Match = (
  options: readonly Element[],
  name: (option: Element) => string,
  text: string,
) => Element | undefined

/** One choice in a listbox, combobox or menu that a page has made itself. */
export class ListChoice {
  readonly #request: SelectRequest
  readonly #context: ActContext
  readonly #place: OptionPlace
  readonly #isPopup: boolean
  readonly #before: { times: readonly number[]; value: string }
  readonly #effects = new Set<string>()
  /** What was chosen before. */
  readonly #had = new Set<Element>()

  constructor(control: Element, request: SelectRequest, context: ActContext) {
    this.#request = request
    this.#context = context
    this.#isPopup = shownRole(control) !== 'listbox'
    this.#place = { control, known: new Set(openLists()) }
    this.#before = {
      times: request.options.map(text => timesShown(control, text)),
      value: shownValueOf(control),
    }
  }

  /** @throws element_not_found with the nearest options, element_not_ready for what takes one only */
  async make(): Promise<ActResult> {
    const { target, options } = this.#request
    if (this.#isSettled()) return actResult('confirmed', [], this.#place.control)
    if (this.#isPopup) await this.#open()
    const chosen = new Map<string, Element>()
    for (const text of options) {
      if (chosen.size > 0) await this.#mayGoOn(chosen)
      const option = await this.#find(text)
      chosen.set(text, option)
      await this.#choose(option, text)
    }
    if (takesSeveral(this.#place)) await this.#dropOthers(new Set(chosen.values()))
    const { control } = this.#place
    const isOpen = this.#isOpen()
    const isDone = options.every((text, at) => this.#isTaken(text, at, chosen.get(text), isOpen))
    const result = actResult(isDone ? 'confirmed' : 'unconfirmed', [...this.#effects], control)
    return isOpen ? { ...result, note: `the list of ${target} is still open` } : result
  }

  /** What shows the option already is left alone: some lists take back what is chosen twice. */
  #isSettled(): boolean {
    const { control } = this.#place
    const [text, ...more] = this.#request.options
    if (text === undefined || more.length > 0 || !this.#isPopup || isEditable(control, shownRole(control)))
      return false
    return tidy(this.#before.value) === tidy(text) && ariaWord(control, 'aria-expanded') === 'false'
  }

  async #open(): Promise<void> {
    const { control } = this.#place
    if (ariaWord(control, 'aria-expanded') === 'true' && optionsOf(this.#place).length > 0) return
    const { target } = this.#request
    await awaitPointable(target, this.#context)
    this.#note(await click({ target, ...PLAIN_CLICK }, this.#context))
  }

  #note({ effects }: ActResult): void {
    for (const effect of effects) this.#effects.add(effect)
  }

  /** A list that fades out says that it is closed. */
  #isOpen(): boolean {
    const said = ariaWord(this.#place.control, 'aria-expanded')
    return this.#isPopup && said !== 'false' && optionsOf(this.#place).length > 0
  }

  async #choose(option: Element, text: string): Promise<void> {
    // What looks selected may only be what the keys are at.
    const isSure = !isActive(option) || timesShown(this.#place.control, text) > 0
    if (isChosen(option) && (isSure || !this.#isPopup || takesSeveral(this.#place))) {
      this.#had.add(option)
      return
    }
    this.#note(await click({ target: option, ...PLAIN_CLICK }, this.#context))
  }

  /** Whether another option can be chosen besides. @throws element_not_ready where it cannot */
  async #mayGoOn(chosen: ReadonlyMap<string, Element>): Promise<void> {
    if (!this.#isPopup) return
    const several = takesSeveral(this.#place)
    const closed = () => optionsOf(this.#place).length === 0 || undefined
    if (several === null && !(await this.#await(closed, CLOSES_MS))) return
    if (several !== false) await this.#open()
    // Some lists close after each choice, and offer what is chosen no more.
    const isOffered = [...chosen.keys()].some(text => this.#match(text, exactlyNamed))
    if (several || (several === null && (!isOffered || this.#collects([...chosen.keys()])))) return
    const has = [...chosen.keys()].join(', ')
    throw notReady(this.#request.target, `it takes one option only, and was given ${has}`)
  }

  /** A field that is empty again, with what was chosen shown beside it, as chips: it waits for more. */
  #collects(texts: readonly string[]): boolean {
    const { control } = this.#place
    if (!isEditable(control, shownRole(control)) || shownValueOf(control) !== '') return false
    return texts.every((text, at) => timesShown(control, text) > (this.#before.times[at] ?? 0))
  }

  /** Visible ones: what lies elsewhere in a list that shows a part only is not known. */
  async #dropOthers(wanted: ReadonlySet<Element>): Promise<void> {
    for (const option of optionsOf(this.#place)) {
      if (wanted.has(option) || !isChosen(option)) continue
      this.#note(await click({ target: option, ...PLAIN_CLICK }, this.#context))
    }
  }

  #isTaken(text: string, at: number, option: Element | undefined, isOpen: boolean): boolean {
    const { control } = this.#place
    const isMarked = option !== undefined && isChosen(option)
    // While it is open, a list that takes one option marks the one that the pointer is on.
    if (isMarked && (!isOpen || takesSeveral(this.#place) || option.hasAttribute('aria-checked'))) return true
    const times = timesShown(control, text)
    if (times > (this.#before.times[at] ?? 0)) return true
    if (isMarked && times > 0 && this.#had.has(option)) return true
    const now = tidy(shownValueOf(control)).toLowerCase()
    const words = tidy(text).toLowerCase()
    return now === words || (now.includes(words) && now !== tidy(this.#before.value).toLowerCase())
  }

  async #find(text: string): Promise<Element> {
    const { target } = this.#request
    const found =
      (await this.#look(text, this.#hidesMore() ? exactlyNamed : bestNamed)) ??
      (await this.#scrolled(text, MANY_PAGES)) ??
      (await this.#searched(text)) ??
      (await this.#scrolled(text, Number.POSITIVE_INFINITY)) ??
      this.#match(text, bestNamed)
    if (found) return await this.#atRest(found, text)
    const labels = optionsOf(this.#place).map(each => tidy(nameIn(each)))
    throw noOption(text, target, labels)
  }

  /** In view: lists that draw what is seen alone draw it anew when it is scrolled there. */
  async #atRest(option: Element, text: string): Promise<Element> {
    let found = option
    for (let time = 0; time < MOST_REDRAWS && this.#hidesMore(); time += 1) {
      found.scrollIntoView({ block: 'nearest' })
      await nextFrame()
      await nextFrame()
      if (found.isConnected) break
      found = this.#match(text, exactlyNamed) ?? found
    }
    return found
  }

  #match(text: string, match: Match): Element | undefined {
    return match(optionsOf(this.#place), nameIn, text)
  }

  async #look(text: string, match: Match): Promise<Element | undefined> {
    const found = await this.#await(() => this.#match(text, match), GLANCE_MS)
    if (found) return found
    const isRich = this.#hidesMore() || this.#searchField() !== null
    const isNew = await haveDrawn(this.#context.outside)
    if (isRich && !isNew) return undefined
    return await this.#await(() => this.#match(text, match), isRich ? GLANCE_MS : PATIENCE_MS)
  }

  #hidesMore(): boolean {
    return scrollerOf(optionsOf(this.#place), this.#place.control) !== null
  }

  async #await<T>(look: () => T | undefined, patience: number): Promise<T | undefined> {
    const { limit } = this.#context
    const end = Date.now() + Math.min(patience, timeLeft(limit))
    for (;;) {
      checkLimit(limit)
      const found = look()
      if (found !== undefined || Date.now() >= end) return found
      await changeWithin(RECHECK_MS, limit.signal)
    }
  }

  async #scrolled(text: string, pages: number): Promise<Element | undefined> {
    const box = scrollerOf(optionsOf(this.#place), this.#place.control)
    if (box === null) return undefined
    if (this.#searchField() !== null && box.scrollHeight > pages * box.clientHeight) return undefined
    const end = Date.now() + Math.min(SCROLLING_MS, timeLeft(this.#context.limit))
    await scrollTo(box, 0)
    for (let moved = true; moved && Date.now() < end; ) {
      // A busy page draws later what it then shows, and what was passed by is not looked at again.
      await this.#await(() => fillView(optionsOf(this.#place), box) || undefined, REDRAWS_MS)
      const found = this.#match(text, exactlyNamed)
      if (found) return found
      // At its end a list may get more.
      moved = (await scrollOn(box)) || (await this.#grows(box))
    }
    return this.#match(text, exactlyNamed)
  }

  async #grows(box: Element): Promise<boolean> {
    const before = box.scrollHeight
    return (await this.#await(() => box.scrollHeight > before || undefined, GLANCE_MS)) ?? false
  }

  /** As a person does in a long list: types what is looked for. Puts back what was there where it leads to nothing. */
  async #searched(text: string): Promise<Element | undefined> {
    const field = this.#searchField()
    if (field === null) return undefined
    const before = field.value
    await this.#type(field, text)
    const found = await this.#await(() => this.#match(text, exactlyNamed), PATIENCE_MS)
    if (!found && field.isConnected) await this.#type(field, before)
    return found
  }

  async #type(field: HTMLInputElement, text: string): Promise<void> {
    moveFocus(field)
    this.#note(await type({ target: null, text, replace: true, submit: false }, this.#context))
  }

  /** The control itself, or the field of its list that got the focus when it opened. */
  #searchField(): HTMLInputElement | null {
    const { control } = this.#place
    const field = isInput(control) ? control : this.#isPopup ? focusedElement() : null
    if (field === null || !isInput(field) || isReadOnly(field)) return null
    return isEditable(field, shownRole(field)) ? field : null
  }
}

/** An option of a list that is none by its markup has its name all the same. */
const nameIn = (option: Element): string => nameOf(option, shownRole(option))

/** Where the keys of the control or of its search field are at. */
function isActive(option: Element): boolean {
  const at = focusedElement()
  return option.id !== '' && at?.getAttribute('aria-activedescendant') === option.id
}

/** What a closed list shows, as its value or as its text. */
const shownValueOf = (control: Element): string =>
  isEditable(control, shownRole(control)) ? (control as HTMLInputElement).value : (control.textContent ?? '')
