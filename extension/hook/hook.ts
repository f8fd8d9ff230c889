import type { CaptureEntry } from '../../shared/values.ts'
import { hookFetch } from './fetch-hook.ts'
import { offerPort } from './handshake.ts'
import { Mask } from './mask.ts'
import { hookSockets } from './socket-hook.ts'
import { hookXhr } from './xhr-hook.ts'

/** What the relay says to the hook. */
export const OFF = 'off'

/** Runs in the page's world at document_start: reports each request until the relay says that nobody listens. */
export function startHook(): void {
  const mask = new Mask()
  const waiting: CaptureEntry[] = []
  let report = (entry: CaptureEntry): void => void waiting.push(entry)
  hookFetch(mask, entry => report(entry))
  hookXhr(mask, entry => report(entry))
  hookSockets(mask, entry => report(entry))
  offerPort(
    port => {
      report = port.postMessage.bind(port)
      for (const entry of waiting.splice(0)) report(entry)
      port.onmessage = event => {
        if (event.data !== OFF) return
        mask.undo()
        port.close()
      }
    },
    () => mask.undo(),
  )
}
