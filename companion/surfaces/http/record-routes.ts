import type { Hono } from 'hono'
import { z } from 'zod'
import { Failure } from '../../../shared/failures.ts'
import { Lasting } from '../../../shared/policy.ts'
import { RunBrief } from '../../../shared/status.ts'
import type { Kernel } from '../../kernel/operation.ts'
import type { LedgerPort } from '../../ports/state.ts'
import { json } from './answer.ts'
import { readBody, readQuery } from './request.ts'

/** Blobs that runs left behind, by the id in an envelope's `evidence`. */
export interface EvidenceSource {
  /** Null when there is none of that id, or none any more. */
  read(id: string): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer> } | null>
}

export const RunsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(50),
  operation: z.string().max(200).optional(),
  state: RunBrief.shape.state.optional(),
})

export const ApprovalBody = z.strictObject({
  allow: z.boolean(),
  lasts: Lasting.default('once'),
  reply: z.string().max(2000).optional().describe('the answer, where a question waits'),
})

const ID = ':id{[A-Za-z0-9_-]{1,128}}'

/** Types that are shown as they are. Anything else, HTML above all, is only ever downloaded. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/json', 'text/plain'])

/** Runs, and the evidence that they left. */
export function addRunRoutes(
  app: Hono,
  ledger: Pick<LedgerPort, 'list' | 'get'>,
  evidence: EvidenceSource | undefined,
): void {
  app.get('/v1/runs', c => json({ runs: ledger.list(readQuery(c, RunsQuery)) }))

  app.get(`/v1/runs/${ID}`, c => {
    const id = c.req.param('id')
    const run = ledger.get(id)
    if (run === null) throw missing(`The run ${id}`, 'GET /v1/runs lists the runs that are kept.')
    return json(run)
  })

  app.get(`/v1/evidence/${ID}`, async c => {
    const id = c.req.param('id')
    const found = await (evidence?.read(id) ?? null)
    if (found === null)
      throw missing(`The evidence ${id}`, 'Evidence is kept for a while only: run it again.')
    const shown = SHOWN.has(found.type.split(';', 1)[0]?.trim() ?? '')
    return new Response(found.bytes, {
      headers: {
        'Content-Type': shown ? found.type : 'application/octet-stream',
        'Content-Disposition': shown ? 'inline' : 'attachment',
      },
    })
  })
}

/**
 * What waits for a person's answer. Whoever holds the token may be the very agent that asked, so that only its no
 * counts, unless the person has said otherwise.
 */
export function addApprovalRoutes(app: Hono, kernel: Kernel, takesYes: () => boolean): void {
  app.get('/v1/approvals', () => json({ approvals: kernel.approvals() }))

  app.get(`/v1/approvals/${ID}`, c => {
    const approval = kernel.approvals().find(waiting => waiting.id === c.req.param('id'))
    if (approval === undefined) throw nothingWaits(c.req.param('id'))
    return json(approval)
  })

  app.post(`/v1/approvals/${ID}`, async c => {
    const { allow, lasts, reply } = await readBody(c, ApprovalBody)
    const id = c.req.param('id')
    if (!kernel.approvals().some(waiting => waiting.id === id)) throw nothingWaits(id)
    if (allow && !takesYes()) throw new Failure('person_required', { id, how: 'whoever asks over HTTP' })
    if (!kernel.answer(id, allow, lasts, reply)) throw nothingWaits(id)
    return json({ id, allow, lasts })
  })
}

const nothingWaits = (id: string): Failure =>
  missing(
    `The approval ${id}`,
    'It was answered already or its time is over; GET /v1/approvals lists the rest.',
  )

const missing = (what: string, hint: string): Failure => new Failure('not_found', { what, hint })
