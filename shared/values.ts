import { z } from 'zod'

/** Values that cross between page, worker and Node. */

/**
 * Names an element: a ref that a snapshot minted and that is never reused (`d1e12`: element 12 of document 1), or
 * a selector: `css=…` (the default), `text=…`, `label=…`, `role=button[name="Save"]`, `testid=…`, `xpath=…`,
 * `placeholder=…`, `alt=…`, `title=…`, `data-qa=…` (any data attribute). `a >> b` looks for b in a, `nth=0` picks.
 */
export const Target = z.string().min(1).max(2000).describe('ref, or css= text= label= role= testid= xpath=')

/** The short name of a tab within its session; it is given once. */
export const TabId = z
  .string()
  .regex(/^t\d+$/, 'a tab is named t1, t2 and so on')
  .describe('such as t2')

export const TabInfo = z.object({
  /** The browser's own number. */
  tab: z.number().int(),
  id: TabId,
  session: z.string(),
  url: z.string(),
  title: z.string(),
  /** Whether it is meant where no tab is named. */
  current: z.boolean(),
})
export type TabInfo = z.infer<typeof TabInfo>

export const SessionInfo = z.object({
  session: z.string(),
  tabs: z.array(TabInfo),
  lease_ms: z.number().int(),
  /** When it ends unless it is used before, epoch ms. */
  until: z.number(),
})
export type SessionInfo = z.infer<typeof SessionInfo>

export const Verdict = z.enum(['confirmed', 'unconfirmed', 'failed'])
export type Verdict = z.infer<typeof Verdict>

/**
 * What is done with a dialog that a page raises: `auto` says OK to an alert and no to everything else, `ask` leaves it
 * open for `browser.dialog`.
 */
export const DialogPolicy = z.enum(['auto', 'ask', 'accept', 'dismiss'])
export type DialogPolicy = z.infer<typeof DialogPolicy>

/** A dialog that the page raised: `alert()`, `confirm()`, `prompt()`, or the question whether to leave. */
export const PageDialog = z.object({
  kind: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
  /** The page's words; null where the browser itself answered before anybody could read it. */
  message: z.string().nullable(),
  /** What a prompt suggests. */
  suggested: z.string().optional(),
  /** `waiting`: it is open, and the page stands still. */
  answer: z.enum(['accepted', 'dismissed', 'waiting']),
  /** How to answer otherwise. */
  hint: z.string().optional(),
})
export type PageDialog = z.infer<typeof PageDialog>

/**
 * A tab that the page opened; it belongs to the session. `closed`: it closed at once, as a tab does whose address leads
 * to a file.
 */
export const OpenedTab = z.object({ tab: TabId, url: z.string(), closed: z.literal(true).optional() })
export type OpenedTab = z.infer<typeof OpenedTab>

/**
 * How an act is done: by events of a script, or by the browser's own input over the debugger. `auto` begins with the
 * first and goes on with the second where that is needed and safe.
 */
export const Hand = z.enum(['auto', 'dom', 'cdp'])
export type Hand = z.infer<typeof Hand>

/** Segments of inputs of dates and times. */
export const DatePart = z.enum(['year', 'month', 'week', 'day', 'hour', 'minute', 'second', 'dayperiod'])
export type DatePart = z.infer<typeof DatePart>

/** What an act did, from what was observed, never from "the event was sent". */
export const ActResult = z.object({
  verdict: Verdict,
  /** Observed effects, such as "value", "focus", "dom", "navigation", "network", "checked", "tab", "closed". */
  effects: z.array(z.string()),
  /** The element's value after the act, where it has one. */
  value: z.string().nullable(),
  url: z.string(),
  title: z.string(),
  /**
   * What the page shows otherwise than when it was last told of, a line each: `+ button "Undo" [d1e9]` is new, `~` is
   * now this, `-` is gone, `^` has moved. Missing where it is not known, as on a new page.
   */
  changes: z.string().optional(),
  /** What the page asked meanwhile, and what it was answered. */
  dialogs: z.array(PageDialog).optional(),
  /** Which hand did it. */
  hand: z.enum(['dom', 'cdp']).optional(),
  /** Why that hand, or what could be tried with the other. */
  note: z.string().optional(),
  /** Where "tab" is among the effects. */
  tabs: z.array(OpenedTab).optional(),
})
export type ActResult = z.infer<typeof ActResult>

export const Point = z.strictObject({ x: z.number(), y: z.number() })

/** A file whose pieces have been brought into a document. */
export const StashedFile = z.strictObject({
  id: z.string().max(64),
  name: z.string().min(1).max(255),
  type: z.string(),
  bytes: z.number().int().nonnegative(),
})
export type StashedFile = z.infer<typeof StashedFile>

export const Download = z.object({
  /** The browser's own number of it. */
  id: z.number().int(),
  url: z.string(),
  /** Where the browser has put it; empty before it has. */
  path: z.string(),
  type: z.string(),
  bytes: z.number().int(),
  state: z.enum(['in_progress', 'complete', 'interrupted']),
  /** Why it was interrupted, as the browser says it; null when it was not. */
  error: z.string().nullable(),
  /** ISO time. */
  started_at: z.string(),
})
export type Download = z.infer<typeof Download>

export const Snapshot = z.object({
  /** Indented lines: `- button "Save" [d1e4]`. */
  text: z.string(),
  url: z.string(),
  title: z.string(),
  /** Elements that got a ref. */
  refs: z.number().int(),
  /** True when not all is in the text for want of room; the last line then says what is missing. */
  truncated: z.boolean(),
  /** The cursor with which the next snapshot goes on; missing where nothing follows. */
  next: z.string().optional(),
})
export type Snapshot = z.infer<typeof Snapshot>

/** A picture of a tab, in CSS pixels times `scale`. */
export const Screenshot = z.object({
  /** Base64 of the bytes. */
  image: z.string(),
  media_type: z.string(),
  width: z.number().int(),
  height: z.number().int(),
  /** What was taken to keep to `max_bytes`, or what was asked for. Null quality: it has none. */
  scale: z.number(),
  quality: z.number().int().nullable(),
  /** True when the page or the element is larger than what could be drawn. */
  truncated: z.boolean(),
  /** What is marked in it: `d1e4 button "Save"`. */
  legend: z.array(z.string()),
  url: z.string(),
  title: z.string(),
})
export type Screenshot = z.infer<typeof Screenshot>

export const FoundElement = z.object({
  ref: z.string(),
  role: z.string(),
  /** Its name, or the beginning of its text. */
  name: z.string(),
  /** What is around it, from the outside in: `main > list "Orders"`. */
  path: z.string(),
  /** `visible`, `off screen`, `hidden`, or what covers it. */
  seen: z.string(),
  /** The address of the frame that shows it; missing in the main frame. */
  frame: z.string().optional(),
})
export type FoundElement = z.infer<typeof FoundElement>

export const Cookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  secure: z.boolean(),
  http_only: z.boolean(),
  same_site: z.string(),
  /** Epoch seconds; null for a session cookie. */
  expires: z.number().nullable(),
  /** Of a partitioned one: the site that it was set under. */
  partition: z.string().optional(),
})
export type Cookie = z.infer<typeof Cookie>

/** One request of a page, as the hook saw it. Untrusted: a page can forge its own. */
export const CaptureEntry = z.object({
  id: z.string(),
  kind: z.enum(['fetch', 'xhr', 'websocket', 'eventsource']),
  method: z.string(),
  url: z.string(),
  status: z.number().int().nullable(),
  request_headers: z.record(z.string(), z.string()),
  request_body: z.string().nullable(),
  response_headers: z.record(z.string(), z.string()),
  response_body: z.string().nullable(),
  /** True when a body was cut at the limit. */
  truncated: z.boolean(),
  /** Epoch ms. */
  started_at: z.number(),
  finished_at: z.number().nullable(),
  frame_url: z.string(),
})
export type CaptureEntry = z.infer<typeof CaptureEntry>

export const WebResponse = z.object({
  status: z.number().int(),
  /** After redirects. */
  url: z.string(),
  /** Names in lower case. */
  headers: z.record(z.string(), z.string()),
  /** Text, or base64 where `base64` is true. */
  body: z.string(),
  base64: z.boolean(),
  /** Where it was fetched: in the worker, or in a page of the origin. */
  via: z.enum(['worker', 'page']),
})
export type WebResponse = z.infer<typeof WebResponse>
