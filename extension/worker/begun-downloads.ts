import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import type { Hand } from '../../shared/values.ts'
import type { Debugger } from './debugger.ts'

/**
 * The tabs in which a download was begun by an act. A browser lets a page begin one by itself; a further one it
 * withholds, and with it all that follow, until the person answers, unless its own input asked for it.
 */
export class BegunDownloads {
  readonly #debug: Debugger
  readonly #tabs = new Set<number>()

  constructor(debug: Debugger) {
    this.#debug = debug
    browser.tabs.onRemoved.addListener(tab => void this.#tabs.delete(tab))
  }

  add(tab: number): void {
    this.#tabs.add(tab)
  }

  /** The browser's own input where the choice is ours, it is called for, and nothing keeps the debugger off the tab. */
  async handFor(tab: number, asked: Hand): Promise<Hand> {
    if (asked !== 'auto' || !this.#tabs.has(tab) || !this.#debug.available) return asked
    try {
      return await this.#debug.on(tab, async () => 'cdp' as const)
    } catch (error) {
      if (Failure.is(error, 'unsupported')) return asked
      throw error
    }
  }
}
