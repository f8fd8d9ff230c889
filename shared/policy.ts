import { z } from 'zod'
import { Effect } from './envelope.ts'

/**
 * What an operation does to the world beyond its effect, as its adapter says: something goes to other people, or
 * money, content or an account is at stake. `none` can be taken back; `unknown` is a write of which nobody said.
 */
export const RISKS = ['none', 'send', 'publish', 'pay', 'delete', 'account', 'unknown'] as const
export const Risk = z.enum(RISKS)
export type Risk = z.infer<typeof Risk>

/** Who is asked where no rule says it. */
export const PROFILES = ['open', 'careful', 'confirm', 'locked'] as const
export type Profile = (typeof PROFILES)[number]
/** Where the person chose none. */
export const DEFAULT_PROFILE: Profile = 'careful'

/** Whom a profile asks, in words, by its name. */
export const PROFILE_DOCS: Readonly<Record<Profile, string>> = {
  open: 'asks nobody',
  careful: 'asks before anything is sent, published, paid, deleted or done to an account',
  confirm: 'asks before every write',
  locked: 'asks before everything that leaves the companion',
}

export const DECISIONS = ['deny', 'ask', 'allow'] as const
export const Decision = z.enum(DECISIONS)
export type Decision = z.infer<typeof Decision>

/** How long an allowance holds: for the one run, until the companion ends (8 hours at most), or until revoked. */
export const LASTINGS = ['once', 'session', 'always'] as const
export const Lasting = z.enum(LASTINGS)
export type Lasting = z.infer<typeof Lasting>

/** What the person says of a site: it may be used by one session, by all, or by none. */
export const SITE_WORDS = ['session', 'always', 'never'] as const
export const SiteWord = z.enum(SITE_WORDS)
export type SiteWord = z.infer<typeof SiteWord>

/**
 * A word of the person's on a site: a registrable domain with all that is below it (`example.com`), or, where there is
 * none, host and port (`127.0.0.1:8080`). A person's login is shared by the one, and by nothing beyond the other.
 */
export const SiteGrant = z.object({
  site: z.string(),
  word: SiteWord,
  /** Whose, where the word is for a session. */
  session: z.string().nullable(),
  granted_at: z.number(),
  /** Null: until the person takes it back. */
  expires_at: z.number().nullable(),
})
export type SiteGrant = z.infer<typeof SiteGrant>

/** What the person can say of a site in the panel; `forget` takes back what was said. */
export const SiteChoice = z.enum(['always', 'never', 'forget'])
export type SiteChoice = z.infer<typeof SiteChoice>

const globs = z.array(z.string().min(1).max(200)).max(100).optional()

/** What a caller may at most do. Every part that is given narrows; nothing widens what the policy allows. */
export const Scope = z.strictObject({
  effects: z.array(Effect).optional().describe('only operations of these effects'),
  risks: z.array(Risk).optional().describe('only operations of these risks'),
  sites: globs.describe('only these sites, as globs'),
  operations: globs.describe('only these operations, as globs'),
  domains: globs.describe('only these domains, as globs'),
})
export type Scope = z.infer<typeof Scope>

/** An allowance that outlives the run for which it was given. */
export const Grant = z.object({
  id: z.string(),
  operation: z.string(),
  /** What exactly is allowed, for a person to read. */
  covers: z.string(),
  lasts: Lasting,
  granted_at: z.number(),
  expires_at: z.number(),
})
export type Grant = z.infer<typeof Grant>
