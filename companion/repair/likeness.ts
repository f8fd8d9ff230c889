import { distance } from 'fastest-levenshtein'

export type Kind = 'boolean' | 'number' | 'string' | 'array' | 'object'

/** Null for what is not there. */
export function kindOf(value: unknown): Kind | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object'
}

export const isThere = (value: unknown): boolean => value !== null && value !== undefined

/** The kind that most of the values have; null when none is there. */
export function mainKind(values: readonly unknown[]): Kind | null {
  const counts = new Map<Kind, number>()
  for (const value of values) {
    const kind = kindOf(value)
    if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null
}

/** How many of the values are there, 0 to 1. */
export const fill = (values: readonly unknown[]): number =>
  values.length === 0 ? 0 : values.filter(isThere).length / values.length

export interface Likeness {
  /** Share of the known values that the live ones hold too, 0 to 1. */
  overlap: number
  /** Whether the live values are written as the known ones are: addresses, dates, counts, words. 0 to 1. */
  form: number
  /** Whether equal values mean anything: a column of zeros is like every other. */
  isTelling: boolean
}

/** Compares two columns; rows of the same place belong together only when there are as many. */
export function likenessOf(known: readonly unknown[], live: readonly unknown[]): Likeness {
  const a = known.filter(isThere)
  const b = live.filter(isThere)
  if (a.length === 0 || b.length === 0) return { overlap: 0, form: 0, isTelling: false }
  const found = a.filter(value => b.some(other => isEqual(value, other))).length / a.length
  return { overlap: found, form: formLikeness(a, b), isTelling: isTelling(a) }
}

const isEqual = (a: unknown, b: unknown): boolean => {
  if (typeof a === 'number' && typeof b === 'number')
    return a === b || Math.abs(a - b) <= 0.02 * Math.max(Math.abs(a), Math.abs(b))
  return textOf(a) === textOf(b)
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : (JSON.stringify(value) ?? '')

/** Two values that differ, or one that nobody has by chance. */
function isTelling(values: readonly unknown[]): boolean {
  const texts = new Set(values.map(textOf))
  // A sign of Chinese says as much as some letters.
  const longest = Math.max(...[...texts].map(text => new TextEncoder().encode(text).length))
  return (texts.size > 1 && longest >= 2) || longest >= 5
}

function formLikeness(a: readonly unknown[], b: readonly unknown[]): number {
  const [x, y] = [shares(a.map(formOf)), shares(b.map(formOf))]
  const common = [...x].reduce((sum, [form, share]) => sum + Math.min(share, y.get(form) ?? 0), 0)
  return common * sizeLikeness(median(a.map(sizeOf)), median(b.map(sizeOf)))
}

function shares(forms: readonly string[]): Map<string, number> {
  const out = new Map<string, number>()
  for (const form of forms) out.set(form, (out.get(form) ?? 0) + 1 / forms.length)
  return out
}

/** Values of one form differ in size; by a factor of ten or more they are hardly the same thing. */
const sizeLikeness = (a: number, b: number): number => {
  const ratio = (Math.min(a, b) + 1) / (Math.max(a, b) + 1)
  return ratio >= 0.1 ? 1 : 0.5
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

function sizeOf(value: unknown): number {
  if (typeof value === 'number') return Math.abs(value)
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

const TEXT_FORMS: readonly (readonly [string, RegExp])[] = [
  ['address', /^https?:\/\//i],
  ['mail', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['time', /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$|^(?:mon|tue|wed|thu|fri|sat|sun), \d/i],
  ['number', /^-?\d[\d,. ]*$/],
  ['version', /^v?\d+\.\d+(?:\.\d+)?(?:[-+].*)?$/],
  ['code', /^(?=.*\d)[0-9a-f-]{12,}$/i],
  ['markup', /<[a-z][^>]*>/i],
  ['word', /^\S+$/],
]

function formOf(value: unknown): string {
  const kind = kindOf(value)
  if (typeof value === 'number') return Number.isInteger(value) ? 'whole number' : 'number'
  if (typeof value !== 'string') return kind ?? 'nothing'
  return TEXT_FORMS.find(([, pattern]) => pattern.test(value.trim()))?.[0] ?? 'words'
}

/** Names that sites give to the same thing. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['title', 'headline', 'heading', 'caption', 'label'],
  ['url', 'link', 'href', 'uri', 'permalink', 'weburl', 'htmlurl'],
  ['author', 'by', 'user', 'username', 'creator', 'writer', 'byline', 'login'],
  ['score', 'points', 'votes', 'likes', 'upvotes'],
  ['created', 'createdat', 'creationdate', 'createdon'],
  ['published', 'publishedat', 'pubdate', 'publicationdate', 'date'],
  ['updated', 'updatedat', 'modified', 'modifiedat', 'lastmodified', 'timestamp'],
  ['comments', 'commentcount', 'numcomments', 'commentscount', 'descendants', 'replies', 'replycount'],
  ['description', 'summary', 'abstract', 'excerpt'],
  ['text', 'body', 'content', 'extract'],
]

const isSynonym = (a: string, b: string): boolean =>
  SYNONYMS.some(group => group.includes(a) && group.includes(b))

/** How alike two names are, 0 to 1: `created_at` and `createdAt` are the same, `title` and `headline` are not. */
export function nameLikeness(a: string, b: string): number {
  const [x, y] = [wordsOf(a), wordsOf(b)]
  if (x.join('') === y.join('')) return 1
  if (isSynonym(x.join(''), y.join(''))) return 0.8
  const common = x.filter(word => y.includes(word)).length
  const byWord = (2 * common) / (x.length + y.length)
  const [p, q] = [x.join(''), y.join('')]
  const byLetter = 1 - distance(p, q) / Math.max(p.length, q.length, 1)
  return Math.max(byWord * 0.9, byLetter)
}

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
