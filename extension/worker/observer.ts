import { type Browser, browser } from 'wxt/browser'
import { headerOf } from '../../shared/http.ts'
import type { HeaderList, RequestKind, TrafficAnswer, TrafficUpdate } from '../../shared/traffic.ts'
import type { Heard } from './debugger-heard.ts'

type Request = Browser.webRequest.OnBeforeRequestDetails
type Answer = Browser.webRequest.OnResponseStartedDetails

/** Requests under way that are remembered; one that never ends must not be remembered for ever. */
const MAX_OPEN = 5000
/** So long after its end a request is waited for to be told of, and to be told to the end, by the debugger. */
const UNHEARD_MS = 1500
const UNENDED_MS = 2000

const KINDS: Readonly<Record<string, RequestKind>> = {
  main_frame: 'document',
  sub_frame: 'frame',
  script: 'script',
  stylesheet: 'style',
  image: 'image',
  imageset: 'image',
  font: 'font',
  media: 'media',
  xmlhttprequest: 'xhr',
  ping: 'beacon',
  beacon: 'beacon',
  csp_report: 'beacon',
  websocket: 'websocket',
}

/** Not where this worker runs outside of the browser that it drives; there the debugger costs no banner. */
export const hasRequestEvents = (): boolean => (browser.webRequest as unknown) !== undefined

export interface ObserverSettings {
  /** Of a tab, or of a worker that several tabs share: then only its origin is known. */
  report: (at: { tab: number } | { origin: string }, update: TrafficUpdate) => void
  /** Of tabs of which the debugger tells more than this could: what it has told of; null for all others. */
  heard: (tab: number) => Heard | null
}

/** What is told of one request in a tab of which the debugger tells. */
interface Held {
  details: Request
  updates: TrafficUpdate[]
}

/** Of a page that is being left, or is not shown yet, the debugger does not tell all. */
async function isOfNoPageShown(details: Request): Promise<boolean> {
  if (KINDS[details.type] === 'beacon') return true
  // Typings do not know documents yet.
  const { documentId, documentLifecycle: state = 'active' } = details as {
    documentId?: string
    documentLifecycle?: string
  }
  if (state !== 'active' || documentId === undefined) return state !== 'active'
  const shown = (await browser.webNavigation.getAllFrames({ tabId: details.tabId })) ?? []
  return !shown.some(frame => (frame as { documentId?: string }).documentId === documentId)
}

/**
 * The requests of the browser as it tells of them to extensions: neither bodies nor frames of sockets, but nothing
 * in a page is touched, no banner is shown, and it misses nothing, from the first navigation to the last beacon.
 */
export class Observer {
  readonly #settings: ObserverSettings
  /** How many hops a request under way has made. */
  readonly #hops = new Map<string, number>()
  /** What is told of requests in tabs of which the debugger tells, until it is known whether it tells of them. */
  readonly #held = new Map<string, Held>()

  constructor(settings: ObserverSettings) {
    this.#settings = settings
    const everything = { urls: ['<all_urls>'] }
    if (!hasRequestEvents()) return
    const events = browser.webRequest
    events.onBeforeRequest.addListener(details => this.#begun(details), everything)
    events.onSendHeaders.addListener(
      details => this.#tell(details, { request_headers: listOf(details.requestHeaders) }),
      everything,
      ['requestHeaders'],
    )
    events.onBeforeRedirect.addListener(details => this.#redirected(details), everything, ['responseHeaders'])
    events.onResponseStarted.addListener(
      details => this.#tell(details, { answer: answerOf(details) }),
      everything,
      ['responseHeaders'],
    )
    events.onCompleted.addListener(details => this.#ended(details, null), everything)
    events.onErrorOccurred.addListener(details => this.#ended(details, details.error), everything)
  }

  /** By which the request under way is told of; null for one of which nothing is. */
  keyOf(request: string): string | null {
    const hop = this.#hops.get(request)
    return hop === undefined ? null : keyOf(request, hop)
  }

  #begun(details: Request): undefined {
    const { requestId, tabId: tab, method, url, type } = details
    const isNew = !this.#hops.has(requestId)
    if (isNew && tab >= 0 && this.#settings.heard(tab) !== null)
      this.#held.set(requestId, { details, updates: [] })
    // A redirect begins the same request anew.
    const hop = this.#hops.get(requestId) ?? 0
    this.#hops.set(requestId, hop)
    if (this.#hops.size > MAX_OPEN) this.#forget(this.#hops.keys().next().value ?? '')
    this.#tell(details, {
      begin: {
        source: 'browser',
        tab,
        method,
        url,
        kind: KINDS[type] ?? 'other',
        initiator: initiatorOf(details),
        context: null,
        redirect_of: hop === 0 ? null : keyOf(requestId, hop - 1),
      },
    })
  }

  #redirected(details: Browser.webRequest.OnBeforeRedirectDetails): void {
    const hop = this.#hops.get(details.requestId)
    if (hop === undefined) return
    this.#tell(details, { answer: answerOf(details), end: { error: null, bytes: null } })
    this.#hops.set(details.requestId, hop + 1)
  }

  #ended(details: { requestId: string; tabId: number; timeStamp: number }, error: string | null): void {
    this.#tell(details, { end: { error, bytes: null } })
    const held = this.#held.get(details.requestId)
    this.#forget(details.requestId)
    if (held !== undefined) this.#settle(held, [UNHEARD_MS, UNENDED_MS])
  }

  #forget(requestId: string): void {
    this.#hops.delete(requestId)
    this.#held.delete(requestId)
  }

  /** The debugger leaves out what a page sends while it is being left, and how the script of a shared worker ends. */
  #settle(held: Held, [wait, ...further]: readonly number[]): void {
    const { updates, details } = held
    const tab = details.tabId
    const from = updates.findLastIndex(update => update.begin !== undefined)
    const { at = 0, begin } = updates[from] ?? {}
    if (begin === undefined) return
    const heard = this.#settings.heard(tab)?.of({ ...begin, at }) ?? 'unknown'
    if (heard === 'ended') return
    if (wait !== undefined && (heard !== 'unknown' || further.length > 0))
      setTimeout(() => this.#settle(held, further), wait)
    else if (heard === 'unknown') void this.#tellOfLeft(held)
    else
      for (const { begin: _, ...update } of updates.slice(from))
        this.#settings.report({ tab }, { ...update, key: heard.key })
  }

  async #tellOfLeft({ details, updates }: Held): Promise<void> {
    const isLeft = await isOfNoPageShown(details).catch(error => {
      console.debug('the tab is gone', error)
      return true
    })
    for (const update of isLeft ? updates : []) this.#settings.report({ tab: details.tabId }, update)
  }

  #tell(
    details: { requestId: string; tabId: number; timeStamp: number },
    update: Omit<TrafficUpdate, 'key' | 'at'>,
  ): void {
    const { requestId, tabId: tab, timeStamp: at } = details
    const known = this.#hops.get(requestId)
    if (known === undefined && tab >= 0 && this.#settings.heard(tab) !== null) return
    // Else it began before this worker did: it ends as what it was then.
    const hop = known ?? 0
    const origin = initiatorOf(details)
    if (tab < 0 && origin === null) return
    const told = { key: keyOf(requestId, hop), at, ...update }
    const held = this.#held.get(requestId)
    if (held !== undefined) held.updates.push(told)
    else this.#settings.report(tab >= 0 ? { tab } : { origin: origin ?? '' }, told)
  }
}

const keyOf = (requestId: string, hop: number): string => `b${requestId}.${hop}`

/** Chromium gives an origin, Firefox an address. */
function initiatorOf(details: object): string | null {
  const { initiator, originUrl } = details as { initiator?: string; originUrl?: string }
  const told = initiator ?? originUrl ?? null
  // Firefox names our own extension, which nobody else is to know, for what we sent a tab to.
  return told?.startsWith(browser.runtime.getURL('/')) ? null : told
}

const listOf = (headers: Browser.webRequest.HttpHeader[] | undefined): HeaderList =>
  (headers ?? []).map(({ name, value }) => [name.toLowerCase(), value ?? ''])

function answerOf(details: Answer | Browser.webRequest.OnBeforeRedirectDetails): TrafficAnswer {
  const headers = listOf(details.responseHeaders)
  const type = headerOf(headers, 'content-type')
  const [, protocol = null, text = ''] = /^(\S+)\s+\d+\s*(.*)$/.exec(details.statusLine) ?? []
  return {
    status: details.statusCode,
    status_text: text,
    mime: type.split(';', 1)[0]?.trim().toLowerCase() ?? '',
    headers,
    protocol,
    from: details.fromCache ? 'cache' : 'network',
  }
}
