/** The host that an address names, in the one form in which hosts are compared: no brackets, no dot at its end. */
export const hostOf = (url: string | URL): string =>
  new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
