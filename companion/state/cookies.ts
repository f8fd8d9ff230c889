import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { isRecord } from '../../shared/json.ts'
import type { Cookie } from '../../shared/values.ts'
import type { CookieStorePort } from '../ports/auth.ts'
import type { LogPort } from '../ports/log.ts'
import type { CookieFilePort } from '../ports/state.ts'
import { isNetscape, parseNetscape } from './netscape-cookies.ts'
import { writeWhole } from './whole-file.ts'

const SITE = /^[a-z0-9][a-z0-9_-]{0,63}$/
const MAX_BYTES = 1024 * 1024
const OPEN_TO_OTHERS = 0o077

/**
 * Reads `<folder>/<site>.json`: our own format (`{"cookies": [{name, value, domain, path, secure, http_only,
 * same_site, expires}]}`), the array that browser extensions export, or the text of a Netscape cookies.txt.
 * Cookies that have expired are left out. A file that others can read is used, with a warning in the log.
 */
export function openCookieFiles(options: {
  folder: string
  log: LogPort
  now?: () => number
}): CookieFilePort & CookieStorePort {
  const { folder, log, now = Date.now } = options
  const warned = new Set<string>()
  return {
    read(site) {
      if (!SITE.test(site)) throw invalid(site, 'its name is not that of a site')
      const file = join(folder, `${site}.json`)
      const text = readIfThere(file, site)
      if (text === null) return null
      if (text.openToOthers && !warned.has(file)) {
        warned.add(file)
        log.warn('other users of this computer can read a cookie file', { file, mend: `chmod 600 ${file}` })
      }
      const seconds = now() / 1000
      return parseCookies(text.content, site).filter(
        cookie => cookie.expires === null || cookie.expires > seconds,
      )
    },
    parse: (text, site) => parseCookies(text, site),
    write(site, cookies) {
      if (!SITE.test(site)) throw invalid(site, 'its name is not that of a site')
      writeWhole(join(folder, `${site}.json`), `${JSON.stringify({ cookies }, null, 1)}\n`)
    },
    drop(site) {
      if (!SITE.test(site)) return false
      const file = join(folder, `${site}.json`)
      const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined
      rmSync(file, { force: true })
      return isThere
    },
  }
}

const invalid = (site: string, reason: string): Failure =>
  new Failure('config_invalid', { key: `cookies/${site}.json`, reason })

function readIfThere(file: string, site: string): { content: string; openToOthers: boolean } | null {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw invalid(site, 'it is not a file')
    if (stat.size > MAX_BYTES) throw invalid(site, `it is larger than ${MAX_BYTES} bytes`)
    const openToOthers = process.platform !== 'win32' && (stat.mode & OPEN_TO_OTHERS) !== 0
    return { content: readFileSync(file, 'utf8'), openToOthers }
  } catch (error) {
    if (Failure.is(error)) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw invalid(site, error instanceof Error ? error.message : String(error))
  }
}

function parseCookies(content: string, site: string): Cookie[] {
  const text = content.replace(/^\uFEFF/, '')
  if (isNetscape(text)) return parseNetscape(text, reason => invalid(site, reason))
  const json = parseJson(text, site)
  const list = isRecord(json) ? json.cookies : json
  if (!Array.isArray(list)) throw invalid(site, 'it holds no list of cookies')
  const parsed = z.array(StoredCookie).safeParse(list)
  if (parsed.success) return parsed.data.map(toCookie)
  const [issue] = parsed.error.issues
  throw invalid(site, `${issue?.message ?? 'it does not fit'} at ${issue?.path.join('.') ?? ''}`)
}

function parseJson(text: string, site: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(
      site,
      `it is neither JSON nor a cookies.txt (${error instanceof Error ? error.message : error})`,
    )
  }
}

/** Ours and the ways in which exporters spell the same. */
const StoredCookie = z.object({
  /** A cookie may have none. */
  name: z.string(),
  value: z.string(),
  domain: z.string().min(1),
  path: z.string().default('/'),
  secure: z.boolean().default(false),
  http_only: z.boolean().optional(),
  httpOnly: z.boolean().optional(),
  same_site: z.string().nullish(),
  sameSite: z.string().nullish(),
  expires: z.number().nullish(),
  expirationDate: z.number().nullish(),
  session: z.boolean().nullish(),
  partition: z.string().nullish(),
  partitionKey: z.union([z.string(), z.object({ topLevelSite: z.string().optional() })]).nullish(),
})

function toCookie(stored: z.infer<typeof StoredCookie>): Cookie {
  const { partitionKey: key } = stored
  const partition = stored.partition ?? (typeof key === 'string' ? key : key?.topLevelSite)
  const expires = stored.session === true ? null : (stored.expires ?? stored.expirationDate ?? null)
  return {
    name: stored.name,
    value: stored.value,
    domain: stored.domain,
    path: stored.path,
    secure: stored.secure,
    http_only: stored.http_only ?? stored.httpOnly ?? false,
    same_site: (stored.same_site ?? stored.sameSite ?? 'unspecified').toLowerCase(),
    // Some exporters write -1 or 0 for a session cookie.
    expires: expires !== null && expires > 0 ? expires : null,
    ...(partition ? { partition } : {}),
  }
}
