import type { Hono } from 'hono'
import { z } from 'zod'
import { Failure } from '../../../shared/failures.ts'
import { Lasting } from '../../../shared/policy.ts'
import type { Kernel } from '../../kernel/operation.ts'
import { json } from './answer.ts'
import { readBody } from './request.ts'

export const ApprovalBody = z.strictObject({
  allow: z.boolean(),
  lasts: Lasting.default('once'),
  reply: z.string().max(2000).optional().describe('the answer, where a question waits'),
})

const ID = ':id{[A-Za-z0-9_-]{1,128}}'

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
    // A no for always could be lifted by the person alone: it is theirs to say as well.
    const holds = takesYes() ? lasts : 'once'
    if (!kernel.answer(id, allow, holds, reply)) throw nothingWaits(id)
    return json({ id, allow, lasts: holds })
  })
}

const nothingWaits = (id: string): Failure =>
  missing(
    `The approval ${id}`,
    'It was answered already or its time is over; GET /v1/approvals lists the rest.',
  )

const missing = (what: string, hint: string): Failure => new Failure('not_found', { what, hint })
