import type { Evidence } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { parsedJson } from '../../shared/json.ts'
import type { HttpResponse } from '../ports/http.ts'
import type { EvidencePort } from '../ports/state.ts'

/** What a site answered to a run lately: to tell why it failed, and whether nothing was there. */
export interface SeenAnswer {
  url: string
  status: number
  media_type: string | null
  /** Its beginning. */
  text: string
}

/** An answer about nothing is short; of a long one the beginning tells what it is. */
const MAX_CHARS = 16_000
const MAX_ANSWERS = 4
const EXCERPT_CHARS = 2000

export function seeAnswer(seen: SeenAnswer[], { url, status, headers, text }: HttpResponse): void {
  const media_type = headers['content-type']?.split(';', 1)[0]?.trim() ?? null
  seen.push({ url, status, media_type, text: text.slice(0, MAX_CHARS) })
  if (seen.length > MAX_ANSWERS) seen.shift()
}

/** Names under which sites count what they found. */
const COUNTS =
  /^(?:total|total_?(?:count|hits|results|items|records|rows)|count|num_?found|nb_?hits|hits|result_?count|results_?count)$/i

/** Whether an answer itself says that it found nothing: its own count is 0. */
export const provesEmpty = (seen: readonly SeenAnswer[]): boolean =>
  seen.some(({ text }) => text.trimStart().startsWith('{') && hasZeroCount(parsedJson(text, null), 0))

/** Counts of the whole answer: those inside of rows count something else. */
function hasZeroCount(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 3) return false
  return Object.entries(value).some(
    ([key, inner]) => (inner === 0 && COUNTS.test(key)) || hasZeroCount(inner, depth + 1),
  )
}

/** Keeps the answer that a failure came from, secrets taken out; null when there is none, or no place for it. */
export function keepAnswer(seen: readonly SeenAnswer[], evidence: EvidencePort): Evidence | null {
  const last = seen.at(-1)
  if (last === undefined) return null
  try {
    const kept = evidence.keep({ ...last, text: last.text.slice(0, EXCERPT_CHARS) })
    return { kind: 'http', media_type: 'application/json', ...kept }
  } catch (error) {
    // Evidence is a help: without room for it the failure is told all the same.
    if (Failure.is(error, 'state_unavailable')) return null
    throw error
  }
}
