import { Failure } from '../../shared/failures.ts'
import { isWithinDomain } from '../../shared/host.ts'
import type { Cookie } from '../../shared/values.ts'
import type { BuiltinCall } from '../kernel/operation.ts'
import { type CookieFormat, writeCookies } from './cookie-formats.ts'
import { type AuthParts, isLinked } from './parts.ts'
import { findSite, type Site } from './sites.ts'

const MAX_BYTES = 1024 * 1024

/** Keeps the cookies of a site, and only those, out of a file or text that a person exported. */
export async function importCookies(
  args: { site: string; file?: string | undefined; cookies?: string | undefined },
  parts: AuthParts,
  call: BuiltinCall,
) {
  const site = findSite(parts, args.site)
  const text = args.cookies ?? (await contentOf(args.file, call))
  const all = parts.cookies.parse(text, site.name)
  const own = all.filter(cookie => belongs(cookie, site))
  const now = Date.now() / 1000
  const live = own.filter(({ expires }) => expires === null || expires > now)
  if (live.length === 0)
    throw new Failure('not_found', {
      what: `A cookie for ${site.name} that has not expired`,
      hint: `Of the ${all.length} cookies there, ${own.length} are of ${site.origins.join(', ')}.`,
    })
  parts.cookies.write(site.name, live)
  return {
    site: site.name,
    kept: live.length,
    expired: own.length - live.length,
    of_other_sites: all.length - own.length,
    note: 'They are used while no browser is linked: a linked one has its own.',
  }
}

/** Writes the cookies that the browser has for a site, or those imported, to a new file for its owner alone. */
export async function exportCookies(
  args: { site: string; file: string; as: CookieFormat },
  parts: AuthParts,
  call: BuiltinCall,
) {
  const site = findSite(parts, args.site)
  await parts.browser.settled(call)
  const cookies = await cookiesOf(site, parts, call)
  if (cookies.length === 0)
    throw new Failure('not_found', {
      what: `A cookie for ${site.name}`,
      hint: `Log in first: unicli auth login ${site.name}`,
    })
  const content = Buffer.from(writeCookies(cookies, args.as))
  const { path } = await call.files().write(args.file, content, 'create_private')
  return { site: site.name, file: path, format: args.as, cookies: cookies.length }
}

async function contentOf(file: string | undefined, call: BuiltinCall): Promise<string> {
  if (file === undefined)
    throw new Failure('usage', {
      problem: 'Neither a file nor cookies are given.',
      hint: 'Name a file in a granted folder, or hand the text over: --cookies - < cookies.txt',
    })
  return Buffer.from(await call.files().read(file, MAX_BYTES)).toString('utf8')
}

async function cookiesOf(site: Site, parts: AuthParts, call: BuiltinCall): Promise<Cookie[]> {
  if (!isLinked(parts)) return parts.cookies.read(site.name) ?? []
  const session = call.browser()
  const found = new Map<string, Cookie>()
  for (const url of new Set([site.base, ...site.origins].filter(address => address !== '')))
    for (const cookie of await session.call('cookies.get', { url, any_path: true }, call))
      found.set(`${cookie.domain} ${cookie.path} ${cookie.name}`, cookie)
  return [...found.values()]
}

/** As browsers decide whether a cookie goes along. */
const belongs = (cookie: Cookie, site: Site): boolean =>
  site.origins.some(origin => isWithinDomain(new URL(origin).hostname, cookie.domain))
