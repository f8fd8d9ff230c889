import type { Strategy } from '../../../shared/envelope.ts'
import { Failure } from '../../../shared/failures.ts'
import type { TokenPort } from '../../ports/auth.ts'
import type { HttpFactory, SiteContext } from '../../ports/http.ts'
import type { HttpCachePort } from '../../ports/http-cache.ts'
import type { CookieFilePort } from '../../ports/state.ts'
import { addressesFor } from './addresses.ts'
import { cachedHttp } from './cached.ts'
import type { HopCheck, HttpClient } from './client.ts'
import { browserHttp, fileHttp } from './cookied.ts'
import { BearerCache, tokenHttp } from './csrf.ts'
import { plainHttp } from './plain.ts'
import { serviceHttp } from './service.ts'

/** The clients of the five strategies: `public` asks as nobody, all others as the person, `header` with the token. */
export function createHttpFactory(options: {
  cookies: CookieFilePort
  cache: HttpCachePort
  tokens: TokenPort
  agent: string
}): HttpFactory {
  const bearers = new BearerCache()
  const clientOf = (strategy: Strategy, site: SiteContext): HttpClient => {
    const plain = plainHttp(hopCheck(site), addressesFor(site), options.agent)
    if (strategy === 'public') return plain
    if (strategy === 'header' && site.service !== undefined)
      return serviceHttp(plain, site.service, site, options.tokens)
    const cookied = cookiedHttp(site, plain, options.cookies)
    return strategy === 'header' ? tokenHttp(cookied, site, bearers) : cookied
  }
  return {
    open: (strategy, site) =>
      cachedHttp(clientOf(strategy, site), options.cache, `${site.site} ${site.base} ${strategy}`),
  }
}

/** The live browser first; a cookie file stands in where no browser is linked. */
function cookiedHttp(site: SiteContext, plain: HttpClient, cookies: CookieFilePort): HttpClient {
  const stored = site.browserLinked() ? null : cookies.read(site.site)
  return stored === null ? browserHttp(site, plain, hopCheck(site)) : fileHttp(plain, stored)
}

/** A redirect can name any protocol. */
const hopCheck =
  (site: SiteContext): HopCheck =>
  async (url, method) => {
    const { protocol } = new URL(url)
    if (!/^(http|ws)s?:$/.test(protocol))
      throw new Failure('origin_not_allowed', { origin: protocol, allowed: ['http:', 'https:'] })
    site.checkOrigin(url)
    await site.access({ kind: 'network', url, method })
  }
