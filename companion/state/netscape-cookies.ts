import type { Cookie } from '../../shared/values.ts'

const HTTP_ONLY = '#HttpOnly_'
const FIELDS = 7

/** Whether a text looks like a cookies.txt: its well-known first line, or a first row of seven tabbed fields. */
export function isNetscape(text: string): boolean {
  if (/^#\s*(netscape\s+)?(http\s+)?cookie file/i.test(text)) return true
  const [first] = rows(text)
  return first !== undefined && first.row.split('\t').length === FIELDS
}

/** Cookies of a Netscape cookies.txt. A row that is none is refused with its line by the failure that `fault` makes. */
export function parseNetscape(text: string, fault: (reason: string) => Error): Cookie[] {
  return rows(text).map(({ row, line }) => {
    const httpOnly = row.startsWith(HTTP_ONLY)
    const [domain, subdomains, path, secure, expires, name, value] = row
      .slice(httpOnly ? HTTP_ONLY.length : 0)
      .split('\t')
    const until = Number(expires)
    if (!domain || !path || !name || value === undefined || Number.isNaN(until))
      throw fault(`line ${line} is not seven fields with tabs between them`)
    return {
      name,
      value,
      // Some exporters say by the second field alone that subdomains get it too.
      domain: subdomains === 'TRUE' && !domain.startsWith('.') ? `.${domain}` : domain,
      path,
      secure: secure === 'TRUE',
      http_only: httpOnly,
      same_site: 'unspecified',
      expires: until > 0 ? until : null,
    }
  })
}

function rows(text: string): { row: string; line: number }[] {
  return text
    .split(/\r?\n/)
    .map((row, index) => ({ row, line: index + 1 }))
    .filter(({ row }) => row.trim() !== '' && (!row.startsWith('#') || row.startsWith(HTTP_ONLY)))
}
