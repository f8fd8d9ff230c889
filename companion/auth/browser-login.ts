import { createHash } from 'node:crypto'
import { Failure } from '../../shared/failures.ts'
import type { BuiltinCall } from '../kernel/operation.ts'
import type { BrowserSession } from '../ports/browser.ts'
import { type LoginState, loginState } from './login-state.ts'
import { type AuthParts, pause } from './parts.ts'
import type { Site } from './sites.ts'

const LOOK_EVERY_MS = 1000
/** Without a sign that anything changed: some sites keep a login where no cookie and no address shows it. */
const PROBE_EVERY_MS = 15_000

/** Shows the person the site's login page and waits until they are in. Fails with no_browser, cancelled, unsupported. */
export async function browserLogin(site: Site, parts: AuthParts, call: BuiltinCall): Promise<LoginState> {
  if (site.base === '')
    throw new Failure('unsupported', {
      what: 'Logging in',
      where: site.name,
      hint: 'None of its adapters says where it is (base).',
    })
  await parts.browser.settled(call)
  const session = call.browser()
  const before = await loginState(site, parts, call)
  if (before.state === 'logged_in') return before
  const url = loginPage(site)
  await session.call('page.navigate', { url, until: 'commit' }, call)
  await session.call('session.show', {}, call)
  call.progress(`log in to ${site.name} in the tab that opened in your browser`)
  return untilLoggedIn(site, session, parts, call)
}

async function untilLoggedIn(
  site: Site,
  session: BrowserSession,
  parts: AuthParts,
  call: BuiltinCall,
): Promise<LoginState> {
  let seen = await signsOf(site, session, call)
  let probedAt = Date.now()
  for (;;) {
    await pause(LOOK_EVERY_MS, call)
    const signs = await signsOf(site, session, call)
    if (signs === seen && signs !== null && Date.now() - probedAt < PROBE_EVERY_MS) continue
    seen = signs
    const state = await loginState(site, parts, call)
    probedAt = Date.now()
    if (state.state === 'logged_in') return state
    if (signs === null) throw new Failure('cancelled', { by: 'person, who closed the tab' })
  }
}

const loginPage = ({ base, auth }: Site): string => new URL(auth.login ?? '', `${base}/`).href

/** Changes when a login may have happened; null when the tab is gone. Holds no cookie's value. */
async function signsOf(site: Site, session: BrowserSession, call: BuiltinCall): Promise<string | null> {
  const [tab] = await session.call('session.tabs', {}, call)
  if (tab === undefined) return null
  const cookies = await session.call('cookies.get', { url: site.base }, call)
  const hash = createHash('sha256').update(tab.url)
  for (const { name, value } of cookies) hash.update(`\n${name}=${value}`)
  return hash.digest('hex')
}
