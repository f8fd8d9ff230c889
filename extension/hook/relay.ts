import { browser } from 'wxt/browser'
import { CAPTURE_ASK, CAPTURE_ENTRY, CAPTURE_OFF } from '../../shared/page-messages.ts'
import { takePort } from './handshake.ts'
import { OFF } from './hook.ts'

/** Entries that may wait while the worker is asked whether this tab is captured. */
const WAITING_LIMIT = 1000

/** Runs in the extension's own world: passes what the hook reports on to the worker, or sends the hook home. */
export function startRelay(): void {
  takePort(port => {
    let forward: ((entry: unknown) => void) | null = null
    const waiting: unknown[] = []
    const off = (): void => {
      port.postMessage(OFF)
      port.close()
      browser.runtime.onMessage.removeListener(onMessage)
    }
    const onMessage = (message: unknown): void => {
      if (message === CAPTURE_OFF) off()
    }
    browser.runtime.onMessage.addListener(onMessage)
    port.onmessage = event => {
      if (forward !== null) forward(event.data)
      else if (waiting.length < WAITING_LIMIT) waiting.push(event.data)
    }
    void isCaptured().then(captured => {
      if (!captured) return off()
      forward = entry => void send({ k: CAPTURE_ENTRY, entry })
      for (const entry of waiting.splice(0)) forward(entry)
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
