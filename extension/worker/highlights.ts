import { Failure } from '../../shared/failures.ts'
import type { Box } from '../page/picturing.ts'
import type { Debugger } from './debugger.ts'
import { needDebugger } from './need-debugger.ts'

/** Long enough to find it with the eyes. */
const SHOWN_MS = 4000
const FILL = { r: 11, g: 110, b: 99, a: 0.25 }
const LINE = { r: 11, g: 110, b: 99, a: 1 }

/**
 * Shows the person where in a page something was acted on. The browser itself draws it, over the page and outside of
 * it, so that the page sees nothing of it.
 */
export class Highlights {
  readonly #debug: Debugger
  /** Session address → what was aimed at last. */
  readonly #aims = new Map<string, string>()

  constructor(debug: Debugger) {
    this.#debug = debug
  }

  /** Notes at what an operation of a session aims. */
  aim(session: string, target: string): void {
    this.#aims.set(session, target)
  }

  aimOf(session: string): string | null {
    return this.#aims.get(session) ?? null
  }

  /** @param box in the viewport of the tab. Fails with unsupported where the browser has no debugger for the tab. */
  async draw(tab: number, { x, y, width, height }: Box): Promise<void> {
    needDebugger('highlight')
    const { send, release } = await this.#debug.hold(tab, {})
    try {
      await send('DOM.enable')
      await send('Overlay.enable')
      const place = { x: Math.round(x), y: Math.round(y), width: Math.ceil(width), height: Math.ceil(height) }
      await send('Overlay.highlightRect', { ...place, color: FILL, outlineColor: LINE })
    } catch (cause) {
      release()
      throw cause
    }
    setTimeout(() => {
      send('Overlay.disable')
        .catch(error => console.debug('what was shown is gone already', Failure.from(error).message))
        .finally(release)
    }, SHOWN_MS)
  }
}
