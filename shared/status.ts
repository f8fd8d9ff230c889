import { z } from 'zod'
import { PROFILES, SiteGrant } from './policy.ts'

/** One state record: `unicli doctor`, `GET /v1/health` and the popup all print this and nothing of their own. */
export const LinkState = z.object({
  profile: z.object({ id: z.string(), name: z.string() }),
  browser: z.string(),
  extension_version: z.string(),
  protocol: z.number().int(),
  state: z.enum(['linked', 'refused', 'lost']),
  /** Why it is in that state, snake_case and permanent. */
  cause: z.enum(['ok', 'version_skew', 'host_ended', 'host_suspended', 'browser_silent', 'replaced']),
  /** Epoch ms of the last change. */
  since: z.number(),
  /** The last full round trip to the extension's worker; null before the first. */
  rtt_ms: z.number().nullable(),
  /** The name by which `browser.launch` started it; null for a person's own browser. */
  managed: z.string().nullable().default(null),
})
export type LinkState = z.infer<typeof LinkState>

export const RunBrief = z.object({
  run_id: z.string(),
  operation: z.string(),
  profile: z.string().nullable(),
  state: z.enum(['running', 'waiting', 'ok', 'failed', 'interrupted']),
  started_at: z.number(),
  duration_ms: z.number().nullable(),
  code: z.string().nullable(),
  /** Of one that runs: the site of the person's that it touched last, its session, and the step under way. */
  site: z.string().optional(),
  session: z.string().optional(),
  step: z.string().optional(),
  /** Of one that has ended, and acted: what was observed. */
  verdict: z.enum(['confirmed', 'unconfirmed', 'failed']).optional(),
  /** How many pieces of evidence it left. */
  evidence: z.number().int().optional(),
})
export type RunBrief = z.infer<typeof RunBrief>

export const ApprovalBrief = z.object({
  id: z.string(),
  operation: z.string(),
  effect: z.string(),
  /** What is at stake, when it is more than the effect says. */
  risk: z.string().optional(),
  /** What exactly will happen, for a person to read. */
  text: z.string(),
  /** What an allowance for the session or for always would cover. */
  covers: z.string().optional(),
  /** Set where the person is asked whether a site may be used at all; `session` is whose a yes for the session is. */
  site: z.string().optional(),
  session: z.string().optional(),
  /** Set for a question that wants an answer in words: one of these, or any text when there are none. */
  choices: z.array(z.string()).optional(),
  asked_at: z.number(),
  expires_at: z.number(),
})
export type ApprovalBrief = z.infer<typeof ApprovalBrief>

export const Status = z.object({
  version: z.string(),
  protocol: z.number().int(),
  pid: z.number().int(),
  started_at: z.number(),
  uptime_ms: z.number(),
  http_url: z.string().nullable(),
  operations: z.number().int(),
  adapter_faults: z.number().int(),
  profiles: z.array(LinkState),
  running: z.array(RunBrief),
  last_run: RunBrief.nullable(),
  /** Those before it, the newest first and itself among them; an older companion does not tell. */
  recent: z.array(RunBrief).optional(),
  approvals: z.array(ApprovalBrief),
  /** What the person said of sites, who is asked where they said nothing, and whether they hold everything back. */
  sites: z.array(SiteGrant).optional(),
  policy_profile: z.enum(PROFILES).optional(),
  paused: z.boolean().optional(),
})
export type Status = z.infer<typeof Status>

/** One hop of the way from an agent to a browser, as `unicli doctor` tells it. */
export interface Hop {
  hop: string
  ok: boolean
  /** snake_case, permanent. */
  cause: string
  /** One sentence. */
  detail: string
  /** What mends it, such as a command; null when nothing is to be mended. */
  mend: string | null
}
