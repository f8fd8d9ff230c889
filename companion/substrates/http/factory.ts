import { Failure } from '../../../shared/failures.ts'
import type { HttpFactory, HttpPort, OriginCheck, SiteContext } from '../../ports/http.ts'
import type { CookieFilePort } from '../../ports/state.ts'
import { browserHttp, fileHttp } from './cookied.ts'
import { BearerCache, tokenHttp } from './csrf.ts'
import { plainHttp } from './plain.ts'

/** The clients of the five strategies: `public` asks as nobody, all others as the person, `header` with the token. */
export function createHttpFactory(options: { cookies: CookieFilePort; agent: string }): HttpFactory {
  const bearers = new BearerCache()
  return {
    open(strategy, site) {
      const plain = plainHttp(hopCheck(site), options.agent)
      if (strategy === 'public') return plain
      const cookied = cookiedHttp(site, plain, options.cookies)
      return strategy === 'header' ? tokenHttp(cookied, site, bearers) : cookied
    },
  }
}

/** The live browser first; a cookie file stands in where no browser is linked. */
function cookiedHttp(site: SiteContext, plain: HttpPort, cookies: CookieFilePort): HttpPort {
  if (site.browserLinked()) return browserHttp(site)
  const stored = cookies.read(site.site)
  return stored === null ? browserHttp(site) : fileHttp(plain, stored)
}

/** A redirect can name any protocol. */
const hopCheck =
  (site: SiteContext): OriginCheck =>
  url => {
    const { protocol } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new Failure('origin_not_allowed', { origin: protocol, allowed: ['http:', 'https:'] })
    site.checkOrigin(url)
  }
