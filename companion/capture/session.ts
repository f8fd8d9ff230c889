import { Failure } from '../../shared/failures.ts'
import { headerOf } from '../../shared/http.ts'
import type { ConsoleLine, TrafficBegin, TrafficUpdate } from '../../shared/traffic.ts'
import type {
  BodyPart,
  ConsoleQuery,
  Exchange,
  KeptLine,
  SessionTraffic,
  TrafficPage,
  TrafficQuery,
} from '../ports/traffic.ts'
import type { Spill } from './bodies.ts'
import { ConsoleLog } from './console.ts'
import { Entry } from './entry.ts'
import { exported } from './export.ts'
import type { Numbering } from './numbers.ts'
import { isAsset, testOf } from './query.ts'
import { safeUrl } from './redaction.ts'

/** The newest stay. */
const MAX_ENTRIES = 5000
/** The hook in a page tells of a request when it has ended, with the time at which the page asked. */
const JOIN_WITHIN_MS = 10_000
/** Browser and debugger tell of the same request at once; both do only while the debugger is being put on. */
const SAME_WITHIN_MS = 250

export interface SessionLogSettings extends Numbering {
  spill: Spill
  version: string
  onFault: (error: unknown) => void
  /** Of the console; what a page has written may be told again, as something new. */
  lines?: Numbering
}

/** What is known of the requests of one session: bounded, without secrets, joined from all who tell of them. */
export class SessionLog implements SessionTraffic {
  seen = 0
  readonly #settings: SessionLogSettings
  #entries: Entry[] = []
  readonly #byKey = new Map<string, Entry>()
  readonly #keys = new Map<Entry, string[]>()
  readonly #waiting = new Set<() => void>()
  readonly #console: ConsoleLog
  readonly #openedAt = Date.now()
  #last: number
  #dropped = 0

  constructor(settings: SessionLogSettings) {
    this.#settings = settings
    this.#last = settings.before ?? 0
    this.#console = new ConsoleLog(settings.lines)
  }

  /** What of it lies in memory, about. */
  get weight(): number {
    return this.#entries.reduce((sum, entry) => sum + entry.weight, this.#console.weight)
  }

  accept(updates: readonly TrafficUpdate[], lost: number): void {
    this.#dropped += lost
    for (const update of updates) this.#take(update)
    while (this.#entries.length > MAX_ENTRIES) this.dropOldest()
    this.#announce()
  }

  /** What it weighed; null when there is nothing left to drop. */
  dropOldest(): number | null {
    const oldest = this.#entries.shift()
    if (oldest === undefined) return this.#console.dropOldest()
    for (const key of this.#keys.get(oldest) ?? [])
      if (this.#byKey.get(key) === oldest) this.#byKey.delete(key)
    this.#keys.delete(oldest)
    this.#dropped++
    return oldest.weight
  }

  find(query: TrafficQuery): TrafficPage {
    const fits = testOf(query)
    const found = this.#entries.filter(entry => entry.number > (query.since ?? 0) && fits(entry))
    const shown = query.assets === true ? found : found.filter(entry => !isAsset(entry))
    return {
      ...{ found: shown, cursor: this.#last, hidden: found.length - shown.length, dropped: this.#dropped },
      lost_before: (query.since ?? 0) < (this.#settings.before ?? 0) ? this.#openedAt : null,
    }
  }

  get(id: string): Exchange | null {
    return this.#entry(id)
  }

  body(id: string, part: BodyPart): Uint8Array | null {
    return this.#entry(id)?.[part]?.read(this.#settings.spill) ?? null
  }

  blob(id: string, part: BodyPart): string | null {
    const entry = this.#entry(id)
    const type =
      part === 'response_body' ? entry?.mime : entry && headerOf(entry.request_headers, 'content-type')
    return entry?.[part]?.blob(type || 'application/octet-stream', this.#settings.spill) ?? null
  }

  next(query: TrafficQuery, signal: AbortSignal): Promise<Exchange> {
    const fits = testOf(query)
    return this.#once(
      () => this.#entries.find(entry => entry.number > (query.since ?? 0) && entry.isWhole && fits(entry)),
      signal,
    )
  }

  async kept(exchanges: readonly Exchange[], signal: AbortSignal): Promise<void> {
    await this.#once(() => (exchanges.some(({ isBeingKept }) => isBeingKept) ? undefined : true), signal)
  }

  /** What there is to be seen, now or later. */
  #once<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        this.#waiting.delete(again)
        signal.removeEventListener('abort', stop)
        act()
      }
      const stop = () => end(() => reject(signal.reason))
      const again = () => {
        const found = look()
        if (found !== undefined) end(() => resolve(found))
      }
      this.#waiting.add(again)
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
      else again()
    })
  }

  lines(query: ConsoleQuery): { found: KeptLine[]; cursor: number; dropped: number } {
    return this.#console.find(query)
  }

  addLines(lines: readonly ConsoleLine[]): void {
    this.#console.add(lines)
    this.#announce()
  }

  export(exchanges: readonly Exchange[], format: 'har' | 'curl' | 'fetch'): string {
    const bodyOf = (exchange: Exchange, part: BodyPart) => this.body(exchange.id, part)
    return exported(exchanges, format, bodyOf, this.#settings.version)
  }

  #entry(id: string): Entry | null {
    return this.#entries.find(entry => entry.id === id) ?? null
  }

  #take(update: TrafficUpdate): void {
    const entry = update.begin === undefined ? this.#byKey.get(update.key) : this.#begun(update, update.begin)
    // It began before anything was kept of this session, or too long ago.
    if (entry === undefined) return
    const hops = update.begin?.source === 'page' ? this.#hopsAfter(entry) : []
    const last = hops.at(-1)
    if (last === undefined) {
      this.#keep(entry, update)
      return
    }
    // A page asks once and is answered once, however often it is sent elsewhere in between.
    const { request_headers, request_body, ...answered } = update
    for (const hop of hops) hop.kind = entry.kind
    this.#keep(entry, { key: update.key, at: update.at, request_headers, request_body })
    this.#keep(last, answered)
  }

  #keep(entry: Entry, update: TrafficUpdate): void {
    entry
      .take(update, this.#settings.spill)
      .catch(error => this.#settings.onFault(Failure.from(error)))
      .then(() => this.#announce())
  }

  /** Where redirects have led, the last one last. */
  #hopsAfter({ redirected_to }: Entry): Entry[] {
    const next = redirected_to === null ? null : this.#entry(redirected_to)
    return next === null ? [] : [next, ...this.#hopsAfter(next)]
  }

  #begun({ key, at }: TrafficUpdate, begin: TrafficBegin): Entry {
    const again = begin.source === 'page' ? this.#byKey.get(key) : undefined
    const known = again ?? this.#joined(at, begin)
    const entry = known ?? this.#made(at, begin)
    if (this.#byKey.get(key) !== entry) this.#keys.set(entry, [...(this.#keys.get(entry) ?? []), key])
    this.#byKey.set(key, entry)
    const from = begin.redirect_of === null ? undefined : this.#byKey.get(begin.redirect_of)
    if (from !== undefined && from !== entry) {
      entry.redirected_from = from.id
      from.redirected_to = entry.id
    }
    return entry
  }

  #made(at: number, begin: TrafficBegin): Entry {
    this.#settings.take?.(this.#last + 1)
    const entry = new Entry(++this.#last, at, begin)
    this.#entries.push(entry)
    return entry
  }

  /** The request of which another has told already: the nearest in time of those alike. */
  #joined(at: number, begin: TrafficBegin): Entry | undefined {
    const url = safeUrl(begin.url)
    const isMessage = begin.kind === 'websocket' || begin.kind === 'eventsource'
    let best: Entry | undefined
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]
      if (entry === undefined || !isJoinable(entry, begin)) continue
      const distance = Math.abs(entry.started_at - at)
      const limit = begin.source !== 'page' && entry.tab >= 0 ? SAME_WITHIN_MS : JOIN_WITHIN_MS
      if (!isMessage && distance > limit) continue
      if (entry.isJoined || entry.url !== url || entry.method !== begin.method.toUpperCase()) continue
      if (best === undefined || distance < Math.abs(best.started_at - at)) best = entry
      if (isMessage) break
    }
    best?.join(begin)
    return best
  }

  #announce(): void {
    for (const waiting of [...this.#waiting]) waiting()
  }
}

/**
 * The page tells of a request of which the browser has told; a worker that tabs share is told of by browser and
 * debugger, whichever comes first.
 */
function isJoinable(entry: Entry, begin: TrafficBegin): boolean {
  if (begin.source === 'page') return entry.source === 'browser' && entry.tab === begin.tab
  if (begin.source === 'browser')
    return (
      entry.source === 'debugger' && (entry.tab === begin.tab || (begin.tab < 0 && isWorkers(entry.context)))
    )
  return (
    entry.source === 'browser' && (entry.tab === begin.tab || (entry.tab < 0 && isWorkers(begin.context)))
  )
}

/** The script of a worker of a worker is of no tab for the browser either. */
const isWorkers = (context: string | null): boolean => /^(?:service_|shared_)?worker /.test(context ?? '')
