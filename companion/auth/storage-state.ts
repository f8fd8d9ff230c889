import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { isWithinDomain } from '../../shared/host.ts'
import { Cookie } from '../../shared/values.ts'
import type { BuiltinCall } from '../kernel/operation.ts'
import type { CookieStorePort, SecretPort } from '../ports/auth.ts'
import type { BrowserPort, BrowserSession } from '../ports/browser.ts'
import { storageStateText } from './cookie-formats.ts'

/** What is needed to move a login from one browser profile to another: cookies and storage of named origins. */

export interface StorageStateParts {
  secrets: SecretPort
  cookies: Pick<CookieStorePort, 'parse'>
  browser: Pick<BrowserPort, 'settled'>
}

const Values = z.record(z.string(), z.string())
const Stored = z.object({
  origin: z.string(),
  local: Values,
  /** Null where it was not read: it belongs to one tab. */
  session: Values.nullable(),
})
type Stored = z.infer<typeof Stored>
const StorageState = z.object({ saved_at: z.number(), cookies: z.array(Cookie), storage: z.array(Stored) })
type StorageState = z.infer<typeof StorageState>

const MAX_BYTES = 4_000_000
const secretName = (name: string): string => `storage-state/${name}`

interface Place {
  /** Of the sealed store. */
  name?: string | undefined
  /** Playwright's JSON, in the clear. */
  file?: string | undefined
}

/** Fails with usage, not_found, and as the browser and the files do. */
export async function exportState(
  { name, file, origins }: Place & { origins: readonly string[] },
  { secrets, browser }: StorageStateParts,
  call: BuiltinCall,
) {
  checkPlace({ name, file })
  await browser.settled(call)
  const session = call.browser()
  const notes = ['IndexedDB is not part of it.']
  const cookies = await cookiesOf(session, origins, call)
  const storage: Stored[] = []
  for (const origin of origins) {
    const found = await storageOf(session, new URL(origin).origin, call)
    if (typeof found === 'string') notes.push(found)
    else storage.push(found)
  }
  if (cookies.length === 0 && storage.every(({ local }) => Object.keys(local).length === 0))
    throw new Failure('not_found', {
      what: `Anything of ${origins.join(', ')} in this profile`,
      hint: 'Log in there first, or name the origins that hold the login.',
    })
  const state: StorageState = { saved_at: Date.now(), cookies, storage }
  if (JSON.stringify(state).length > MAX_BYTES)
    throw new Failure('frame_too_large', { bytes: JSON.stringify(state).length, limit: MAX_BYTES })
  const told = { cookies: cookies.length, ...countsOf(storage) }
  if (name !== undefined) {
    await secrets.put(secretName(name), state)
    return { name, encrypted: true, ...told, notes }
  }
  if (told.session > 0) notes.push(NO_SESSION)
  const content = Buffer.from(storageStateText(cookies, storage))
  const { path } = await call.files().write(file ?? '', content, 'create_private')
  return { file: path, encrypted: false, ...told, session: 0, notes: [...notes, IN_THE_CLEAR] }
}

const NO_SESSION = 'Session storage is not part of a file; a name keeps it.'

const IN_THE_CLEAR =
  'The file is not encrypted: whoever reads it is logged in as the person. Delete it when it has done its work.'

/** Cookies that have expired are left out. Fails with usage, not_found, and as the browser and the files do. */
export async function importState(
  place: Place & { origins?: readonly string[] | undefined },
  parts: StorageStateParts,
  call: BuiltinCall,
) {
  checkPlace(place)
  await parts.browser.settled(call)
  const state = await stateAt(place, parts, call)
  const session = call.browser()
  const hosts = place.origins?.map(origin => new URL(origin).hostname)
  const now = Date.now() / 1000
  const cookies = state.cookies.filter(
    ({ domain, expires }) =>
      (hosts?.some(host => isWithinDomain(host, domain)) ?? true) && (expires === null || expires > now),
  )
  const notes: string[] = []
  let set = 0
  for (const cookie of cookies) {
    try {
      await session.call('cookies.set', forBrowser(cookie), call)
      set += 1
    } catch (error) {
      if (!Failure.is(error, 'bad_request')) throw error
      notes.push(error.message)
    }
  }
  const wanted = state.storage.filter(({ origin }) => hosts?.includes(new URL(origin).hostname) ?? true)
  const stored: Stored[] = []
  for (const each of wanted) {
    const problem = await putStorage(session, each, call)
    if (problem === null) stored.push(each)
    else notes.push(problem)
  }
  return { cookies: set, ...countsOf(stored), notes }
}

function checkPlace({ name, file }: Place): void {
  if ((name === undefined) !== (file === undefined)) return
  throw new Failure('usage', {
    problem: 'Give a name or a file, and not both.',
    hint: "A name keeps it encrypted; a file is Playwright's JSON in the clear.",
  })
}

async function cookiesOf(
  session: BrowserSession,
  origins: readonly string[],
  call: BuiltinCall,
): Promise<Cookie[]> {
  const found = new Map<string, Cookie>()
  for (const url of origins)
    for (const cookie of await session.call('cookies.get', { url, any_path: true }, call))
      found.set([cookie.domain, cookie.path, cookie.name, cookie.partition].join(' '), cookie)
  return [...found.values()]
}

/** Brings a tab to the origin and reads there; why not, where that cannot be. */
async function storageOf(
  session: BrowserSession,
  origin: string,
  call: BuiltinCall,
): Promise<Stored | string> {
  const problem = await goTo(session, origin, call)
  if (problem !== null) return problem
  const { local, session: own } = await session.call('page.storage', {}, call)
  return { origin, local, session: call.limits.session === undefined ? null : own }
}

async function putStorage(
  session: BrowserSession,
  stored: Stored,
  call: BuiltinCall,
): Promise<string | null> {
  const isNamed = call.limits.session !== undefined
  const areas = [
    ['local', stored.local],
    ['session', isNamed ? (stored.session ?? {}) : {}],
  ] as const
  if (areas.every(([, set]) => Object.keys(set).length === 0)) return null
  const problem = await goTo(session, stored.origin, call)
  if (problem !== null) return problem
  for (const [area, set] of areas)
    if (Object.keys(set).length > 0)
      await session.call('page.storage_write', { area, clear: false, remove: [], set }, call)
  return null
}

/** A run's own tab goes there; a named session's stays where it is. Null when the tab is there. */
async function goTo(session: BrowserSession, origin: string, call: BuiltinCall): Promise<string | null> {
  if (call.limits.session === undefined)
    await session.call('page.navigate', { url: origin, until: 'domcontentloaded' }, call)
  const tabs = await session.call('session.tabs', {}, call)
  const { url = '' } = tabs.find(({ current }) => current) ?? tabs[0] ?? {}
  if (URL.canParse(url) && new URL(url).origin === origin) return null
  return `The storage of ${origin} was left out: the tab is at ${URL.canParse(url) ? new URL(url).origin : 'no page'}.`
}

async function stateAt(
  { name, file }: Place,
  { secrets, cookies }: StorageStateParts,
  call: BuiltinCall,
): Promise<StorageState> {
  if (name !== undefined) {
    const kept = await secrets.get(secretName(name))
    if (kept !== null) return StorageState.parse(kept)
    throw new Failure('not_found', {
      what: `A storage state "${name}"`,
      hint: 'browser.storage_state_export makes one.',
    })
  }
  const text = Buffer.from(await call.files().read(file ?? '', MAX_BYTES)).toString('utf8')
  return { saved_at: 0, cookies: cookies.parse(text, 'storage-state'), storage: originsIn(text) }
}

const Playwright = z.object({
  origins: z
    .array(
      z.object({
        origin: z.url(),
        localStorage: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
      }),
    )
    .default([]),
})

/** The cookies of the same text were read before: it is JSON. */
function originsIn(text: string): Stored[] {
  const { origins } = Playwright.parse(JSON.parse(text))
  return origins.map(({ origin, localStorage }) => ({
    origin,
    local: Object.fromEntries(localStorage.map(({ name, value }) => [name, value])),
    session: null,
  }))
}

const SAME_SITE: Readonly<Record<string, string>> = { none: 'no_restriction' }

/** A cookie for one host alone is set without a domain. */
function forBrowser({ domain, ...cookie }: Cookie) {
  const host = domain.replace(/^\./, '')
  const isShared = domain.startsWith('.')
  return {
    url: `${cookie.secure ? 'https' : 'http'}://${host}${cookie.path}`,
    cookie: {
      ...cookie,
      same_site: SAME_SITE[cookie.same_site] ?? cookie.same_site,
      ...(isShared ? { domain } : {}),
    },
  }
}

const countsOf = (storage: readonly Stored[]): { local: number; session: number } => ({
  local: storage.reduce((sum, { local }) => sum + Object.keys(local).length, 0),
  session: storage.reduce((sum, { session }) => sum + Object.keys(session ?? {}).length, 0),
})

/** False when there was none. */
export const forgetState = (name: string, { secrets }: StorageStateParts): Promise<boolean> =>
  secrets.drop(secretName(name))
