import { elementAt, holds } from './dom.ts'
import { eventAt } from './event-point.ts'
import type { Point } from './hit-test.ts'

/** Drag and drop as HTML defines it: the events of one drag over this document. */

const dragAt = (point: Point, data: DataTransfer): DragEventInit => ({
  ...eventAt(point),
  buttons: 1,
  dataTransfer: data,
})

export class DragEvents {
  readonly data: DataTransfer
  #over: Element | null = null
  #accepted = false

  constructor(data: DataTransfer) {
    this.data = data
  }

  /** True when what the pointer is over now would take a drop. */
  get accepted(): boolean {
    return this.#accepted
  }

  /** @returns false when the page kept it from being dragged */
  start(element: Element, point: Point): boolean {
    return this.#fire(element, 'dragstart', point)
  }

  /** @param source what is dragged; null for what comes from outside of the page, such as files */
  moveTo(point: Point, source: Element | null, target: Element | null = elementAt(point.x, point.y)): void {
    if (source?.isConnected) this.#fire(source, 'drag', point)
    if (target === null) return
    const before = this.#over
    if (before !== target) {
      this.#fire(target, 'dragenter', point, { relatedTarget: before })
      if (before?.isConnected) this.#fire(before, 'dragleave', point, { relatedTarget: target })
      this.#over = target
    }
    this.#accepted = !this.#fire(target, 'dragover', point)
  }

  /**
   * Lets go. Only what took the last dragover gets the drop, as with the browser's own.
   *
   * @returns whether something got it
   */
  drop(point: Point, target: Element | null = elementAt(point.x, point.y)): boolean {
    const over = this.#over !== null && target !== null && holds(this.#over, target) ? target : this.#over
    if (over === null) return false
    if (this.#accepted) this.#fire(over, 'drop', point)
    else this.#fire(over, 'dragleave', point)
    return this.#accepted
  }

  end(source: Element, point: Point): void {
    source.dispatchEvent(
      new DragEvent('dragend', { ...dragAt(point, this.data), cancelable: false, buttons: 0 }),
    )
  }

  #fire(element: Element, type: string, point: Point, more: DragEventInit = {}): boolean {
    const isOnlyTold = type === 'dragleave'
    return element.dispatchEvent(
      new DragEvent(type, {
        ...dragAt(point, this.data),
        ...more,
        ...(isOnlyTold ? { cancelable: false } : {}),
      }),
    )
  }
}
