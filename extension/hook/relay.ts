import { browser } from 'wxt/browser'
import {
  CAPTURE_ASK,
  CAPTURE_ENTRY,
  CAPTURE_LINE,
  CAPTURE_OFF,
  CAPTURE_TOLD,
} from '../../shared/page-messages.ts'
import { takePort } from './handshake.ts'
import { OFF, type Seen, TOLD } from './hook.ts'

/** What may wait while the worker is asked whether this tab is captured. */
const WAITING_LIMIT = 1000

/** Runs in the extension's own world: passes what the hook reports on to the worker, or sends the hook home. */
export function startRelay(): void {
  takePort(port => {
    let forward: ((seen: Seen) => Promise<unknown>) | null = null
    /** Settles when the worker has all that was passed on. */
    let passed: Promise<unknown> = Promise.resolve()
    const waiting: Seen[] = []
    const told: (() => void)[] = []
    const off = (): void => {
      port.postMessage(OFF)
      port.close()
      browser.runtime.onMessage.removeListener(onMessage)
    }
    const onMessage = (message: unknown): Promise<true> | undefined => {
      if (message === CAPTURE_OFF) off()
      if (message !== CAPTURE_TOLD || forward === null) return undefined
      // The hook answers after what it has told before.
      const answered = new Promise<void>(resolve => told.push(resolve))
      port.postMessage(TOLD)
      return answered.then(() => passed).then(() => true)
    }
    const pass = (seen: Seen): void => {
      if (forward !== null) passed = Promise.all([passed, forward(seen)])
      else if (waiting.length < WAITING_LIMIT) waiting.push(seen)
    }
    browser.runtime.onMessage.addListener(onMessage)
    port.onmessage = event => {
      if (event.data === TOLD) told.shift()?.()
      else pass(event.data as Seen)
    }
    void isCaptured().then(captured => {
      if (!captured) return off()
      forward = seen =>
        send('line' in seen ? { k: CAPTURE_LINE, line: seen.line } : { k: CAPTURE_ENTRY, entry: seen })
      for (const seen of waiting.splice(0)) pass(seen)
    })
  })
}

const isCaptured = async (): Promise<boolean> => (await send({ k: CAPTURE_ASK })) === true

async function send(message: unknown): Promise<unknown> {
  try {
    return await browser.runtime.sendMessage(message)
  } catch (error) {
    // The extension was reloaded or updated under this page: nobody captures it any more.
    console.debug('the worker could not be told', error)
    return null
  }
}
