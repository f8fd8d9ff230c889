import { isWithinDomain } from './host.ts'

interface CookieScope {
  /** With a dot before it where its subdomains are meant as well. */
  domain: string
  path: string
  secure: boolean
}

/** Whether a browser sends such a cookie to an address: RFC 6265, 5.1.3 and 5.1.4; this machine counts as secure. */
export function isSentTo(
  { domain, path, secure }: CookieScope,
  { protocol, hostname, pathname }: URL,
): boolean {
  if (secure && !/^(https|wss):$/.test(protocol) && !/^(localhost|127\.|\[::1\])/.test(hostname)) return false
  const fits = domain.startsWith('.') ? isWithinDomain(hostname, domain) : hostname === domain
  return fits && (pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
}
