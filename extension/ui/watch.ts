import { browser } from 'wxt/browser'
import { WATCH_PORT } from '../../shared/panel.ts'

/** A port that broke sooner than this means that the worker does not come up: then pause between tries. */
const HELD_MS = 1000
const PAUSE_MS = 1000

/**
 * Holds a port to the worker for as long as the offscreen document lives. Only an event wakes a dead worker,
 * and opening a port is one: a killed worker is back in a fraction of a second instead of at the next alarm.
 */
export function watchWorker(): void {
  const openedAt = Date.now()
  const port = browser.runtime.connect({ name: WATCH_PORT })
  port.onDisconnect.addListener(() => {
    if (Date.now() - openedAt > HELD_MS) watchWorker()
    else setTimeout(watchWorker, PAUSE_MS)
  })
}
