import { Failure } from '../../shared/failures.ts'

type Id = string | number

/** JSON-RPC, as far as the bridge looks into it. */
interface Message {
  id?: unknown
  method?: unknown
  params?: unknown
}

interface Request {
  method: string
  /** As the client sent it. */
  line: string
}

/** JSON-RPC's code for a fault inside of the server. */
const INTERNAL_ERROR = -32603
const REPLAY_ID = 'unicli-replay'

/**
 * What is under way between an MCP client and the companion: enough to answer for a companion that has gone, and
 * to put the next one into the same session. Lines are looked at and passed on as they are.
 */
export class McpExchange {
  readonly #pending = new Map<Id, Request>()
  /** Ids of requests that were sent to a second companion already. */
  readonly #again = new Set<Id>()
  #initialize: string | null = null
  #initialized: string | null = null
  #isOpen = false
  #isReplaying = false

  /** Requests that the companion has not answered yet. */
  get pending(): number {
    return this.#pending.size
  }

  /** True while the companion has not answered the replayed initialize. */
  get isReplaying(): boolean {
    return this.#isReplaying
  }

  /** Notes a line that goes to the companion. */
  sent(line: string): void {
    for (const { id, method, params } of messagesOf(line)) {
      if (typeof method !== 'string') continue
      if (method === 'notifications/cancelled') this.#forget(params)
      if (isId(id)) this.#pending.set(id, { method, line })
      if (method === 'initialize') this.#initialize = line
      if (method === 'notifications/initialized') this.#initialized = line
    }
  }

  /** Notes a line of the companion. False when it is not for the client: it answers the replay. */
  received(line: string): boolean {
    for (const { id, method } of messagesOf(line)) {
      if (method !== undefined || !isId(id)) continue
      if (this.#isReplaying && id === REPLAY_ID) {
        this.#isReplaying = false
        return false
      }
      if (this.#pending.get(id)?.method === 'initialize') this.#isOpen = true
      this.#settle(id)
    }
    return true
  }

  /**
   * The companion has gone. `answers` are for the client, in place of those that will not come; `again` are
   * requests for the next companion: those that only look, once each.
   */
  lost(): { answers: string[]; again: string[] } {
    const lost = { answers: [] as string[], again: [] as string[] }
    for (const [id, request] of this.#pending) {
      if (mayRepeat(request) && !this.#again.has(id)) {
        this.#again.add(id)
        lost.again.push(request.line)
      } else {
        this.#again.delete(id)
        lost.answers.push(errorLine(id, lostAnswer(request)))
      }
    }
    this.#pending.clear()
    this.#isReplaying = false
    return lost
  }

  /** A cancelled request gets no answer. */
  #forget(params: unknown): void {
    if (typeof params !== 'object' || params === null || !('requestId' in params)) return
    if (isId(params.requestId)) this.#settle(params.requestId)
  }

  #settle(id: Id): void {
    this.#pending.delete(id)
    this.#again.delete(id)
  }

  /** What a new companion must hear before anything else: null when the client has opened no session. */
  replay(): { initialize: string; initialized: string | null } | null {
    const [message] = this.#initialize === null ? [] : messagesOf(this.#initialize)
    if (message === undefined || !this.#isOpen) return null
    this.#isReplaying = true
    return { initialize: JSON.stringify({ ...message, id: REPLAY_ID }), initialized: this.#initialized }
  }
}

/** Answers for the requests in a line that could not be sent. */
export const refusals = (line: string, failure: Failure): string[] =>
  messagesOf(line).flatMap(({ id, method }) =>
    typeof method === 'string' && isId(id) ? [errorLine(id, failure)] : [],
  )

/** A tool may have acted; everything else only looks. A batch is not taken apart. */
const mayRepeat = ({ method, line }: Request): boolean => method !== 'tools/call' && !line.startsWith('[')

const lostAnswer = ({ method }: Request): Failure =>
  method === 'tools/call'
    ? new Failure('outcome_unknown', { action: method })
    : new Failure('link_lost', { hop: 'companion' })

const errorLine = (id: Id, failure: Failure): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: {
      code: INTERNAL_ERROR,
      message: `${failure.message} ${failure.hint}`,
      data: { ...failure.toJSON(), retryable: failure.spec.retry },
    },
  })

/** None in what is no JSON: the companion tells the client so. Older revisions know batches. */
function messagesOf(line: string): Message[] {
  try {
    const value: unknown = JSON.parse(line)
    return (Array.isArray(value) ? value : [value]).filter(isMessage)
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

const isMessage = (value: unknown): value is Message => typeof value === 'object' && value !== null
const isId = (value: unknown): value is Id => typeof value === 'string' || typeof value === 'number'
