import { browser } from 'wxt/browser'
import type { EvidencePiece } from '../../shared/evidence-piece.ts'
import { PANEL_PORT, PanelNews, type PanelRequest, type PanelState } from '../../shared/panel.ts'

type Bare<R> = R extends { id: number } ? Omit<R, 'id'> : never

/** Sends what the person asked; resolves with null when it was done, or with what went wrong, for reading. */
export type Ask = (request: Bare<PanelRequest>) => Promise<string | null>

/** What a run left behind; or what went wrong, for reading. */
export type EvidenceOf = (run_id: string) => Promise<EvidencePiece[] | string>

type Answer = Exclude<PanelNews, { k: 'state' }>

/** A worker that dies at once must not be woken in a tight loop. */
const HELD_MS = 1000

/**
 * Keeps a port to the worker for as long as the popup is open, and opens it again when the worker died.
 *
 * @param onState called with the whole state, at once and after each change
 */
export function connectPanel(
  onState: (state: PanelState) => void,
  lost: string,
): { ask: Ask; evidenceOf: EvidenceOf } {
  const waiting = new Map<number, (answer: Answer) => void>()
  let count = 0
  let port = open()

  function open(): ReturnType<typeof browser.runtime.connect> {
    const openedAt = Date.now()
    const opened = browser.runtime.connect({ name: PANEL_PORT })
    opened.onMessage.addListener((message: unknown) => {
      const news = PanelNews.parse(message)
      if (news.k === 'state') return onState(news.state)
      waiting.get(news.id)?.(news)
      waiting.delete(news.id)
    })
    opened.onDisconnect.addListener(() => {
      for (const [id, settle] of waiting) settle({ k: 'did', id, problem: lost })
      waiting.clear()
      const reopen = (): void => {
        port = open()
      }
      if (Date.now() - openedAt > HELD_MS) reopen()
      else setTimeout(reopen, HELD_MS)
    })
    return opened
  }

  const answerTo = (request: Bare<PanelRequest>): Promise<Answer> =>
    new Promise(resolve => {
      const id = ++count
      waiting.set(id, resolve)
      port.postMessage({ ...request, id })
    })
  return {
    ask: async request => {
      const answer = await answerTo(request)
      return answer.k === 'did' ? answer.problem : null
    },
    evidenceOf: async run_id => {
      const answer = await answerTo({ k: 'evidence', run_id })
      return answer.k === 'evidence' ? answer.evidence : (answer.problem ?? '')
    },
  }
}
