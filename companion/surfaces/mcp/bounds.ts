import type { Envelope } from '../../../shared/envelope.ts'

/**
 * An envelope whose JSON is no longer than `limit` characters, as far as data and details can give way. What is cut
 * is marked where it was, and told in `meta.truncated`; it is one value, for text and structured content alike.
 */
export function bounded(envelope: Envelope, limit: number): Envelope {
  const size = sizeOf(envelope)
  if (size <= limit) return envelope
  const part = envelope.ok ? envelope.data : envelope.error.details
  const { value, left } = squeeze(part, Math.max(MIN_PART, limit - (size - sizeOf(part)) - NOTE))
  const before = envelope.meta.truncated
  const truncated = before === undefined ? noteOf(left) : `${before} ${noteOf(left)}`
  const meta = { ...envelope.meta, truncated }
  if (envelope.ok) return { ...envelope, meta, data: value }
  // What a record is cut to is a record.
  const details = value as Record<string, unknown>
  return { ...envelope, meta, error: { ...envelope.error, details } }
}

/** What had to go. */
interface Left {
  characters: number
  items: number
  keys: number
}

/** Room for the note itself, the least that data is given, and what is too little to be worth cutting into. */
const NOTE = 200
const MIN_PART = 1000
const CRUMB = 80
/** An item of a list may always be this long, so that a long list ends early in place of becoming all crumbs. */
const ITEM = 2000

/** Shares add up to a little more than the whole now and then, by commas and escapes: then all get less. */
function squeeze(value: unknown, budget: number): { value: unknown; left: Left } {
  for (let share = budget; ; share = Math.floor(share * 0.8)) {
    const left: Left = { characters: 0, items: 0, keys: 0 }
    const cut = shorten(value, share, left)
    if (sizeOf(cut) <= budget || share < CRUMB) return { value: cut, left }
  }
}

function shorten(value: unknown, budget: number, left: Left): unknown {
  if (sizeOf(value) <= budget) return value
  if (typeof value === 'string') return shortenText(value, budget, left)
  if (Array.isArray(value)) return shortenList(value, budget, left)
  return isRecord(value) ? shortenRecord(value, budget, left) : value
}

function shortenText(text: string, budget: number, left: Left): string {
  let keep = Math.min(text.length, Math.max(0, budget - CRUMB))
  while (keep > 0 && sizeOf(text.slice(0, keep)) > budget - CRUMB) keep = Math.floor(keep * 0.9)
  // Never half a character: the other half of a pair would be left alone.
  if (/[\ud800-\udbff]/.test(text[keep - 1] ?? '')) keep -= 1
  const gone = text.length - keep
  left.characters += gone
  return `${text.slice(0, keep)}… [cut: ${gone} more characters]`
}

function shortenList(items: readonly unknown[], budget: number, left: Left): unknown[] {
  const kept: unknown[] = []
  let room = budget
  for (const item of items) {
    const fair = Math.floor(room / (items.length - kept.length))
    const allowance = Math.max(fair, Math.min(room, ITEM))
    if (allowance < Math.min(CRUMB * 2, sizeOf(item))) break
    const short = shorten(item, allowance, left)
    kept.push(short)
    room -= sizeOf(short) + 1
  }
  left.items += items.length - kept.length
  return kept
}

/** Small values stay whole; the large ones share what they leave. */
function shortenRecord(record: Record<string, unknown>, budget: number, left: Left): Record<string, unknown> {
  const bySize = Object.entries(record)
    .map(([key, value]) => ({ key, value, size: sizeOf(value) }))
    .toSorted((a, b) => a.size - b.size)
  const kept = new Map<string, unknown>()
  let room = budget
  for (const [index, { key, value, size }] of bySize.entries()) {
    const fair = Math.floor(room / (bySize.length - index)) - key.length - 4
    if (fair < Math.min(CRUMB * 2, size)) continue
    const short = shorten(value, fair, left)
    kept.set(key, short)
    room -= sizeOf(short) + key.length + 4
  }
  left.keys += bySize.length - kept.size
  return Object.fromEntries(Object.keys(record).flatMap(key => (kept.has(key) ? [[key, kept.get(key)]] : [])))
}

function noteOf(left: Left): string {
  const parts = [
    left.items > 0 ? `${left.items} items` : null,
    left.keys > 0 ? `${left.keys} keys` : null,
    left.characters > 0 ? `${left.characters} characters` : null,
  ].filter(part => part !== null)
  return `Left out: ${parts.join(', ')}. Ask for less at a time to see all of it.`
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
