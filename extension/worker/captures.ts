import { browser } from 'wxt/browser'
import { z } from 'zod'
import { CAPTURE_ASK, CAPTURE_ENTRY, CAPTURE_OFF } from '../../shared/page-messages.ts'
import { CaptureEntry } from '../../shared/values.ts'
import { Keep } from './keep.ts'
import { tabOfContentScript } from './senders.ts'
import type { Sessions } from './sessions.ts'

/** Session → the match pattern whose documents are hooked for it. */
const Kept = z.record(z.string(), z.string())

const Message = z.discriminatedUnion('k', [
  z.object({ k: z.literal(CAPTURE_ASK) }),
  z.object({ k: z.literal(CAPTURE_ENTRY), entry: CaptureEntry }),
])

/**
 * Which sessions have their requests captured. The scripts that do it are registered for one origin and only
 * while some session captures there; in other tabs of that origin they take themselves off again.
 */
export class Captures {
  readonly #sessions: Sessions
  readonly #keep = new Keep('captures', Kept, () => ({}))
  readonly #onEntry: (session: string, entry: CaptureEntry) => void
  #queue: Promise<unknown> = Promise.resolve()

  constructor(sessions: Sessions, onEntry: (session: string, entry: CaptureEntry) => void) {
    this.#sessions = sessions
    this.#onEntry = onEntry
    browser.runtime.onMessage.addListener((message: unknown, sender) => {
      const tab = tabOfContentScript(sender)
      const parsed = Message.safeParse(message)
      // Whoever answers what is for others takes the answer from them.
      return tab === null || !parsed.success ? undefined : this.#hear(tab, parsed.data)
    })
  }

  /** From the session's next document on. */
  start(session: string, origin: string): Promise<void> {
    return this.#serial(async () => {
      const captures = await this.#keep.get()
      const before = captures[session]
      const pattern = patternOf(origin)
      captures[session] = pattern
      await this.#keep.save()
      if (before !== undefined && before !== pattern) await unregister(before, captures)
      await register(pattern)
    })
  }

  stop(session: string): Promise<void> {
    return this.#serial(() => this.#drop(session))
  }

  /** For when the link is new: whoever started the captures went with the old one. */
  stopAll(): Promise<void> {
    return this.#serial(async () => {
      for (const session of Object.keys(await this.#keep.get())) await this.#drop(session)
    })
  }

  async #drop(session: string): Promise<void> {
    const captures = await this.#keep.get()
    const pattern = captures[session]
    if (pattern === undefined) return
    delete captures[session]
    await this.#keep.save()
    await unregister(pattern, captures)
    const tab = await this.#sessions.find(session)
    if (tab !== null) await tellRelays(tab)
  }

  async #hear(tab: number, message: z.infer<typeof Message>): Promise<boolean> {
    const session = await this.#sessions.sessionOf(tab)
    const captured = session !== null && Object.hasOwn(await this.#keep.get(), session)
    if (captured && message.k === CAPTURE_ENTRY) this.#onEntry(session, message.entry)
    return captured
  }

  /** One change of the registered scripts after the other. */
  #serial<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work)
    // Whoever asked is told of a failure; the next in line starts all the same.
    this.#queue = done.catch(error => console.debug('a change of the capture scripts failed', error))
    return done
  }
}

/** Firefox knows no ports in match patterns; there other ports of the host are hooked too, and unhook themselves. */
function patternOf(origin: string): string {
  const { protocol, hostname, port } = new URL(origin)
  const withPort = port !== '' && !navigator.userAgent.includes('Firefox')
  return `${protocol}//${hostname}${withPort ? `:${port}` : ''}/*`
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

/** Unless another capture still needs them. */
async function unregister(pattern: string, captures: Record<string, string>): Promise<void> {
  if (Object.values(captures).includes(pattern)) return
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
