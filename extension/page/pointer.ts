import { nextTask } from './clock.ts'
import { ancestorsOf, elementAt, holds } from './dom.ts'
import { focusableAt, moveFocus } from './focus.ts'
import type { Hit, Point } from './hit-test.ts'
import type { Observation } from './observe.ts'

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
   * Presses and releases `count` times. Each click is dispatched once; what it sets off (following a link, checking
   * a box, submitting) is the browser's own answer to it.
   */
  async click(hit: Hit, count: number, target: Element, observation: Observation): Promise<void> {
    this.moveTo(hit)
    await observation.settle('press')
    observation.forget()
    for (let detail = 1; detail <= count; detail += 1) {
      await this.#press(hit, detail, target, observation)
    }
  }

  async #press(hit: Hit, detail: number, target: Element, observation: Observation): Promise<void> {
    const { point } = hit
    const down = hit.element.isConnected ? hit.element : (elementAt(point.x, point.y) ?? target)
    const compatible = firePointer(down, 'pointerdown', point, { buttons: 1, button: 0 })
    const mayFocus = !compatible || fireMouse(down, 'mousedown', point, { buttons: 1, detail })
    await observation.settle('press')
    if (compatible && mayFocus) moveFocus(focusableAt(down))
    await observation.settle('focus')
    // A person's finger takes some time as well: pages that re-render on the press get it done.
    await nextTask()
    const up = releasePoint(point, down, target)
    firePointer(up, 'pointerup', point, { button: 0 })
    if (compatible) fireMouse(up, 'mouseup', point, { detail })
    await observation.settle('press')
    const clicked = commonOf(down, up) ?? up
    firePointer(clicked, 'click', point, { detail, button: 0 })
    if (detail === 2) fireMouse(clicked, 'dblclick', point, { detail })
    await observation.settle('act')
  }
}

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

const common = (point: Point): PointerEventInit => ({
  bubbles: true,
  cancelable: true,
  composed: true,
  view: window,
  clientX: point.x,
  clientY: point.y,
  screenX: window.screenX + point.x,
  screenY: window.screenY + point.y,
})

/** @returns false when the page prevented the default */
function firePointer(element: Element, type: string, point: Point, more: PointerEventInit = {}): boolean {
  const button = type === 'pointerdown' || type === 'pointerup' || type === 'click' ? 0 : -1
  const pressure = more.buttons ? 0.5 : 0
  return element.dispatchEvent(
    new PointerEvent(type, {
      ...common(point),
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
  return element.dispatchEvent(new MouseEvent(type, { ...common(point), ...more, ...notCancelable(type) }))
}

const notCancelable = (type: string): EventInit =>
  /(enter|leave)$/.test(type) ? { cancelable: false, composed: false } : {}
