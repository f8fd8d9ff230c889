import { type Browser, browser } from 'wxt/browser'
import type { BodyPiece, TrafficUpdate } from '../../shared/traffic.ts'
import { toBase64 } from './base64.ts'

type Sent = Browser.webRequest.OnBeforeRequestDetails
type Answered = Browser.webRequest.OnHeadersReceivedDetails

/** What Firefox lets pass through an extension. */
interface StreamFilter {
  ondata: (event: { data: ArrayBuffer }) => void
  onstop: () => void
  onerror: () => void
  error: string
  write(data: ArrayBuffer): void
  close(): void
  disconnect(): void
}
interface FirefoxRequests {
  filterResponseData?: (requestId: string) => StreamFilter
}

export interface FilteredBodiesSettings {
  /** By which the request is told of by whoever tells of all. */
  keyOf: (requestId: string) => string | null
  /** Null for tabs of which no bodies are wanted. */
  wanted: (tab: number) => Promise<{ session: string; max_body: number } | null>
  tell: (session: string, update: TrafficUpdate) => void
}

/**
 * Bodies of what a tab sends and is answered, read on their way: documents, frames, scripts and workers too, which no
 * hook in a page sees. In Firefox alone; while nobody wants bodies nothing passes through here.
 */
export class FilteredBodies {
  readonly #settings: FilteredBodiesSettings
  #isOn = false

  constructor(settings: FilteredBodiesSettings) {
    this.#settings = settings
  }

  get available(): boolean {
    return filterOf() !== undefined
  }

  turn(on: boolean): void {
    if (!this.available || on === this.#isOn) return
    this.#isOn = on
    const { onBeforeRequest, onHeadersReceived } = browser.webRequest
    const everything = { urls: ['<all_urls>'] }
    if (on) {
      onBeforeRequest.addListener(this.#onSent, everything, ['requestBody'])
      onHeadersReceived.addListener(this.#onAnswered, everything, ['responseHeaders', 'blocking'])
    } else {
      onBeforeRequest.removeListener(this.#onSent)
      onHeadersReceived.removeListener(this.#onAnswered)
    }
  }

  readonly #onSent = (details: Sent): undefined => {
    if (details.tabId >= 0 && details.requestBody) void this.#tellSent(details)
  }

  async #tellSent({ requestId, tabId, requestBody, timeStamp: at }: Sent): Promise<void> {
    const key = this.#settings.keyOf(requestId)
    const wanted = await this.#settings.wanted(tabId)
    if (key === null || wanted === null || !requestBody) return
    const request_body = sentBody(requestBody, wanted.max_body)
    if (request_body !== null) this.#settings.tell(wanted.session, { key, at, request_body })
  }

  // Firefox waits for the promise, which the typings do not know.
  readonly #onAnswered = (details: Answered): undefined =>
    (details.tabId < 0 ? undefined : this.#answered(details)) as undefined

  async #answered(details: Answered): Promise<object> {
    const key = this.#settings.keyOf(details.requestId)
    const wanted = await this.#settings.wanted(details.tabId)
    if (key !== null && wanted !== null && hasBody(details)) this.#read(key, details.requestId, wanted)
    return {}
  }

  #read(key: string, requestId: string, { session, max_body }: { session: string; max_body: number }): void {
    const filter = filterOf()?.(requestId)
    if (filter === undefined) return
    const pieces: Uint8Array[] = []
    let bytes = 0
    const tell = (response_body: BodyPiece): void =>
      this.#settings.tell(session, { key, at: Date.now(), response_body })
    filter.ondata = ({ data }) => {
      filter.write(data)
      bytes += data.byteLength
      pieces.push(new Uint8Array(data))
      if (bytes <= max_body) return
      filter.disconnect()
      tell({ text: '', base64: false, cut: true })
    }
    filter.onstop = () => {
      // Before it ends for the page: what has ended is whole.
      tell({ text: toBase64(joined(pieces, bytes)), base64: true, cut: false })
      filter.close()
    }
    filter.onerror = () => console.debug('a body was not read', filter.error)
  }
}

const filterOf = (): FirefoxRequests['filterResponseData'] =>
  (browser.webRequest as unknown as FirefoxRequests | undefined)?.filterResponseData?.bind(browser.webRequest)

/** A stream of events has no end to wait for; its events are told by the hook in the page. */
function hasBody({ statusCode, responseHeaders }: Answered): boolean {
  const type = responseHeaders?.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? ''
  const isRedirect = statusCode >= 300 && statusCode < 400
  return statusCode >= 200 && statusCode !== 204 && !isRedirect && !/^text\/event-stream/i.test(type)
}

function sentBody({ formData, raw }: NonNullable<Sent['requestBody']>, max: number): BodyPiece | null {
  if (formData !== undefined) {
    const pairs = Object.entries(formData).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, typeof value === 'string' ? value : 'file']),
    )
    return { text: new URLSearchParams(pairs).toString(), base64: false, cut: false }
  }
  const pieces = (raw ?? []).flatMap(({ bytes }) => (bytes ? [new Uint8Array(bytes as ArrayBuffer)] : []))
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
  if (bytes === 0) return null
  if (bytes > max) return { text: '', base64: false, cut: true }
  return { text: toBase64(joined(pieces, bytes)), base64: true, cut: false }
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.byteLength
  }
  return all
}
