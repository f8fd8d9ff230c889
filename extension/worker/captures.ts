import { browser } from 'wxt/browser'
import { z } from 'zod'
import {
  CAPTURE_ASK,
  CAPTURE_ENTRY,
  CAPTURE_LINE,
  CAPTURE_OFF,
  CAPTURE_TOLD,
} from '../../shared/page-messages.ts'
import { isOfSite } from '../../shared/sites.ts'
import { PageLine } from '../../shared/traffic.ts'
import { CaptureEntry } from '../../shared/values.ts'
import { Keep } from './keep.ts'
import { tabOfContentScript } from './senders.ts'
import { Serial } from './serial.ts'
import type { Sessions } from './sessions.ts'
import { parseAddress } from './tab-address.ts'

/** What is captured for: one operation that waits for its answers, or the session's own record of requests. */
const Purpose = z.enum(['operation', 'network'])
export type Purpose = z.infer<typeof Purpose>

/** Session → purpose → the match patterns whose documents are hooked for it. */
const Kept = z.record(z.string(), z.partialRecord(Purpose, z.array(z.string())))

const Message = z.discriminatedUnion('k', [
  z.object({ k: z.literal(CAPTURE_ASK) }),
  z.object({ k: z.literal(CAPTURE_ENTRY), entry: CaptureEntry }),
  z.object({ k: z.literal(CAPTURE_LINE), line: PageLine }),
])

interface At {
  session: string
  tab: number
  purposes: readonly Purpose[]
}

/** Told of what the hooks have seen. */
export interface Seers {
  entry(at: At, entry: CaptureEntry): void
  line(at: At, line: PageLine): void
}

/**
 * Which sessions have their requests captured in the page. The scripts that do it are registered for single origins
 * and only while some session captures there; in other tabs of that origin they take themselves off again.
 */
export class Captures {
  readonly #sessions: Sessions
  readonly #keep = new Keep('captures', Kept, () => ({}))
  readonly #seers: Seers
  readonly #serial = new Serial('a change of the capture scripts')

  constructor(sessions: Sessions, seers: Seers) {
    this.#sessions = sessions
    this.#seers = seers
    sessions.onTabClosed((_, tab) => void tellRelays(tab))
    browser.runtime.onMessage.addListener((message: unknown, sender) => {
      const tab = tabOfContentScript(sender)
      const parsed = Message.safeParse(message)
      // Whoever answers what is for others takes the answer from them.
      return tab === null || !parsed.success ? undefined : this.#hear(tab, parsed.data)
    })
  }

  /** From the session's next document on, at this origin alone. */
  start(address: string, origin: string): Promise<void> {
    const { session } = parseAddress(address)
    return this.#serial.run(() => this.#set(session, 'operation', [patternOf(origin)]))
  }

  /** The same for the session's record, at this origin too. */
  watch(session: string, origin: string): Promise<void> {
    return this.#serial.run(async () => {
      const patterns = (await this.#keep.get())[session]?.network ?? []
      const pattern = patternOf(origin)
      if (!patterns.includes(pattern)) await this.#set(session, 'network', [...patterns, pattern])
    })
  }

  stop(address: string, purpose: Purpose = 'operation'): Promise<void> {
    const { session } = parseAddress(address)
    return this.#serial.run(() => this.#set(session, purpose, []))
  }

  /** For when the link is new: the operations that captured went with the old one. */
  stopAll(): Promise<void> {
    return this.#serial.run(async () => {
      for (const session of Object.keys(await this.#keep.get())) await this.#set(session, 'operation', [])
    })
  }

  /** Hooks no page of this site any more, whoever wants it; null: of no site. */
  revoke(site: string | null): Promise<void> {
    return this.#serial.run(async () => {
      for (const [session, purposes] of Object.entries(await this.#keep.get()))
        for (const [purpose, patterns] of Object.entries(purposes)) {
          const left = patterns.filter(pattern => site !== null && !isOfSite(baseOf(pattern), site))
          if (left.length < patterns.length) await this.#set(session, purpose as Purpose, left)
        }
    })
  }

  /** After this worker was started anew: what is registered is what is wanted, no more and no less. */
  resume(): Promise<void> {
    return this.#serial.run(async () => {
      for (const session of Object.keys(await this.#keep.get())) await this.#set(session, 'operation', [])
      const needed = needs(await this.#keep.get())
      const known = await browser.scripting.getRegisteredContentScripts()
      for (const { id } of known) {
        const pattern = /^relay (.*)$/.exec(id)?.[1]
        if (pattern !== undefined && !needed.has(pattern)) await unregister(pattern)
      }
      for (const pattern of needed) await register(pattern)
    })
  }

  async #set(session: string, purpose: Purpose, patterns: string[]): Promise<void> {
    const captures = await this.#keep.get()
    const { [purpose]: before = [], ...others } = captures[session] ?? {}
    const kept = patterns.length === 0 ? others : { ...others, [purpose]: patterns }
    if (Object.keys(kept).length > 0) captures[session] = kept
    else delete captures[session]
    await this.#keep.save()
    const needed = needs(captures)
    const over = before.filter(pattern => !needed.has(pattern))
    for (const pattern of over) await unregister(pattern)
    for (const pattern of patterns) await register(pattern)
    // Tabs that were lent are the person's again by now: they are found by what they show.
    for (const tab of await tabsAt(over)) await tellRelays(tab)
    if (captures[session] !== undefined || before.length === 0) return
    for (const { tab } of await this.#sessions.list(session)) await tellRelays(tab)
  }

  async #hear(tab: number, message: z.infer<typeof Message>): Promise<boolean> {
    const session = await this.#sessions.sessionOf(tab)
    const kept = session === null ? undefined : (await this.#keep.get())[session]
    if (session === null || kept === undefined) return false
    const at = { session, tab, purposes: Object.keys(kept) as Purpose[] }
    if (message.k === CAPTURE_ENTRY) this.#seers.entry(at, message.entry)
    if (message.k === CAPTURE_LINE) this.#seers.line(at, message.line)
    return true
  }

  /** Resolves when all that the tab's page has shown until now is known; false where no hook is in it. */
  async told(tab: number): Promise<boolean> {
    try {
      return (await browser.tabs.sendMessage(tab, CAPTURE_TOLD, { frameId: 0 })) === true
    } catch (error) {
      // Nothing of ours is in the page.
      console.debug('no relay could be asked', error)
      return false
    }
  }
}

/** Firefox knows no ports in match patterns; there other ports of the host are hooked too, and unhook themselves. */
function patternOf(origin: string): string {
  const { protocol, hostname, port } = new URL(origin)
  const withPort = port !== '' && !navigator.userAgent.includes('Firefox')
  return `${protocol}//${hostname}${withPort ? `:${port}` : ''}/*`
}

const needs = (captures: z.infer<typeof Kept>): Set<string> =>
  new Set(Object.values(captures).flatMap(each => Object.values(each).flat()))

const baseOf = (pattern: string): string => pattern.replace(/\*$/, '')

async function tabsAt(patterns: readonly string[]): Promise<number[]> {
  if (patterns.length === 0) return []
  return (await browser.tabs.query({})).flatMap(({ id, url = '' }) =>
    id !== undefined && patterns.some(pattern => url.startsWith(baseOf(pattern))) ? [id] : [],
  )
}

const idsOf = (pattern: string): [string, string] => [`relay ${pattern}`, `hook ${pattern}`]

async function register(pattern: string): Promise<void> {
  const [relay, hook] = idsOf(pattern)
  const known = await browser.scripting.getRegisteredContentScripts({ ids: [relay, hook] })
  if (known.length > 0) return
  const where = {
    matches: [pattern],
    allFrames: true,
    matchOriginAsFallback: true,
    runAt: 'document_start' as const,
    persistAcrossSessions: false,
  }
  await browser.scripting.registerContentScripts([
    { ...where, id: relay, js: ['capture-relay.js'], world: 'ISOLATED' },
    { ...where, id: hook, js: ['capture-hook.js'], world: 'MAIN' },
  ])
}

async function unregister(pattern: string): Promise<void> {
  const ids = idsOf(pattern)
  const known = await browser.scripting.getRegisteredContentScripts({ ids })
  if (known.length > 0) await browser.scripting.unregisterContentScripts({ ids: known.map(({ id }) => id) })
}

async function tellRelays(tab: number): Promise<void> {
  try {
    await browser.tabs.sendMessage(tab, CAPTURE_OFF)
  } catch (error) {
    // No relay in the tab: nothing was loaded since the start, or the tab is closing.
    console.debug('no relay heard the end of the capture', error)
  }
}
