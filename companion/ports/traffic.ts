import type {
  ConsoleLevel,
  ConsoleLine,
  HeaderList,
  RequestKind,
  TrafficSource,
} from '../../shared/traffic.ts'

/** A body as it is kept: secrets are taken out of text before. */
export interface KeptBody {
  /** Of what is kept; more when it was cut. */
  bytes: number
  /** Not text: only its bytes can be had. */
  binary: boolean
  cut: boolean
}

export interface KeptMessage {
  at: number
  direction: 'sent' | 'received'
  /** Base64 where it is not text. */
  text: string
  binary: boolean
  event: string | null
}

/** One request of a session, as far as it has come. Nothing of it holds a secret; a page may have forged it. */
export interface Exchange {
  /** `r12`; the number is the order in which requests began. */
  id: string
  number: number
  source: TrafficSource
  tab: number
  method: string
  url: string
  kind: RequestKind
  initiator: string | null
  /** The worker or cross-process frame that sent it. */
  context: string | null
  redirected_from: string | null
  redirected_to: string | null
  /** Epoch ms. */
  started_at: number
  answered_at: number | null
  ended_at: number | null
  status: number | null
  status_text: string
  mime: string
  protocol: string | null
  from: 'network' | 'cache' | 'service_worker'
  error: string | null
  /** Of the answer's body once it was decoded; null when it is not known. */
  bytes: number | null
  request_headers: HeaderList
  response_headers: HeaderList
  request_body: KeptBody | null
  response_body: KeptBody | null
  messages: readonly KeptMessage[]
  /** Of its messages that were dropped for want of room. */
  messages_dropped: number
  /** It has ended, and its bodies, as far as they are kept, are there. */
  isWhole: boolean
  /** A body of it has come and is not kept yet. */
  isBeingKept: boolean
}

export interface TrafficQuery {
  /** `/regular expression/`, a glob when it has a star, else a part of the address. */
  url?: string | undefined
  method?: string | undefined
  /** `404`, `4xx`, `>=400`. */
  status?: string | undefined
  kinds?: readonly RequestKind[] | undefined
  /** A part of it. */
  mime?: string | undefined
  failed?: boolean | undefined
  /** Also images, fonts, styles, scripts, media and preflights, which nobody asks for as a rule. */
  assets?: boolean | undefined
  /** Only those that began after that cursor. */
  since?: number | undefined
}

export interface TrafficPage {
  /** Oldest first. */
  found: Exchange[]
  /** For `since`. */
  cursor: number
  /** Left out because they are assets. */
  hidden: number
  /** Requests that began before any that is kept still, or could not be told. */
  dropped: number
  /** Requests before that time went with a restart of the companion (epoch ms); null where none did. */
  lost_before: number | null
}

export interface ConsoleQuery {
  level?: ConsoleLevel | undefined
  text?: string | undefined
  since?: number | undefined
}

export interface KeptLine extends ConsoleLine {
  number: number
}

export type BodyPart = 'request_body' | 'response_body'

/** What is known of the requests and the console of one session. Patterns that are none fail with usage. */
export interface SessionTraffic {
  find(query: TrafficQuery): TrafficPage
  get(id: string): Exchange | null
  /** Null when nothing of it is kept. */
  body(id: string, part: BodyPart): Uint8Array | null
  /** The same as evidence, to be fetched by its id. */
  blob(id: string, part: BodyPart): string | null
  /** The first request that fits and has ended, now or later. Fails as the signal says. */
  next(query: TrafficQuery, signal: AbortSignal): Promise<Exchange>
  /** Resolves when of these no body is only being kept: looking through a large one takes its time. Fails as the signal says. */
  kept(exchanges: readonly Exchange[], signal: AbortSignal): Promise<void>
  /** What the agent has been told of so far: `since` of whoever names none. */
  seen: number
  lines(query: ConsoleQuery): { found: KeptLine[]; cursor: number; dropped: number }
  addLines(lines: readonly ConsoleLine[]): void
  /** As HTTP Archive 1.2, a curl command each, or JavaScript that asks the same. */
  export(exchanges: readonly Exchange[], format: 'har' | 'curl' | 'fetch'): string
}

export interface TrafficPort {
  /** @param profile id */
  open(at: { profile: string; session: string }): SessionTraffic
}
