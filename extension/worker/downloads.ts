import { type Browser, browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { Download } from '../../shared/values.ts'
import { delay } from './delay.ts'

type Item = Browser.downloads.DownloadItem

/** What a page is given to begin a download after an act; a download says itself when it began. */
const BEGINS_MS = 15_000

/** Events may be missed by a listener that is new to the browser; so what they would tell is also asked for so often. */
const LOOK_AGAIN_MS = 500

/** Hears which downloads begin, from now on. */
export function hearDownloads(): {
  /** Fails with download_failed where none begins in time, or as the signal says. */
  first: (belongs: (item: Item) => boolean, signal: AbortSignal) => Promise<Item>
  end: () => void
} {
  const startedAfter = new Date().toISOString()
  let look = (): void => undefined
  const listener = (): void => look()
  browser.downloads.onCreated.addListener(listener)
  return {
    first: async (belongs, signal) => {
      for (const end = Date.now() + BEGINS_MS; ; ) {
        const news = new Promise<void>(resolve => {
          look = resolve
        })
        const found = (await browser.downloads.search({ startedAfter })).find(belongs)
        if (found !== undefined) return found
        if (Date.now() >= end) throw noneBegan()
        await orAborted(Promise.race([news, delay(LOOK_AGAIN_MS)]), signal)
      }
    },
    end: () => browser.downloads.onCreated.removeListener(listener),
  }
}

const noneBegan = (): Failure =>
  new Failure('download_failed', {
    what: 'The file',
    reason: `no download of this page began within ${BEGINS_MS / 1000} s`,
    hint: 'Take a snapshot: it may want another click, or show the file in a page; then give its address as url. After several files at once the browser may be asking the person whether the site may do that.',
  })

/** Waits until the browser has the whole file. Fails with download_failed, or as the signal says; then it is cancelled. */
export async function whole(id: number, signal: AbortSignal): Promise<Download> {
  let settle = (): void => undefined
  const listener = (delta: { id: number }): void => {
    if (delta.id === id) settle()
  }
  browser.downloads.onChanged.addListener(listener)
  try {
    for (;;) {
      const changed = new Promise<void>(resolve => {
        settle = resolve
      })
      const item = await found(id)
      const over = verdictOf(item)
      if (over !== null) return over
      await orAborted(Promise.race([changed, delay(LOOK_AGAIN_MS)]), signal)
    }
  } catch (error) {
    if (signal.aborted) await browser.downloads.cancel(id)
    throw error
  } finally {
    browser.downloads.onChanged.removeListener(listener)
  }
}

async function found(id: number): Promise<Item> {
  const [item] = await browser.downloads.search({ id })
  if (item !== undefined) return item
  throw new Failure('download_failed', {
    what: 'The file',
    reason: 'somebody removed it from the list of downloads',
    hint: 'Call again.',
  })
}

/** Null while it goes on. */
function verdictOf(item: Item): Download | null {
  if (item.state === 'complete') return toldOf(item)
  const what = item.finalUrl ?? item.url
  if (item.state === 'interrupted') {
    const [reason, hint] = REASONS[item.error ?? ''] ?? [
      `the browser says ${item.error ?? 'nothing'}`,
      'Call again.',
    ]
    throw new Failure('download_failed', { what, reason, hint })
  }
  if (!HELD.has(item.danger)) return null
  throw new Failure('download_failed', {
    what,
    reason: `the browser holds it back as dangerous (${item.danger})`,
    hint: "Only the person can keep it, in the browser's own list of downloads.",
  })
}

const HELD = new Set<string>(['file', 'url', 'content', 'uncommon', 'host', 'unwanted', 'accountCompromise'])

const AGAIN = 'Check the address and the network, then call again.'
const REASONS: Record<string, [reason: string, hint: string]> = {
  USER_CANCELED: ['somebody cancelled it', 'Do not repeat it unasked.'],
  USER_SHUTDOWN: ['the browser was closed', 'Open the browser and call again.'],
  FILE_NO_SPACE: ['the disk is full', 'Make room, then call again.'],
  FILE_ACCESS_DENIED: [
    'the folder of downloads cannot be written',
    'Let the person check it in the settings.',
  ],
  FILE_VIRUS_INFECTED: ['a scanner found a virus', 'Do not repeat it.'],
  FILE_BLOCKED: ['a policy of the browser blocks it', 'Only the person can change that.'],
  FILE_SECURITY_CHECK_FAILED: ['the security check failed', 'Only the person can change that.'],
  FILE_ELSEWHERE: [
    'the browser runs on another machine and keeps the file there',
    'Give the address of the file as url: then it is fetched from here, with the cookies of the browser.',
  ],
  NOT_WHOLE: [
    'it ended before it was whole: the server or the network failed, or somebody cancelled it',
    AGAIN,
  ],
  SERVER_FORBIDDEN: ['the server refused it', 'Log in to the site, or ask for something else.'],
  SERVER_UNAUTHORIZED: ['the server wants a login', 'Log in to the site, then call again.'],
  SERVER_BAD_CONTENT: ['the server has no such file', 'Check the address.'],
  SERVER_FAILED: ['the server had a fault', AGAIN],
  SERVER_UNREACHABLE: ['the server did not answer', AGAIN],
  NETWORK_FAILED: ['the network failed', AGAIN],
  NETWORK_TIMEOUT: ['the server stopped sending', AGAIN],
  NETWORK_DISCONNECTED: ['the connection was lost', AGAIN],
  SERVER_CONTENT_LENGTH_MISMATCH: ['the server sent less than it had said', AGAIN],
}

export const toldOf = (item: Item): Download => ({
  id: item.id,
  url: item.finalUrl ?? item.url,
  path: item.filename,
  type: item.mime ?? '',
  bytes: Math.max(0, item.fileSize >= 0 ? item.fileSize : item.bytesReceived),
  state: item.state,
  error: item.error ?? null,
  started_at: item.startTime,
})
