import { Failure } from '../../shared/failures.ts'
import type { HttpRequest } from '../ports/http.ts'
import type { Run } from './run-state.ts'

/** More requests than a run of one operation makes; later ones are counted by its steps alone. */
const MAX_REQUESTS = 500

interface Answer {
  status: number
  headers: Record<string, string>
  bytes?: Uint8Array
}

/** Asks, and notes for the ledger what was asked and how it was answered: neither bodies nor headers. */
export async function noted<A extends Answer>(
  run: Run,
  request: HttpRequest,
  ask: () => Promise<A>,
): Promise<A> {
  const started_at = Date.now()
  const note = (answer: Answer | null, code: string | null) => {
    if (run.requests.length >= MAX_REQUESTS) return
    run.requests.push({
      method: request.method,
      url: request.url,
      status: answer?.status ?? null,
      media_type: answer?.headers['content-type']?.split(';', 1)[0]?.trim() ?? null,
      request_bytes: sizeOf(request.body),
      response_bytes: answer?.bytes?.byteLength ?? null,
      started_at,
      duration_ms: Date.now() - started_at,
      code,
    })
  }
  try {
    const answer = await ask()
    note(answer, null)
    return answer
  } catch (error) {
    note(null, Failure.from(error).code)
    throw error
  }
}

function sizeOf(body: HttpRequest['body']): number {
  if (body === null) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}
