import { type Browser, browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import { isWithinDomain } from '../../shared/host.ts'
import type { Cookie } from '../../shared/values.ts'
import type { WireHandlers, WireParams } from '../../shared/wire.ts'

type BrowserCookie = Browser.cookies.Cookie
type Asked = { url: string } | { domain: string }

export const cookieHandlers = (): Pick<WireHandlers, 'cookies.get'> => ({
  'cookies.get': async ({ url, any_path }) =>
    (await (any_path === true ? ofHost(url) : allOf({ url }))).map(toCookie),
})

export const changeCookies = (): Pick<WireHandlers, 'cookies.set' | 'cookies.delete'> => ({
  'cookies.set': async ({ url, cookie }) => toCookie(await put(url, cookie)),
  'cookies.delete': async ({ url, names }) => {
    const wanted = (await allOf({ url })).filter(({ name }) => names?.includes(name) ?? true)
    for (const cookie of wanted) await remove(url, cookie)
    const left = new Set((await allOf({ url })).map(keyOf))
    return { deleted: wanted.filter(cookie => !left.has(keyOf(cookie))).map(({ name }) => name) }
  },
})

/** Partitioned cookies come with the others, once each: the same name, domain and path in two partitions is two. */
async function allOf(asked: Asked): Promise<BrowserCookie[]> {
  return onceEach([...(await browser.cookies.getAll(asked)), ...(await partitioned(asked))])
}

/** Those of its host and of the domains above it, whatever their path. */
async function ofHost(url: string): Promise<BrowserCookie[]> {
  const { hostname, protocol } = new URL(url)
  const labels = hostname.split('.')
  const above = /^[\d.]+$|^\[/.test(hostname)
    ? []
    : labels.slice(1, -1).map((_, at) => labels.slice(at + 1).join('.'))
  const found = await Promise.all([hostname, ...above].map(domain => allOf({ domain })))
  // Asked for a domain the browser tells of what lies below it too.
  const isOfHost = ({ domain, hostOnly, secure }: BrowserCookie) =>
    (hostOnly ? domain === hostname : isWithinDomain(hostname, domain)) && (!secure || protocol === 'https:')
  return onceEach([...(await allOf({ url })), ...found.flat().filter(isOfHost)])
}

const onceEach = (cookies: readonly BrowserCookie[]): BrowserCookie[] => [
  ...new Map(cookies.map(cookie => [keyOf(cookie), cookie])).values(),
]

async function partitioned(asked: Asked): Promise<BrowserCookie[]> {
  try {
    return await browser.cookies.getAll({ ...asked, partitionKey: {} })
  } catch (error) {
    console.debug('this browser has no partitioned cookies', error)
    return []
  }
}

async function put(url: string, cookie: WireParams<'cookies.set'>['cookie']): Promise<BrowserCookie> {
  const { name, value, domain, path, secure, http_only, same_site, expires, partition } = cookie
  const sameSite = SAME_SITES.find(known => known === same_site) ?? 'unspecified'
  const details = {
    // Below its own path, where the browser looks for it again to tell that it took it.
    ...{ url: new URL(path, url).href, name, value, path, secure, sameSite, httpOnly: http_only },
    ...(domain === undefined ? {} : { domain }),
    ...(expires === null ? {} : { expirationDate: expires }),
    ...(partition === undefined ? {} : { partitionKey: { topLevelSite: partition } }),
  }
  try {
    const set = await browser.cookies.set(details)
    if (set) return set
    throw new Failure('bad_request', { reason: `the browser did not take the cookie ${name}` })
  } catch (error) {
    if (Failure.is(error)) throw error
    // Such as a domain that the address does not belong to. Firefox repeats the whole cookie, with its value.
    const reason = (error instanceof Error ? error.message : String(error)).split('{', 1)[0]?.trim()
    throw new Failure('bad_request', { reason: `the cookie ${name}: ${reason}` })
  }
}

const SAME_SITES = ['no_restriction', 'lax', 'strict', 'unspecified'] as const

/** By the cookie's own path: the address that it was found by may lie below it. */
async function remove(url: string, { name, path, partitionKey, secure }: BrowserCookie): Promise<void> {
  const { hostname, port } = new URL(url)
  const own = `${secure ? 'https' : new URL(url).protocol.slice(0, -1)}://${hostname}${port === '' ? '' : `:${port}`}${path}`
  await browser.cookies.remove({ url: own, name, ...(partitionKey ? { partitionKey } : {}) })
}

const keyOf = ({ name, domain, path, partitionKey }: BrowserCookie): string =>
  JSON.stringify([name, domain, path, partitionKey ?? null])

const toCookie = (cookie: BrowserCookie): Cookie => ({
  name: cookie.name,
  value: cookie.value,
  domain: cookie.domain,
  path: cookie.path,
  secure: cookie.secure,
  http_only: cookie.httpOnly,
  same_site: cookie.sameSite,
  expires: cookie.expirationDate ?? null,
  ...(cookie.partitionKey?.topLevelSite === undefined ? {} : { partition: cookie.partitionKey.topLevelSite }),
})
