import { browser } from 'wxt/browser'
import { shorten } from '../page/text.ts'
import type { AgentCall } from '../worker/documents.ts'
import type { WorkerParts } from '../worker/worker.ts'

type Rest = Pick<AgentCall<'changes'>, 'session' | 'signal' | 'deadline' | 'place'>

/** The answer of an act stays short, however many frames a page has. */
const MAX_FRAMES = 5
const FRAME_TOKENS = 80
/** A frame that does not answer at once, such as one that a dialog holds, is not waited for. */
const WITHIN_MS = 500

/**
 * What an act in one frame has changed in the others, as far as they were told of before: a line that names the
 * frame, and its changes. Empty where nothing is different there.
 */
export async function changesElsewhere(parts: WorkerParts, rest: Rest): Promise<string> {
  const { tab, frame: own = 0 } = rest.place
  const known = await parts.documents.newestByFrame(tab)
  known.delete(own)
  if (known.size === 0) return ''
  const all = (await browser.webNavigation.getAllFrames({ tabId: tab })) ?? []
  const others = all.filter(({ frameId }) => known.has(frameId)).slice(0, MAX_FRAMES)
  const told = others.map(async ({ frameId, url }) => {
    const changes = await changesIn(parts, rest, frameId, known.get(frameId) ?? 0)
    if (changes === '') return []
    const where = frameId === 0 ? 'in the page around' : `in the frame ${shortened(url)}`
    return [`${where}:`, ...changes.split('\n').map(line => `  ${line}`)]
  })
  return (await Promise.all(told)).flat().join('\n')
}

async function changesIn(parts: WorkerParts, rest: Rest, frame: number, newest: number): Promise<string> {
  const deadline = Math.min(rest.deadline, Date.now() + WITHIN_MS)
  const signal = AbortSignal.any([rest.signal, AbortSignal.timeout(WITHIN_MS)])
  const place = { tab: rest.place.tab, frame }
  const params = { max_tokens: FRAME_TOKENS }
  try {
    const answer = await parts.documents.ask({ ...rest, place, deadline, signal, method: 'changes', params })
    if (answer?.ok && answer.document > newest) return 'another document is shown now: see snapshot'
    return answer?.ok ? (answer.value.changes ?? '') : ''
  } catch (error) {
    // The act is done, whatever a frame beside it does not tell.
    console.debug(`frame ${frame} told no changes`, error)
    return ''
  }
}

const URL_CHARS = 61

const shortened = (url: string): string => shorten(url.replace(/[?#].*$/s, ''), URL_CHARS)
