import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script'
import type { OutsideAnswer, OutsideMessage, OutsideRequest } from '../../shared/outside.ts'
import { ACTED } from '../../shared/page-messages.ts'
import { installAgent } from '../page/agent.ts'

export default defineUnlistedScript({
  globalName: false,
  main: () => installAgent(chrome.runtime.getManifest().version, () => void tellWorker(), askWorker),
})

async function askWorker(pass: string, request: OutsideRequest): Promise<OutsideAnswer | undefined> {
  const message: OutsideMessage = { type: 'page.outside', pass, request }
  return await chrome.runtime.sendMessage(message)
}

async function tellWorker(): Promise<void> {
  try {
    await chrome.runtime.sendMessage(ACTED)
  } catch (error) {
    // The document, or the extension itself, went away before the worker could say that it had heard.
    console.debug('nobody heard that an act began', error)
  }
}
