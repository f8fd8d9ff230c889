/** The host that an address names, in the one form in which hosts are compared: no brackets, no dot at its end. */
export const hostOf = (url: string | URL): string =>
  new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Whether a host is a domain or lies below it; a leading dot of the domain, as cookies have it, means the same. */
export function isWithinDomain(host: string, domain: string): boolean {
  const bare = domain.replace(/^\./, '')
  return host === bare || host.endsWith(`.${bare}`)
}
