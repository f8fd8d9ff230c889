import { parsedJson } from '../../../shared/json.ts'
import type { CsrfHint } from '../../ports/http.ts'

type Stored = { local: Record<string, string>; session: Record<string, string> }

const KEY_NAMES = /token|auth|jwt|session|credential|oidc|msal/i
const FIELD_NAMES = ['access_token', 'accessToken', 'token', 'id_token', 'idToken', 'jwt', 'bearer', 'value']
/** Letters of base64url and the dots of a JWT; long enough not to be a flag or a theme. */
const TOKEN = /^[\w.~+/-]{16,}=*$/
const MAX_DEPTH = 4

/** The bearer that a page keeps in its storage: where the adapter says, else the likeliest; null when none. */
export function storageBearer(stored: Stored, hint: CsrfHint): string | null {
  const entries = [...Object.entries(stored.local), ...Object.entries(stored.session)]
  if (hint.storage !== undefined) {
    const raw = entries.find(([key]) => key === hint.storage)?.[1]
    return raw === undefined ? null : at(parsedJson(raw, raw), hint.storage_select)
  }
  const candidates = entries
    .filter(([key]) => KEY_NAMES.test(key))
    .map(([, raw]) => search(parsedJson(raw, raw), 0))
  const found = candidates.filter(value => value !== null)
  // A JWT is certainly a token; other text only looks like one.
  return found.find(value => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) ?? found[0] ?? null
}

function at(value: unknown, path: string | undefined): string | null {
  let current = value
  for (const key of (path ?? '').split('.').filter(part => part !== ''))
    current =
      typeof current === 'object' && current !== null ? (current as Record<string, unknown>)[key] : undefined
  return path === undefined ? search(current, 0) : typeof current === 'string' ? current : null
}

function search(value: unknown, depth: number): string | null {
  if (typeof value === 'string')
    return TOKEN.test(value.replace(/^Bearer /i, '')) ? value.replace(/^Bearer /i, '') : null
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return null
  const record = value as Record<string, unknown>
  const named = FIELD_NAMES.map(name => record[name]).filter(inner => typeof inner === 'string')
  for (const inner of [...named, ...Object.values(record).filter(inner => typeof inner === 'object')]) {
    const found = search(inner, depth + 1)
    if (found !== null) return found
  }
  return null
}
