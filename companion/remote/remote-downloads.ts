import { createWriteStream, existsSync, mkdtempSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'content-disposition'
import { ExtensionEvent } from './extension-event.ts'
import type { ProtocolEvent } from './protocol.ts'
import type { RemoteBrowser } from './remote-browser.ts'

/** What the worker reads of an item of `chrome.downloads`. */
interface Item {
  id: number
  url: string
  finalUrl: string
  referrer: string
  filename: string
  mime: string
  state: 'in_progress' | 'complete' | 'interrupted'
  error?: string
  danger: 'safe'
  fileSize: number
  bytesReceived: number
  startTime: string
}

interface Entry {
  item: Item
  /** Ends it. */
  cancel: () => void
  /** It was told where to go by us, so that its file is ours to take. */
  isDiverted: boolean
  /** Of the page that told of it; null where the browser or nobody did. */
  session: string | null
  isCancelled: boolean
}

type OnCreated = (item: Item) => void

const ERRORS: Record<number, string> = { 401: 'SERVER_UNAUTHORIZED', 403: 'SERVER_FORBIDDEN' }

/**
 * `chrome.downloads` over the protocol, of the downloads that begin from here. A browser tells of downloads only while
 * it is told where to put them, for all its pages alike; so it is told so while somebody waits for one, and no longer.
 */
export class RemoteDownloads {
  readonly #browser: RemoteBrowser
  readonly #fetch: typeof fetch
  readonly #entries = new Map<number, Entry>()
  /** By the protocol's own name of a download. */
  readonly #byGuid = new Map<string, number>()
  readonly #created = new ExtensionEvent<[Item]>()
  #folder: string | null = null
  #listeners = 0
  #next = 1

  readonly onChanged = new ExtensionEvent<[{ id: number }]>()
  readonly onCreated = {
    addListener: (listener: OnCreated): void => {
      this.#created.addListener(listener)
      if (++this.#listeners === 1) this.#divert()
    },
    removeListener: (listener: OnCreated): void => {
      this.#created.removeListener(listener)
      if (--this.#listeners === 0) void this.#letGo().catch(gone)
    },
  }

  /** @param fetch sends the browser's cookies */
  constructor(browser: RemoteBrowser, fetch: typeof globalThis.fetch) {
    this.#browser = browser
    this.#fetch = fetch
    browser.protocol.onEvent(event => this.#hear(event))
  }

  readonly search = async ({
    id,
    query = [],
    limit = 1000,
    startedAfter = '',
  }: {
    id?: number
    query?: string[]
    limit?: number
    startedAfter?: string
  }) => {
    const fits = (item: Item) =>
      item.startTime > startedAfter && query.every(text => `${item.filename} ${item.url}`.includes(text))
    return [...this.#entries.values()]
      .map(({ item }) => item)
      .filter(item => (id === undefined ? fits(item) : item.id === id))
      .toReversed()
      .slice(0, limit)
  }

  /** By an address the file is got from here, with the browser's cookies: wherever the browser is, it comes to us. */
  readonly download = async ({ url }: { url: string }): Promise<number> => {
    const stop = new AbortController()
    const { item } = this.#begin({ url, referrer: '' }, () => stop.abort())
    void this.#get(item, stop.signal).catch(error => {
      console.debug(`${url} was not got`, error)
      this.#end(item, 'interrupted', stop.signal.aborted ? 'USER_CANCELED' : 'NETWORK_FAILED')
    })
    return item.id
  }

  readonly cancel = async (id: number): Promise<void> => {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    entry.isCancelled = true
    entry.cancel()
  }

  readonly removeFile = async (id: number): Promise<void> => {
    const { filename = '' } = this.#entries.get(id)?.item ?? {}
    // A bare name is one that the browser keeps elsewhere.
    if (!isAbsolute(filename)) throw new Error('Download file already deleted')
    await rm(filename, { force: true })
  }

  readonly erase = async ({ id }: { id: number }): Promise<void> => void this.#entries.delete(id)

  /** Takes away what was not taken over. */
  async close(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true })
  }

  /** Sent before this returns, so that the browser knows it before it hears of the click that is to begin one. */
  #divert(): void {
    const behavior = { behavior: 'allowAndName', downloadPath: this.#place(), eventsEnabled: true }
    void this.#browser.protocol.send('Browser.setDownloadBehavior', behavior).catch(gone)
  }

  async #letGo(): Promise<void> {
    await this.#browser.protocol.send('Browser.setDownloadBehavior', { behavior: 'default' })
  }

  #place(): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'unicli-downloads-'))
    return this.#folder
  }

  #begin({ url, referrer }: { url: string; referrer: string }, cancel: () => void): Entry {
    const id = this.#next++
    const item: Item = {
      ...{ id, url, finalUrl: url, referrer, filename: '', mime: '', state: 'in_progress', danger: 'safe' },
      ...{ fileSize: -1, bytesReceived: 0, startTime: new Date().toISOString() },
    }
    const entry = { item, cancel, isDiverted: false, session: null, isCancelled: false }
    this.#entries.set(id, entry)
    return entry
  }

  #end(item: Item, state: 'complete' | 'interrupted', error?: string): void {
    Object.assign(item, { state, ...(error === undefined ? {} : { error }) })
    this.onChanged.emit({ id: item.id })
  }

  async #get(item: Item, signal: AbortSignal): Promise<void> {
    const answer = await this.#fetch(item.url, { credentials: 'include', signal })
    if (!answer.ok || answer.body === null) {
      const isTheirs = answer.status >= 500
      this.#end(
        item,
        'interrupted',
        ERRORS[answer.status] ?? (isTheirs ? 'SERVER_FAILED' : 'SERVER_BAD_CONTENT'),
      )
      return
    }
    item.finalUrl = answer.url || item.url
    item.mime = answer.headers.get('content-type')?.split(';', 1)[0] ?? ''
    item.filename = await this.#fileFor(`${item.id}`, nameOf(answer, item.finalUrl))
    const file = createWriteStream(item.filename)
    // Typings of Node's and of the web's streams differ in name only.
    await pipeline(Readable.fromWeb(answer.body as never), file, { signal })
    item.bytesReceived = file.bytesWritten
    item.fileSize = file.bytesWritten
    this.#end(item, 'complete')
  }

  /** In a folder of its own, so that its name stays what it is. */
  async #fileFor(key: string, name: string): Promise<string> {
    const folder = join(this.#place(), `of-${key}`)
    await mkdir(folder, { recursive: true })
    return join(folder, basename(name.replaceAll('\\', '/')) || 'download')
  }

  #hear({ method, params, sessionId }: ProtocolEvent): void {
    switch (method) {
      case 'Page.downloadWillBegin':
        this.#began(params as unknown as Began).session = sessionId
        break
      case 'Target.detachedFromTarget':
        this.#forgetOf(String(params.sessionId))
        break
      case 'Browser.downloadWillBegin':
        this.#began(params as unknown as Began).isDiverted = true
        break
      case 'Page.downloadProgress':
        void this.#went(params as unknown as Progress, false).catch(gone)
        break
      case 'Browser.downloadProgress':
        void this.#went(params as unknown as Progress, true).catch(gone)
    }
  }

  /** Pages that we look into tell of theirs too, whether anybody waits for one or not. */
  #began({ guid, url, frameId, suggestedFilename }: Began): Entry {
    const known = this.#entryOf(guid)
    if (known !== undefined) return known
    const cancel = (): void =>
      void this.#browser.protocol.send('Browser.cancelDownload', { guid }).catch(gone)
    const entry = this.#begin({ url, referrer: this.#browser.urlOfFrame(frameId) ?? '' }, cancel)
    entry.item.filename = suggestedFilename
    this.#byGuid.set(guid, entry.item.id)
    this.#created.emit(entry.item)
    return entry
  }

  #entryOf(guid: string): Entry | undefined {
    const id = this.#byGuid.get(guid)
    return id === undefined ? undefined : this.#entries.get(id)
  }

  /** Of what the browser keeps elsewhere nobody tells any more. */
  #forgetOf(session: string): void {
    for (const [id, entry] of this.#entries)
      if (entry.session === session && !entry.isDiverted && entry.item.state === 'in_progress')
        this.#entries.delete(id)
  }

  /** @param isDiverted whether this is told of those that come to us: of each we hear what its own teller says */
  async #went({ guid, state, receivedBytes }: Progress, isDiverted: boolean): Promise<void> {
    const entry = this.#entryOf(guid)
    if (entry === undefined || entry.isDiverted !== isDiverted) return
    const { item } = entry
    item.bytesReceived = receivedBytes
    if (state === 'inProgress') return
    this.#byGuid.delete(guid)
    if (state === 'canceled') return this.#end(item, 'interrupted', whyNot(entry))
    // The browser keeps it in a folder of its own.
    if (!isDiverted) return this.#end(item, 'complete')
    const there = join(this.#place(), guid)
    // It lies where the browser runs.
    if (!existsSync(there)) return this.#end(item, 'interrupted', 'FILE_ELSEWHERE')
    const named = await this.#fileFor(guid, item.filename)
    await rename(there, named)
    Object.assign(item, { filename: named, fileSize: receivedBytes })
    this.#end(item, 'complete')
  }
}

interface Began {
  guid: string
  url: string
  frameId: string
  suggestedFilename: string
}
interface Progress {
  guid: string
  state: 'inProgress' | 'completed' | 'canceled'
  receivedBytes: number
}

/** The protocol calls all of them cancelled. */
const whyNot = ({ isCancelled }: Entry): string => (isCancelled ? 'USER_CANCELED' : 'NOT_WHOLE')

const gone = (error: unknown): void => console.debug('the browser went away during a download', error)

function nameOf(answer: Response, url: string): string {
  try {
    const { filename } = parse(answer.headers.get('content-disposition') ?? '').parameters
    if (filename !== undefined && filename !== '') return filename
  } catch (error) {
    console.debug('no name can be read from the answer', error)
  }
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
}
