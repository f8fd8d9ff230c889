import { z } from 'zod'

/** What a browser tells of a session's requests and console lines as they happen. Untrusted: a page can forge its own. */

export const RequestKind = z.enum([
  'document',
  'frame',
  'script',
  'style',
  'image',
  'font',
  'media',
  'fetch',
  'xhr',
  'beacon',
  'websocket',
  'eventsource',
  'preflight',
  'other',
])
export type RequestKind = z.infer<typeof RequestKind>

/** Who saw it: the browser's own request events, the hook in the page, or the debugger. */
export const TrafficSource = z.enum(['browser', 'page', 'debugger'])
export type TrafficSource = z.infer<typeof TrafficSource>

/** In the order in which they were sent; a name may come more than once. */
const HeaderList = z.array(z.tuple([z.string(), z.string()]))
export type HeaderList = z.infer<typeof HeaderList>

/** Text, or base64 of bytes. `cut`: there was more than is kept. `more`: goes on after what came before. */
const BodyPiece = z.object({
  text: z.string(),
  base64: z.boolean(),
  cut: z.boolean(),
  more: z.boolean().optional(),
})
export type BodyPiece = z.infer<typeof BodyPiece>

/** How a request began. */
export const TrafficBegin = z.object({
  source: TrafficSource,
  tab: z.number().int(),
  method: z.string(),
  url: z.string(),
  kind: RequestKind,
  /** Address of the script, document or origin that caused it; null when that is not known. */
  initiator: z.string().nullable(),
  /** Address of the worker or cross-process frame that sent it; null for the tab's own documents. */
  context: z.string().nullable(),
  /** Key of the request whose answer sent the browser here. */
  redirect_of: z.string().nullable(),
})
export type TrafficBegin = z.infer<typeof TrafficBegin>

export const TrafficAnswer = z.object({
  status: z.number().int(),
  status_text: z.string(),
  /** Without parameters; empty when it is not known. */
  mime: z.string(),
  headers: HeaderList,
  /** Such as `h2`; null when it is not known. */
  protocol: z.string().nullable(),
  from: z.enum(['network', 'cache', 'service_worker']),
})
export type TrafficAnswer = z.infer<typeof TrafficAnswer>

/** One thing that was seen of one request; what it is about, its key tells. `at` is epoch ms. */
export const TrafficUpdate = z.object({
  key: z.string().max(4000),
  at: z.number(),
  begin: TrafficBegin.optional(),
  request_headers: HeaderList.optional(),
  request_body: BodyPiece.optional(),
  answer: TrafficAnswer.optional(),
  /** More complete than those of the answer: with cookies that it set. */
  response_headers: HeaderList.optional(),
  response_body: BodyPiece.optional(),
  /** A frame of a WebSocket or an event of an event stream. */
  message: z
    .object({
      direction: z.enum(['sent', 'received']),
      text: z.string(),
      base64: z.boolean(),
      event: z.string().nullable(),
      cut: z.boolean(),
    })
    .optional(),
  /** `at`: where all of a request is told at once, when it had ended. */
  end: z
    .object({ error: z.string().nullable(), bytes: z.number().nullable(), at: z.number().optional() })
    .optional(),
})
export type TrafficUpdate = z.infer<typeof TrafficUpdate>

export const ConsoleLevel = z.enum(['error', 'warning', 'info', 'debug'])
export type ConsoleLevel = z.infer<typeof ConsoleLevel>

export const ConsoleLine = z.object({
  /** The same line told again has the same key. */
  key: z.string().max(4000),
  at: z.number(),
  tab: z.number().int(),
  level: ConsoleLevel,
  /** What a script wrote, an error that nobody caught, a promise that nobody did, or a remark of the browser. */
  kind: z.enum(['console', 'error', 'rejection', 'browser']),
  text: z.string(),
  url: z.string().nullable(),
  /** 1-based. */
  line: z.number().int().nullable(),
  /** Lines `function (url:line:column)`; empty where none is known. */
  stack: z.string(),
})
export type ConsoleLine = z.infer<typeof ConsoleLine>

/** A line as the hook in a page tells it; `stack` is the engine's own text. */
export const PageLine = ConsoleLine.pick({ at: true, level: true, text: true, url: true, line: true }).extend(
  {
    id: z.string().max(100),
    kind: z.enum(['console', 'error', 'rejection']),
    stack: z.string(),
  },
)
export type PageLine = z.infer<typeof PageLine>

/** What shall happen to requests of a session. One that is blocked is so; of several mocks the last one made counts. */
export const NewRoute = z.object({
  /** Glob over the whole address: `*` is any run of characters; without one the address need only contain it. */
  match: z.string().min(1).max(1000),
  methods: z.array(z.string()),
  kinds: z.array(RequestKind),
  action: z.discriminatedUnion('do', [
    z.object({ do: z.literal('block') }),
    z.object({
      do: z.literal('mock'),
      status: z.number().int().min(100).max(599),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
      body_base64: z.boolean(),
    }),
    z.object({
      do: z.literal('headers'),
      /** Null takes the header away. */
      request: z.record(z.string(), z.string().nullable()),
      response: z.record(z.string(), z.string().nullable()),
    }),
    z.object({
      /** Of the tab as a whole, whatever the address. */
      do: z.literal('throttle'),
      offline: z.boolean(),
      latency_ms: z.number().min(0),
      /** Kilobytes a second; 0 is without limit. */
      down: z.number().min(0),
      up: z.number().min(0),
    }),
  ]),
})
export type NewRoute = z.infer<typeof NewRoute>

export const Route = NewRoute.extend({
  id: z.string(),
  /** Kept by the browser's own rules, or by the debugger, which shows a banner. */
  by: z.enum(['rules', 'debugger']),
})
export type Route = z.infer<typeof Route>
