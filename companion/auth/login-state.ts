import type { BuiltinCall } from '../kernel/operation.ts'
import { evaluateText } from '../kernel/template.ts'
import { type AuthParts, isLinked } from './parts.ts'
import type { Site } from './sites.ts'

export interface LoginState {
  state: 'logged_in' | 'logged_out' | 'unknown'
  /** What it is known by. */
  by: 'probe' | 'cookies' | 'cookie_file' | null
  account: string | null
  reason: string | null
}

const PROBE_WITHIN_MS = 15_000
/** Fields in which adapters say who somebody is. */
const NAMES = ['name', 'user', 'username', 'login', 'account', 'email', 'id']

/** Whether the person is logged in to a site: what its probe answers, or else which cookies are there. */
export function loginState(site: Site, parts: AuthParts, call: BuiltinCall): Promise<LoginState> {
  return site.probe === null ? byCookies(site, parts, call) : byProbe(site, site.probe.id, parts, call)
}

async function byProbe(
  site: Site,
  operation: string,
  parts: AuthParts,
  { signal, deadline, surface, browser }: BuiltinCall,
): Promise<LoginState> {
  const timeout_ms = Math.max(1, Math.min(PROBE_WITHIN_MS, deadline - Date.now()))
  const profile = isLinked(parts) ? browser().profile.id : undefined
  const answer = await parts
    .kernel()
    .run({ operation, args: {}, options: { timeout_ms, profile }, surface, signal })
  signal.throwIfAborted()
  const tell = (state: LoginState['state'], reason: string | null): LoginState => ({
    state,
    by: state === 'unknown' ? null : 'probe',
    account: state === 'logged_in' ? accountIn(answer.data) : null,
    reason,
  })
  if (!answer.ok) {
    // Without a browser a token that is nowhere to be found says nothing.
    const isLogin =
      answer.error.code === 'auth_required' ||
      (profile !== undefined && answer.error.code === 'csrf_not_found')
    return tell(isLogin ? 'logged_out' : 'unknown', answer.error.message)
  }
  const { expect } = site.auth
  if (expect !== undefined && !evaluateText(expect, { data: answer.data }))
    return tell('logged_out', `${operation} answered, and "${expect}" does not hold`)
  return tell('logged_in', null)
}

async function byCookies(site: Site, parts: AuthParts, call: BuiltinCall): Promise<LoginState> {
  const tell = (state: LoginState['state'], by: LoginState['by'], reason: string | null): LoginState => ({
    ...{ state, by, reason },
    account: null,
  })
  if (site.base === '') return tell('unknown', null, 'no adapter says where the site is')
  const linked = isLinked(parts)
  const cookies = linked
    ? await call.browser().call('cookies.get', { url: site.base }, call)
    : parts.cookies.read(site.name)
  if (cookies === null) return tell('unknown', null, 'no browser is linked')
  const by = linked ? 'cookies' : 'cookie_file'
  const wanted = site.auth.cookies
  if (cookies.length === 0) return tell('logged_out', by, 'there are no cookies of it')
  if (wanted === undefined)
    return tell('unknown', null, 'there are cookies, and no adapter says what they mean')
  const missing = wanted.filter(name => !cookies.some(cookie => cookie.name === name))
  return missing.length === 0
    ? tell('logged_in', by, null)
    : tell('logged_out', by, `there is no cookie ${missing.join(', ')}`)
}

function accountIn(data: unknown): string | null {
  const row: unknown = Array.isArray(data) ? data[0] : data
  if (typeof row !== 'object' || row === null) return null
  const fields = row as Record<string, unknown>
  const value = NAMES.map(name => fields[name]).find(each => typeof each === 'string' && each !== '')
  return typeof value === 'string' ? value : null
}
