import { type Browser, browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { Box } from '../page/picturing.ts'
import { fromBase64 } from './base64.ts'
import type { Send } from './debug-attachment.ts'
import type { Debugger } from './debugger.ts'
import { startDrawing, stopDrawing } from './drawing.ts'

export interface Exposure {
  /** What of the page, in CSS pixels from its beginning; null for what the tab shows now. */
  clip: Box | null
  format: 'png' | 'jpeg' | 'webp'
  quality: number
}

/** One attempt; a tab that draws nothing may never answer. */
const ATTEMPT_MS = 4000
const ATTEMPTS = 3

/** Takes pictures of tabs, in front or in the background, one after the other in each. */
export class Camera {
  readonly #debug: Debugger
  readonly #queues = new Map<number, Promise<unknown>>()

  constructor(debug: Debugger) {
    this.#debug = debug
  }

  /** Fails with unsupported, deadline_exceeded, or as the signal says. */
  async take(tab: number, exposure: Exposure, signal: AbortSignal): Promise<Blob> {
    const before = this.#queues.get(tab) ?? Promise.resolve()
    const taken = before.then(() => this.#take(tab, exposure, signal))
    // The next one has its turn however this one ends.
    const turn = Promise.allSettled([taken]).then(() => {
      if (this.#queues.get(tab) === turn) this.#queues.delete(tab)
    })
    this.#queues.set(tab, turn)
    return await taken
  }

  async #take(tab: number, exposure: Exposure, signal: AbortSignal): Promise<Blob> {
    if (!this.#debug.available) return await byTabCapture(tab, exposure)
    try {
      return await orAborted(
        this.#debug.on(tab, send => byDebugger(send, exposure)),
        signal,
      )
    } catch (error) {
      if (!Failure.is(error, 'unsupported')) throw error
      // Something else debugs the tab. What is in front can be seen without.
      const shown = exposure.clip === null ? await byShownTab(tab) : null
      if (shown === null) throw error
      return shown
    }
  }
}

/**
 * A tab in the background draws no frames, and what captures one waits for the next: for ever, as measured, at every
 * second call.
 */
async function byDebugger(send: Send, { clip, format, quality }: Exposure): Promise<Blob> {
  const params = {
    format,
    ...(format === 'png' ? { optimizeForSpeed: true } : { quality }),
    ...(clip === null ? {} : { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }),
  }
  await startDrawing(send)
  try {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await within(ATTEMPT_MS, send<{ data: string }>('Page.captureScreenshot', params))
      if (answer !== null) return blobOf(answer.data, format)
      if (attempt === ATTEMPTS)
        throw new Failure('deadline_exceeded', { action: 'The picture', ms: ATTEMPT_MS * ATTEMPTS })
    }
  } finally {
    await stopDrawing(send)
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(resolve, ms, null)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

interface FirefoxTabs {
  captureTab(tab: number, options: { format: 'png'; rect?: Box; scale?: number }): Promise<string>
}

/** Firefox: it draws any tab of its own accord. */
async function byTabCapture(tab: number, { clip }: Exposure): Promise<Blob> {
  const tabs = browser.tabs as unknown as FirefoxTabs
  const options = { format: 'png' as const, ...(clip === null ? {} : { rect: clip }) }
  return blobOf(await tabs.captureTab(tab, options), 'png')
}

/** Null when the tab is not in front of its window. */
async function byShownTab(tab: number): Promise<Blob | null> {
  const { active, windowId }: Browser.tabs.Tab = await browser.tabs.get(tab)
  if (!active) return null
  return blobOf(await browser.tabs.captureVisibleTab(windowId, { format: 'png' }), 'png')
}

/** Of base64 or a data URL; the extension's own policy lets nothing fetch one. */
const blobOf = (text: string, format: string): Blob =>
  new Blob([fromBase64(text.slice(text.indexOf(',') + 1))], { type: `image/${format}` })
