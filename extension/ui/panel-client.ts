import { browser } from 'wxt/browser'
import { PANEL_PORT, PanelNews, type PanelRequest, type PanelState } from '../../shared/panel.ts'

type Bare<R> = R extends { id: number } ? Omit<R, 'id'> : never

/** Sends what the person asked; resolves with null when it was done, or with what went wrong, for reading. */
export type Ask = (request: Bare<PanelRequest>) => Promise<string | null>

/** A worker that dies at once must not be woken in a tight loop. */
const HELD_MS = 1000

/**
 * Keeps a port to the worker for as long as the popup is open, and opens it again when the worker died.
 *
 * @param onState called with the whole state, at once and after each change
 */
export function connectPanel(onState: (state: PanelState) => void, lost: string): Ask {
  const waiting = new Map<number, (problem: string | null) => void>()
  let count = 0
  let port = open()

  function open(): ReturnType<typeof browser.runtime.connect> {
    const openedAt = Date.now()
    const opened = browser.runtime.connect({ name: PANEL_PORT })
    opened.onMessage.addListener((message: unknown) => {
      const news = PanelNews.parse(message)
      if (news.k === 'state') return onState(news.state)
      waiting.get(news.id)?.(news.problem)
      waiting.delete(news.id)
    })
    opened.onDisconnect.addListener(() => {
      for (const settle of waiting.values()) settle(lost)
      waiting.clear()
      const reopen = (): void => {
        port = open()
      }
      if (Date.now() - openedAt > HELD_MS) reopen()
      else setTimeout(reopen, HELD_MS)
    })
    return opened
  }

  return request =>
    new Promise(resolve => {
      const id = ++count
      waiting.set(id, resolve)
      port.postMessage({ ...request, id })
    })
}
