import { z } from 'zod'
import { ACT_WIRE } from './act-wire.ts'
import { STATE_WIRE } from './state-wire.ts'
import { Status } from './status.ts'
import { ConsoleLine, NewRoute, Route, TrafficUpdate } from './traffic.ts'
import {
  CaptureEntry,
  Cookie,
  Download,
  FoundElement,
  PageDialog,
  Screenshot,
  SessionInfo,
  Snapshot,
  TabInfo,
  Target,
  WebResponse,
} from './values.ts'
import { acting, inSession, method, session } from './wire-method.ts'

const ofSession = { session }

/**
 * The one table of what crosses the link. `effect` decides what a broken link means: a read may be asked
 * again, a write whose answer was lost is `outcome_unknown`.
 *
 * Companion → extension. The extension must supply every handler or it does not compile.
 */
export const WIRE = {
  ...STATE_WIRE,
  ...ACT_WIRE,
  'link.ping': method({
    doc: 'Answer at once; proves that the worker lives.',
    effect: 'read',
    touches: 'nothing',
    params: z.strictObject({}),
    result: z.object({ at: z.number() }),
  }),
  'session.tabs': method({
    doc: 'List the tabs that a session owns.',
    effect: 'read',
    touches: 'nothing',
    params: z.strictObject({ ...ofSession }),
    result: z.array(TabInfo),
  }),
  'session.list': method({
    doc: 'List the sessions of this browser with their tabs and when they end.',
    effect: 'read',
    touches: 'nothing',
    params: z.strictObject({}),
    result: z.array(SessionInfo),
  }),
  'session.lease': method({
    doc: 'Say after how long without use a session ends.',
    effect: 'write',
    touches: 'nothing',
    params: z.strictObject({ ...ofSession, ms: z.number().int().min(1000).max(86_400_000) }),
    result: SessionInfo,
  }),
  'session.strangers': method({
    doc: 'List the tabs of the person whose address or title fits a glob, so that the person can be asked to lend one.',
    effect: 'read',
    touches: 'nothing',
    params: z.strictObject({ url: z.string().nullable(), title: z.string().nullable() }),
    result: z.array(z.object({ tab: z.number().int(), url: z.string(), title: z.string() })),
  }),
  'session.attach': method({
    doc: 'Give a session a tab of the person, who has lent it; it stays as it is and is never closed.',
    effect: 'write',
    touches: 'nothing',
    params: z.strictObject({ ...ofSession, stranger: z.number().int() }),
    result: TabInfo,
  }),
  'session.select': method({
    doc: 'From now on this tab of the session is meant where none is named; nothing is put in front.',
    effect: 'write',
    touches: 'nothing',
    params: z.strictObject({ ...inSession }),
    result: TabInfo,
  }),
  'session.show': method({
    doc: "Bring the session's tab before the person, who asked for it.",
    effect: 'write',
    touches: 'nothing',
    params: z.strictObject({ ...inSession }),
    result: TabInfo,
  }),
  'session.close_tab': method({
    doc: 'Close one tab of a session; one that the person lent is given back and stays open.',
    effect: 'write',
    touches: 'nothing',
    params: z.strictObject({ ...inSession }),
    result: z.object({ closed: z.number().int() }),
  }),
  'session.close': method({
    doc: 'Close the tabs of a session, give back those that were lent, and forget it.',
    effect: 'write',
    touches: 'nothing',
    params: z.strictObject({ ...ofSession }),
    result: z.object({ closed: z.number().int() }),
  }),
  'page.navigate': method({
    doc: "Load an address in the session's tab, opened in the background when there is none.",
    effect: 'write',
    touches: 'address',
    params: z.strictObject({
      ...acting,
      url: z.url(),
      until: z.enum(['commit', 'domcontentloaded', 'load']),
      /** In one more tab, which becomes the current one. */
      new_tab: z.boolean().optional(),
    }),
    result: TabInfo.extend({ dialogs: z.array(PageDialog).optional() }),
  }),
  'page.snapshot': method({
    doc: 'Describe the page as text in which every element that can be acted on has a ref.',
    effect: 'read',
    params: z.strictObject({
      ...inSession,
      max_tokens: z.number().int().min(100),
      /** null: everything where there is room for it, else what can be acted on. */
      interactive: z.boolean().nullable(),
      target: Target.nullable(),
      depth: z.number().int().min(1).nullable(),
      after: z.string().nullable(),
      since: z.boolean(),
      /** Where everything lies, with refs for texts too. */
      boxes: z.boolean(),
      /** Kinds and colours of shapes. */
      graphics: z.boolean(),
    }),
    result: Snapshot,
  }),
  'page.find': method({
    doc: 'Find elements in all frames of the page; all that is given has to fit.',
    effect: 'read',
    params: z.strictObject({
      ...inSession,
      text: z.string().nullable(),
      regex: z.string().nullable(),
      role: z.string().nullable(),
      name: z.string().nullable(),
      label: z.string().nullable(),
      testid: z.string().nullable(),
      target: Target.nullable(),
      limit: z.number().int().min(1),
    }),
    result: z.object({ count: z.number().int(), found: z.array(FoundElement) }),
  }),
  'download.get': method({
    doc: 'Begin a download, by an address or by a click, and wait until the browser has the whole file.',
    effect: 'write',
    acts: true,
    touches: 'both',
    params: z.strictObject({ ...inSession, url: z.url().nullable(), target: Target.nullable() }),
    result: Download,
  }),
  'download.remove': method({
    doc: "Remove a download's file, and its line in the browser's list, once it has been put elsewhere.",
    effect: 'write',
    touches: 'nothing',
    params: z.strictObject({ id: z.number().int() }),
    result: z.object({ removed: z.boolean() }),
  }),
  'download.list': method({
    doc: "The newest downloads of the browser's own list.",
    effect: 'read',
    touches: 'nothing',
    params: z.strictObject({ query: z.string().nullable(), limit: z.number().int().min(1) }),
    result: z.array(Download),
  }),
  'page.wait': method({
    doc: 'Wait until an element, a text or a text in an element is there, or gone, or the address matches.',
    effect: 'read',
    params: z.strictObject({
      ...inSession,
      target: Target.nullable(),
      text: z.string().nullable(),
      url: z.string().nullable(),
      gone: z.boolean(),
    }),
    result: z.object({ waited_ms: z.number(), url: z.string() }),
  }),
  'page.evaluate': method({
    doc: "Run an expression in the page's own world and return its JSON value.",
    effect: 'write',
    acts: true,
    params: z.strictObject({
      ...acting,
      expression: z.string(),
      args: z.array(z.unknown()).optional(),
      world: z.enum(['page', 'isolated']).optional(),
      target: Target.optional(),
    }),
    result: z.object({ value: z.unknown(), dialogs: z.array(PageDialog).optional() }),
  }),
  'page.html': method({
    doc: 'The HTML of the page or of one element.',
    effect: 'read',
    params: z.strictObject({ ...inSession, target: Target.nullable() }),
    result: z.object({ html: z.string(), url: z.string(), title: z.string() }),
  }),
  'page.screenshot': method({
    doc: "A picture of what the session's tab shows, of the whole page, or of one element.",
    effect: 'read',
    params: z.strictObject({
      ...inSession,
      target: Target.nullable(),
      full_page: z.boolean(),
      /** Marks what can be acted on with its ref, in the picture only. */
      annotate: z.boolean(),
      format: z.enum(['png', 'jpeg', 'webp']),
      quality: z.number().int().min(1).max(100),
      /** Pixels of the picture for each CSS pixel. */
      scale: z.number().positive().max(4),
      /** Quality and then size give way until it fits. */
      max_bytes: z.number().int().positive(),
    }),
    result: Screenshot,
  }),
  'page.storage': method({
    doc: "Read the local and session storage of the session's page.",
    effect: 'read',
    params: z.strictObject({ ...inSession }),
    result: z.object({ local: z.record(z.string(), z.string()), session: z.record(z.string(), z.string()) }),
  }),
  'capture.start': method({
    doc: "Report every request of the session's tab from the next document on, as `capture.entry` events.",
    effect: 'read',
    touches: 'address',
    params: z.strictObject({ ...ofSession, origin: z.url() }),
    result: z.object({}),
  }),
  'capture.stop': method({
    doc: 'Stop reporting.',
    effect: 'read',
    touches: 'nothing',
    params: z.strictObject({ ...ofSession }),
    result: z.object({}),
  }),
  'capture.revoke': method({
    doc: 'Hook no pages of a site any more: the person took it back.',
    effect: 'read',
    touches: 'nothing',
    params: z.strictObject({
      ...ofSession,
      /** As it is granted: a registrable domain, or host and port; null for every site. */
      site: z.string().nullable(),
    }),
    result: z.object({}),
  }),
  'network.start': method({
    doc: "Tell bodies and frames of the session's requests too, from now on and in tabs that come later.",
    effect: 'read',
    params: z.strictObject({
      ...inSession,
      source: z.enum(['auto', 'debugger', 'page']),
      /** Of one body, in bytes. */
      max_body: z.number().int().positive(),
    }),
    result: z.object({
      source: z.enum(['debugger', 'page']),
      /** Why it is not the debugger, where that was to be tried. */
      reason: z.string().nullable(),
    }),
  }),
  'network.stop': method({
    doc: 'Tell of requests only what the browser itself does.',
    effect: 'read',
    params: z.strictObject({ ...inSession }),
    result: z.object({ was: z.enum(['debugger', 'page']).nullable() }),
  }),
  'network.route': method({
    doc: "Change what shall happen to the session's requests until the session ends, and list it.",
    effect: 'write',
    params: z.strictObject({
      ...inSession,
      add: NewRoute.nullable(),
      /** Id of one, or all. */
      remove: z.string().nullable(),
    }),
    result: z.object({ routes: z.array(Route) }),
  }),
  'console.read': method({
    doc: "What the session's documents have written to their console so far, from the first line on.",
    effect: 'read',
    params: z.strictObject({ ...inSession }),
    result: z.object({ lines: z.array(ConsoleLine), source: z.enum(['debugger', 'page']) }),
  }),
  'http.fetch': method({
    doc: "Fetch with the person's cookies, from the worker (Origin and Referer set to the site's own) or in a page.",
    effect: 'write',
    touches: 'address',
    params: z.strictObject({
      ...inSession,
      url: z.url(),
      method: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string().nullable(),
      /** The body is base64 of its bytes. */
      body_base64: z.boolean().optional(),
      via: z.enum(['worker', 'page']),
      /** The site as whose page the request is made: its Origin and Referer. */
      origin: z.url(),
      max_bytes: z.number().int().positive(),
    }),
    result: WebResponse,
  }),
  'cookies.get': method({
    doc: "The person's cookies that the browser would send to an address; with any_path, to any path of its host.",
    effect: 'read',
    touches: 'address',
    params: z.strictObject({ url: z.url(), any_path: z.boolean().optional() }),
    result: z.array(Cookie),
  }),
  'notice.show': method({
    doc: 'Show the person a notification of the desktop.',
    effect: 'write',
    touches: 'nothing',
    params: z.strictObject({ title: z.string().min(1).max(100), text: z.string().min(1).max(1000) }),
    result: z.object({ shown: z.literal(true) }),
  }),
} as const
export type WireMethod = keyof typeof WIRE
export type WireParams<M extends WireMethod> = z.infer<(typeof WIRE)[M]['params']>
export type WireResult<M extends WireMethod> = z.infer<(typeof WIRE)[M]['result']>
/**
 * What the extension implements. `signal` aborts when the caller stops or the deadline passes; `granted` are the
 * origins that the call may touch.
 */
export type WireHandlers = {
  [M in WireMethod]: (
    params: WireParams<M>,
    call: { signal: AbortSignal; deadline: number; granted?: readonly string[] },
  ) => Promise<WireResult<M>>
}

/** Events on the link, by name. */
export const WIRE_EVENTS = {
  /** extension → companion */
  'capture.entry': z.object({ session, entry: CaptureEntry }),
  /** `lost`: updates that could not be told since the last event. */
  'traffic.updates': z.object({ session, updates: z.array(TrafficUpdate), lost: z.number().int() }),
  'console.lines': z.object({ session, lines: z.array(ConsoleLine) }),
  'session.tab_closed': z.object({ session, tab: z.number().int() }),
  /** companion → extension: the state record changed */
  'status.changed': Status,
} as const
export type WireEvent = keyof typeof WIRE_EVENTS
export type WireEventData<E extends WireEvent> = z.infer<(typeof WIRE_EVENTS)[E]>

/** What an extension may be able to do; hello lists them, the companion asks before it relies on one. */
export const CAPABILITIES = ['page', 'capture', 'http', 'cookies', 'debugger', 'person'] as const
export type Capability = (typeof CAPABILITIES)[number]
