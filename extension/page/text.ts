/** Hyphens and breaks that are shown only where a line ends there, and marks that are never shown. */
export const UNSEEN = /[\u00ad\u200b\u2060\ufeff]+/g

/** White space as a reader sees it: runs are one space, none at the ends. */
export const tidy = (text: string): string => text.replace(UNSEEN, '').replace(/\s+/g, ' ').trim()

/** Like `tidy`, but spaces that do not break stay as they are, as accname wants of names. */
export const collapsed = (text: string): string =>
  text
    .replace(UNSEEN, '')
    .replace(/[ \t\n\f\r]+/g, ' ')
    .replace(/^ | $/g, '')

/** Cuts at a number of characters, never within a surrogate pair, and says how much is missing. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const at = isLeadingSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit
  return `${text.slice(0, at)}… (+${text.length - at} characters)`
}

/** For places where only a hint is wanted: no count. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const at = isLeadingSurrogate(text.charCodeAt(limit - 2)) ? limit - 2 : limit - 1
  return `${text.slice(0, at)}…`
}

const isLeadingSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Icon fonts put their pictures into the private use area; they say nothing. */
export const withoutIcons = (text: string): string =>
  text.replace(/[\ue000-\uf8ff]|[\u{f0000}-\u{10fffd}]/gu, '')

/** A page's own text must not pass for a ref. */
export const withoutRefs = (text: string): string =>
  text.includes('[d') ? text.replace(/\[(d\d+e\d+)\]/g, '($1)') : text

export const quote = (text: string): string => `"${text.replaceAll('"', "'")}"`

/** How far apart two texts are, 0 (equal) to 1, ignoring case. */
export function distance(left: string, right: string): number {
  const a = left.toLowerCase()
  const b = right.toLowerCase()
  if (a === b) return 0
  const longest = Math.max(a.length, b.length)
  if (longest === 0) return 0
  if (a.includes(b) || b.includes(a)) return 0.3 * (1 - Math.min(a.length, b.length) / longest)
  return edits(a, b) / longest
}

/** Levenshtein distance. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
