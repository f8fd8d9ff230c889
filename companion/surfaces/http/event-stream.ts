/** How events are written: server-sent events, or one JSON value a line. */
export type StreamFormat = 'sse' | 'ndjson'

const TYPES: Record<StreamFormat, string> = {
  sse: 'text/event-stream; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

/** Between comments on a silent stream of server-sent events, so that nothing on the way thinks it dead. */
const KEEP_ALIVE_MS = 15_000
/** Bytes that may wait for a reader who does not read. */
const MAX_BACKLOG = 1024 * 1024

export interface EventStream {
  response: Response
  /** False, and nothing sent, when the stream is over or its reader too far behind; `force` sends all the same. */
  send(name: string, value: unknown, options?: { force?: boolean }): boolean
  /** Ends the stream after what was sent. Safe to call twice. */
  end(): void
}

/** The format that an Accept header asks for, or null when it wants one plain answer. The first one named wins. */
export function streamFormat(accept: string | undefined): StreamFormat | null {
  for (const part of (accept ?? '').split(',')) {
    const type = part.split(';', 1)[0]?.trim().toLowerCase()
    if (type === 'text/event-stream') return 'sse'
    if (type === 'application/x-ndjson') return 'ndjson'
    if (type === 'application/json') return null
  }
  return null
}

/** @param onEnd called once, when the stream is over for whatever reason */
export function openEventStream(format: StreamFormat, onEnd: () => void): EventStream {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let timer: NodeJS.Timeout | undefined
  const over = () => {
    if (controller === null) return
    controller = null
    clearInterval(timer)
    onEnd()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start: opened => {
        controller = opened
      },
      cancel: over,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
  )
  const write = (text: string, force: boolean): boolean => {
    if (controller === null || (!force && (controller.desiredSize ?? 0) < -MAX_BACKLOG)) return false
    controller.enqueue(encoder.encode(text))
    return true
  }
  if (format === 'sse') timer = setInterval(() => write(': keep-alive\n\n', false), KEEP_ALIVE_MS).unref()

  return {
    response: new Response(body, { headers: { 'Content-Type': TYPES[format], 'X-Accel-Buffering': 'no' } }),
    send: (name, value, { force = false } = {}) => {
      const data = JSON.stringify(value)
      return write(format === 'sse' ? `event: ${name}\ndata: ${data}\n\n` : `${data}\n`, force)
    },
    end: () => {
      controller?.close()
      over()
    },
  }
}
