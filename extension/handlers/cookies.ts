import { type Browser, browser } from 'wxt/browser'
import type { Cookie } from '../../shared/values.ts'
import type { WireHandlers } from '../../shared/wire.ts'

type BrowserCookie = Browser.cookies.Cookie

/** Partitioned cookies come with the others, once each: the same name, domain and path in two partitions is two. */
export const cookieHandlers = (): Pick<WireHandlers, 'cookies.get'> => ({
  'cookies.get': async ({ url }) => {
    const all = [...(await browser.cookies.getAll({ url })), ...(await partitioned(url))]
    return [...new Map(all.map(cookie => [keyOf(cookie), cookie])).values()].map(toCookie)
  },
})

async function partitioned(url: string): Promise<BrowserCookie[]> {
  try {
    return await browser.cookies.getAll({ url, partitionKey: {} })
  } catch (error) {
    console.debug('this browser has no partitioned cookies', error)
    return []
  }
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
})
