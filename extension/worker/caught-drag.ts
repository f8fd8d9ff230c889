import { Failure } from '../../shared/failures.ts'
import type { TrustedInput } from '../../shared/outside.ts'
import type { DebugEvent, Send } from './debug-attachment.ts'

type Dragging = Exclude<TrustedInput, { do: 'move' | 'key' | 'text' | 'down' | 'up' }>
type Carrying = Extract<Dragging, { at: object }>

/** The browser tells of a drag that it caught right after the page was told that it begins. */
const CAUGHT_WITHIN_MS = 2000

/**
 * The browser's own kind of drag, caught so that it is moved by commands: else it would follow the person's mouse, and
 * never end where there is none.
 */
export class CaughtDrag {
  #data: object | null = null
  #caught: () => void = () => undefined
  #isOver = false

  hear({ method, params: { data } }: DebugEvent): void {
    if (method !== 'Input.dragIntercepted') return
    this.#data = data as object
    this.#caught()
  }

  async give(send: Send, input: Dragging): Promise<void> {
    if ('at' in input) await this.#carry(send, input)
    else if (input.do === 'catch_drags') await send('Input.setInterceptDrags', { enabled: true })
    else await this.#let(send)
  }

  async #carry(send: Send, { do: how, at }: Carrying): Promise<void> {
    const data = await this.#whenCaught()
    const over = { ...at, data }
    if (!this.#isOver) await send('Input.dispatchDragEvent', { ...over, type: 'dragEnter' })
    this.#isOver = true
    await send('Input.dispatchDragEvent', { ...over, type: 'dragOver' })
    if (how === 'drag') return
    await send('Input.dispatchDragEvent', { ...over, type: 'drop' })
    this.#data = null
    await send('Input.dispatchMouseEvent', { ...at, type: 'mouseReleased', button: 'left', clickCount: 1 })
  }

  async #let(send: Send): Promise<void> {
    const data = this.#data
    this.#data = null
    this.#isOver = false
    if (data !== null) await send('Input.dispatchDragEvent', { x: 0, y: 0, data, type: 'dragCancel' })
    await send('Input.setInterceptDrags', { enabled: false })
  }

  async #whenCaught(): Promise<object> {
    if (this.#data === null)
      await new Promise<void>(resolve => {
        this.#caught = resolve
        setTimeout(resolve, CAUGHT_WITHIN_MS)
      })
    if (this.#data !== null) return this.#data
    throw new Failure('unsupported', {
      what: 'Dragging with the browser’s own input',
      where: 'this page: the browser did not give its drag to us',
      hint: 'Call again with hand=dom.',
    })
  }
}
