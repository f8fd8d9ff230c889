import { type FSWatcher, watch } from 'node:fs'
import type { Status } from '../../shared/status.ts'

export interface StatusSource {
  /** Opens the live event stream of the companion that runs now; rejects when none can be reached. */
  open(signal: AbortSignal): Promise<Response>
  /** Where a companion says that it is there. */
  runFolder: string
}

/**
 * Resolves with the first state record that fits, of this companion or of one that takes its place.
 *
 * @throws with the last record when none fits in time
 */
export async function awaitStatus(
  source: StatusSource,
  fits: (status: Status) => boolean,
  withinMs: number,
): Promise<Status> {
  const signal = AbortSignal.timeout(withinMs)
  let last: Status | null = null
  let problem: unknown
  while (!signal.aborted) {
    const news = nextNews(source.runFolder, signal)
    try {
      for await (const status of recordsOf(await source.open(signal))) {
        last = status
        if (fits(status)) return status
      }
    } catch (error) {
      // The companion went, or is not there yet: its successor makes itself known in the folder.
      problem = error
      await news.arrived
    } finally {
      news.close()
    }
  }
  const told = JSON.stringify(last, null, 2)
  throw new Error(`No state record fits within ${withinMs} ms; the last: ${told}`, { cause: problem })
}

/** Resolves at the next change in the folder, also when there is no such folder yet, or at the abort. */
function nextNews(folder: string, signal: AbortSignal): { arrived: Promise<void>; close: () => void } {
  let watcher: FSWatcher | undefined
  const arrived = new Promise<void>(resolve => {
    signal.addEventListener('abort', () => resolve(), { once: true })
    watcher = watch(folder, () => resolve())
  })
  return { arrived, close: () => watcher?.close() }
}

async function* recordsOf(response: Response): AsyncGenerator<Status> {
  for await (const line of linesOf(response)) {
    const event = JSON.parse(line) as { type: string; status?: Status }
    if (event.type === 'status' && event.status !== undefined) yield event.status
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return
  let rest = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield line
  }
}
