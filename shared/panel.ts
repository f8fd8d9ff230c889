import { z } from 'zod'
import { EvidencePiece } from './evidence-piece.ts'
import { Lasting, SiteChoice } from './policy.ts'
import { Status } from './status.ts'
import { SessionInfo, TabId } from './values.ts'

/** What popup and side panel and the extension's worker say to each other, over one runtime port. */
export const PANEL_PORT = 'panel'
/** The port by which the offscreen document notices that the worker died. */
export const WATCH_PORT = 'watch'

/** How far the way from this browser to the companion reaches, and where it ends when it does not. */
export const LinkPhase = z.enum([
  'connecting',
  'linked',
  /** The browser knows no native host of our name: setup has not been run, or for another browser. */
  'host_missing',
  /** The manifest of the native host does not name this extension. */
  'host_forbidden',
  'host_ended',
  /** The native host runs and does not answer, or nothing came from it at all. */
  'host_silent',
  'companion_silent',
  /** The companion will not use this link; `detail` tells why. */
  'refused',
])
export type LinkPhase = z.infer<typeof LinkPhase>

export const LinkView = z.object({
  phase: LinkPhase,
  /** Epoch ms of the last change. */
  since: z.number(),
  /** The browser's or the companion's own words; may be empty. */
  detail: z.string(),
  companion_version: z.string().nullable(),
})
export type LinkView = z.infer<typeof LinkView>

export const PanelState = z.object({
  link: LinkView,
  profile: z.object({ id: z.string(), name: z.string() }),
  extension_version: z.string(),
  /** The companion's state record; null while it cannot be asked. */
  status: Status.nullable(),
  /** What agents use in this browser. */
  sessions: z.array(SessionInfo),
  /** The page that the person looks at; null for what is no page of a site. */
  page: z
    .object({
      tab: z.number().int(),
      url: z.string(),
      title: z.string(),
      /** Whose it is, where it is an agent's or was lent to one. */
      session: z.string().nullable(),
    })
    .nullable(),
})
export type PanelState = z.infer<typeof PanelState>

/** Worker → popup. `did` or `evidence` answers the request of the same id; `problem` is null when it worked. */
export const PanelNews = z.discriminatedUnion('k', [
  z.object({ k: z.literal('state'), state: PanelState }),
  z.object({ k: z.literal('did'), id: z.number().int(), problem: z.string().nullable() }),
  z.object({ k: z.literal('evidence'), id: z.number().int(), evidence: z.array(EvidencePiece) }),
])
export type PanelNews = z.infer<typeof PanelNews>

export const PROFILE_NAME_CHARS = 40

const id = z.number().int()

/** Popup, side panel or options page → worker. */
export const PanelRequest = z.discriminatedUnion('k', [
  z.strictObject({ k: z.literal('stop'), id, run_id: z.string().optional() }),
  z.strictObject({ k: z.literal('pause'), id, paused: z.boolean() }),
  z.strictObject({ k: z.literal('evidence'), id, run_id: z.string() }),
  z.strictObject({ k: z.literal('site'), id, site: z.string(), word: SiteChoice }),
  z.strictObject({ k: z.literal('show'), id, session: z.string(), tab: TabId.optional() }),
  z.strictObject({ k: z.literal('end'), id, session: z.string() }),
  z.strictObject({ k: z.literal('lend'), id, session: z.string(), tab: z.number().int() }),
  z.strictObject({ k: z.literal('give_back'), id, tab: z.number().int() }),
  z.strictObject({
    k: z.literal('answer'),
    id,
    approval: z.string(),
    allow: z.boolean(),
    lasts: Lasting,
    reply: z.string().max(2000).optional(),
  }),
  z.strictObject({
    k: z.literal('rename'),
    id,
    name: z.string().trim().min(1).max(PROFILE_NAME_CHARS),
  }),
  z.strictObject({ k: z.literal('connect'), id }),
])
export type PanelRequest = z.infer<typeof PanelRequest>
