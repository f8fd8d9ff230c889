import type { PageLine } from '../../shared/traffic.ts'
import type { CaptureEntry } from '../../shared/values.ts'
import { hookConsole } from './console-hook.ts'
import { hookFetch } from './fetch-hook.ts'
import { offerPort } from './handshake.ts'
import { Mask } from './mask.ts'
import { hookSockets } from './socket-hook.ts'
import { hookXhr } from './xhr-hook.ts'

/** What the relay says to the hook. */
export const OFF = 'off'
/** What the relay asks and the hook answers: whether all that was seen until now has been told. */
export const TOLD = 'told'

/** What the hook tells the relay. */
export type Seen = CaptureEntry | { line: PageLine }

/**
 * Runs in the page's world at document_start: reports each request and each line of the console until the relay says
 * that nobody listens.
 */
export function startHook(): void {
  const mask = new Mask()
  const waiting: Seen[] = []
  let report = (seen: Seen): void => void waiting.push(seen)
  hookFetch(mask, entry => report(entry))
  hookXhr(mask, entry => report(entry))
  hookSockets(mask, entry => report(entry))
  hookConsole(mask, line => report({ line }))
  offerPort(
    port => {
      report = port.postMessage.bind(port)
      for (const entry of waiting.splice(0)) report(entry)
      port.onmessage = event => {
        if (event.data === TOLD) port.postMessage(TOLD)
        if (event.data !== OFF) return
        mask.undo()
        port.close()
      }
    },
    () => mask.undo(),
  )
}
