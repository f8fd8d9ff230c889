import type { Cookie } from '../../shared/values.ts'

export const COOKIE_FORMATS = ['playwright', 'netscape'] as const
export type CookieFormat = (typeof COOKIE_FORMATS)[number]

/** Cookies as another program reads them. */
export const writeCookies = (cookies: readonly Cookie[], format: CookieFormat): string =>
  format === 'netscape' ? netscape(cookies) : storageStateText(cookies, [])

const SAME_SITE: Readonly<Record<string, string>> = { strict: 'Strict', lax: 'Lax' }

/** Playwright's storage state. */
export function storageStateText(
  cookies: readonly Cookie[],
  storage: readonly { origin: string; local: Readonly<Record<string, string>> }[],
): string {
  const written = cookies.map(({ expires, http_only, secure, same_site, partition, ...rest }) => ({
    ...rest,
    secure,
    expires: expires ?? -1,
    httpOnly: http_only,
    sameSite: SAME_SITE[same_site] ?? (secure ? 'None' : 'Lax'),
    ...(partition === undefined ? {} : { partitionKey: partition }),
  }))
  const origins = storage.map(({ origin, local }) => ({
    origin,
    localStorage: Object.entries(local).map(([name, value]) => ({ name, value })),
  }))
  return `${JSON.stringify({ cookies: written, origins }, null, 2)}\n`
}

/** A cookies.txt, as curl and yt-dlp read it. */
function netscape(cookies: readonly Cookie[]): string {
  const flag = (value: boolean): string => (value ? 'TRUE' : 'FALSE')
  const rows = cookies.map(({ name, value, domain, path, secure, expires, http_only }) =>
    [
      `${http_only ? '#HttpOnly_' : ''}${domain}`,
      flag(domain.startsWith('.')),
      path,
      flag(secure),
      Math.floor(expires ?? 0),
      name,
      value,
    ].join('\t'),
  )
  return `# Netscape HTTP Cookie File\n${rows.map(row => `${row}\n`).join('')}`
}
