import type { Attempt, Attempts, HttpAttemptInit } from './attempts.ts'

/** How long a door may stay silent after our message before that counts as having let us in. */
const SILENCE_MS = 3000

const attempts: Attempts = {
  connectNative: (host, message) => speak(chrome.runtime.connectNative(host), message),
  connectExtension: (extensionId, message) => speak(chrome.runtime.connect(extensionId), message),
  sendMessage: async (extensionId, message) => {
    try {
      const answer = await chrome.runtime.sendMessage(extensionId, message)
      return { admitted: answer !== undefined, detail: JSON.stringify(answer) ?? 'undefined' }
    } catch (error) {
      return { admitted: false, detail: String(error) }
    }
  },
  request: async (url, init = {}) => {
    try {
      return await readAnswer(await fetch(url, init satisfies HttpAttemptInit))
    } catch (error) {
      return { status: 0, headers: {}, body: String(error) }
    }
  },
  forgeHeaders: async headers => {
    const requestHeaders = Object.entries(headers).map(([header, value]) => ({
      header,
      operation: 'set' as const,
      value,
    }))
    await chrome.declarativeNetRequest.updateSessionRules({
      removeRuleIds: [1],
      addRules: [
        {
          id: 1,
          action: { type: 'modifyHeaders', requestHeaders },
          condition: { tabIds: [chrome.tabs.TAB_ID_NONE] },
        },
      ],
    })
  },
}

async function readAnswer(answer: Response) {
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() }
}

function speak(port: chrome.runtime.Port, message: unknown): Promise<Attempt> {
  return new Promise(resolve => {
    const tell = (admitted: boolean, detail: string) => {
      resolve({ admitted, detail })
      port.disconnect()
    }
    port.onMessage.addListener(answer => tell(true, JSON.stringify(answer)))
    port.onDisconnect.addListener(() => tell(false, chrome.runtime.lastError?.message ?? 'disconnected'))
    setTimeout(() => tell(true, 'silence'), SILENCE_MS)
    port.postMessage(message)
  })
}

Object.assign(globalThis, { attempts })
