import { nextTask } from './clock.ts'
import { ancestorsOf, elementAt, holds } from './dom.ts'
import { eventAt } from './event-point.ts'
import { focusableAt, moveFocus } from './focus.ts'
import type { Hit, Point } from './hit-test.ts'
import type { Observation } from './observe.ts'

export type Button = 'left' | 'middle' | 'right'
export type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift'

/** How an element is clicked. */
export interface ClickWay {
  count: number
  button: Button
  modifiers: readonly Modifier[]
  /** Pixels from the left upper corner of the element, within its border; null: wherever it can be hit. */
  position: Point | null
}

/** A button that is held down: what it is moved over, until it is let go. */
export interface HeldPointer {
  /** False where the page kept the press for itself: then the browser drags nothing. */
  mayDrag: boolean
  moveTo(point: Point): void
  release(point: Point): void
  /** The browser takes the pointer away, as it does for its own kind of drag. */
  cancel(): void
}

/** Lets what the page has put off by so much to its own timers happen. In a hidden tab they come once a second. */
export const pageTurn = (ms = 0): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** The pointer of this document: where it is, and the events of its moves and clicks. */
export class Pointer {
  #over: WeakRef<Element> | null = null

  /** Moves onto a point, with the leave and enter events that tell it. */
  moveTo({ point, element }: Hit): void {
    const before = this.#over?.deref() ?? null
    if (before !== element) {
      if (before?.isConnected) this.#leave(before, element, point)
      this.#enter(before, element, point)
      this.#over = new WeakRef(element)
    }
    firePointer(element, 'pointermove', point)
    fireMouse(element, 'mousemove', point)
  }

  #leave(from: Element, to: Element, point: Point): void {
    firePointer(from, 'pointerout', point, { relatedTarget: to })
    fireMouse(from, 'mouseout', point, { relatedTarget: to })
    for (const left of chain(from).filter(each => !holds(each, to))) {
      firePointer(left, 'pointerleave', point, { relatedTarget: to, bubbles: false })
      fireMouse(left, 'mouseleave', point, { relatedTarget: to, bubbles: false })
    }
  }

  #enter(from: Element | null, to: Element, point: Point): void {
    firePointer(to, 'pointerover', point, { relatedTarget: from })
    fireMouse(to, 'mouseover', point, { relatedTarget: from })
    for (const entered of chain(to)
      .filter(each => !from || !holds(each, from))
      .reverse()) {
      firePointer(entered, 'pointerenter', point, { relatedTarget: from, bubbles: false })
      fireMouse(entered, 'mouseenter', point, { relatedTarget: from, bubbles: false })
    }
  }

  /**
   * Presses and releases as often as asked. Each click is dispatched once; what it sets off (following a link,
   * checking a box, submitting) is the browser's own answer to it.
   *
   * @returns whether the page is known to have taken it: it prevented the default, or let nobody else hear of it
   */
  async click(
    hit: Hit,
    way: ClickWay,
    target: Element,
    observation: Observation,
  ): Promise<{ taken: boolean }> {
    this.moveTo(hit)
    await observation.settle('press')
    observation.forget()
    const passed = passages()
    for (let detail = 1; detail <= way.count; detail += 1) {
      await this.#press(hit, way, detail, target, observation)
    }
    return { taken: passed().taken }
  }

  /** Presses the left button and keeps it down. */
  hold({ point: start, element }: Hit): HeldPointer {
    const held = { button: 0, buttons: 1 }
    const compatible = firePointer(element, 'pointerdown', start, held)
    const mayDrag = !compatible || fireMouse(element, 'mousedown', start, { ...held, detail: 1 })
    if (compatible && mayDrag) moveFocus(focusableAt(element))
    let over = element
    const at = (point: Point): Element => elementAt(point.x, point.y) ?? over
    return {
      mayDrag,
      moveTo: point => {
        over = at(point)
        this.#over = new WeakRef(over)
        firePointer(over, 'pointermove', point, { buttons: 1 })
        if (compatible) fireMouse(over, 'mousemove', point, { buttons: 1 })
      },
      release: point => {
        const up = at(point)
        firePointer(up, 'pointerup', point)
        if (compatible) fireMouse(up, 'mouseup', point, { detail: 1 })
      },
      cancel: () => void firePointer(over, 'pointercancel', start),
    }
  }

  async #press(
    hit: Hit,
    way: ClickWay,
    detail: number,
    target: Element,
    observation: Observation,
  ): Promise<void> {
    const { point } = hit
    const { button, buttons } = BUTTONS[way.button]
    const held = { button, ...keysOf(way.modifiers) }
    const down = hit.element.isConnected ? hit.element : (elementAt(point.x, point.y) ?? target)
    const compatible = firePointer(down, 'pointerdown', point, { ...held, buttons })
    const mayFocus = !compatible || fireMouse(down, 'mousedown', point, { ...held, buttons, detail })
    await observation.settle('press')
    if (compatible && mayFocus) moveFocus(focusableAt(down))
    await observation.settle('focus')
    // A person's finger takes some time as well: pages that re-render on the press get it done.
    await nextTask()
    const up = releasePoint(point, down, target)
    firePointer(up, 'pointerup', point, held)
    if (compatible) fireMouse(up, 'mouseup', point, { ...held, detail })
    await observation.settle('press')
    const clicked = commonOf(down, up) ?? up
    if (way.button === 'right') fireMouse(clicked, 'contextmenu', point, held)
    firePointer(clicked, way.button === 'left' ? 'click' : 'auxclick', point, { ...held, detail })
    if (way.button === 'left' && detail === 2) fireMouse(clicked, 'dblclick', point, { ...held, detail })
    await observation.settle('act')
  }
}

/** Watches whether events of a click come back out of the page unharmed. Pages do not see an extension's listeners. */
function passages(): () => { taken: boolean } {
  const life = new AbortController()
  let taken = false
  let inside = 0
  for (const type of CLICK_EVENTS) {
    window.addEventListener(type, () => inside++, { capture: true, signal: life.signal })
    window.addEventListener(
      type,
      event => {
        inside--
        taken ||= event.defaultPrevented
      },
      { signal: life.signal },
    )
  }
  return () => {
    life.abort()
    return { taken: taken || inside > 0 }
  }
}

const CLICK_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick']

/** `buttons` while it is held down. */
const BUTTONS = {
  left: { button: 0, buttons: 1 },
  middle: { button: 1, buttons: 4 },
  right: { button: 2, buttons: 2 },
} as const satisfies Record<Button, { button: number; buttons: number }>

const keysOf = (modifiers: readonly Modifier[]): EventModifierInit => ({
  altKey: modifiers.includes('Alt'),
  ctrlKey: modifiers.includes('Control'),
  metaKey: modifiers.includes('Meta'),
  shiftKey: modifiers.includes('Shift'),
})

/** Where the button is released: what took the place of the target under the pointer is still meant. */
function releasePoint(point: Point, down: Element, target: Element): Element {
  const now = elementAt(point.x, point.y)
  if (!down.isConnected) return now ?? target
  return now && (holds(target, now) || holds(down, now)) ? now : down
}

/** A click goes to the nearest element around both press and release. */
function commonOf(down: Element, up: Element): Element | null {
  if (!down.isConnected) return up
  return chain(down).find(each => holds(each, up)) ?? null
}

const chain = (element: Element): Element[] => [element, ...ancestorsOf(element)]

/** @returns false when the page prevented the default */
function firePointer(element: Element, type: string, point: Point, more: PointerEventInit = {}): boolean {
  const button = type === 'pointerdown' || type === 'pointerup' || type === 'click' ? 0 : -1
  const pressure = more.buttons ? 0.5 : 0
  return element.dispatchEvent(
    new PointerEvent(type, {
      ...eventAt(point),
      pointerId: 1,
      pointerType: 'mouse',
      isPrimary: true,
      width: 1,
      height: 1,
      pressure,
      button,
      ...more,
      ...notCancelable(type),
    }),
  )
}

function fireMouse(element: Element, type: string, point: Point, more: MouseEventInit = {}): boolean {
  return element.dispatchEvent(new MouseEvent(type, { ...eventAt(point), ...more, ...notCancelable(type) }))
}

const notCancelable = (type: string): EventInit =>
  /(enter|leave)$/.test(type) ? { cancelable: false, composed: false } : {}
