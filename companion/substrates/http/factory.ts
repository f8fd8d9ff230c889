import { Failure } from '../../../shared/failures.ts'
import type { HttpClient, HttpFactory, SiteContext } from '../../ports/http.ts'
import type { CookieFilePort } from '../../ports/state.ts'
import { addressesFor } from './addresses.ts'
import { browserHttp, fileHttp } from './cookied.ts'
import { BearerCache, tokenHttp } from './csrf.ts'
import { type HopCheck, plainHttp } from './plain.ts'

/** The clients of the five strategies: `public` asks as nobody, all others as the person, `header` with the token. */
export function createHttpFactory(options: { cookies: CookieFilePort; agent: string }): HttpFactory {
  const bearers = new BearerCache()
  return {
    open(strategy, site) {
      const plain = plainHttp(hopCheck(site), addressesFor(site), options.agent)
      if (strategy === 'public') return plain
      const cookied = cookiedHttp(site, plain, options.cookies)
      return strategy === 'header' ? tokenHttp(cookied, site, bearers) : cookied
    },
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
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new Failure('origin_not_allowed', { origin: protocol, allowed: ['http:', 'https:'] })
    site.checkOrigin(url)
    await site.access({ kind: 'network', url, method })
  }
