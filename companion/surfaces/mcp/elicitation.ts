import type { ElicitResult, ServerContext } from '@modelcontextprotocol/server'
import { LASTINGS, Lasting } from '../../../shared/policy.ts'
import type { ApprovalBrief } from '../../../shared/status.ts'
import type { Kernel } from '../../kernel/operation.ts'

/**
 * How the person behind a client is asked: by a request to the client while the call goes on (revisions until
 * 2025-11-25), or by an answer that wants the call again with theirs (2026-07-28); null when it cannot be.
 */
export type Asking = 'push' | 'rounds' | null

type Form = Extract<Parameters<ServerContext['mcpReq']['elicitInput']>[0], { requestedSchema: unknown }>

/** The form that a client shows for an approval. */
export const formOf = ({ operation, effect, risk, text, covers }: ApprovalBrief): Form => ({
  mode: 'form',
  message: [
    `Allow ${operation} (${[effect, ...(risk === undefined ? [] : [risk])].join(', ')})?`,
    text,
    ...(covers === undefined ? [] : [`"session" and "always" would cover: ${covers}`]),
  ].join('\n'),
  requestedSchema: {
    type: 'object',
    properties: { lasts: { type: 'string', title: 'For how long', enum: [...LASTINGS], default: 'once' } },
    required: ['lasts'],
  },
})

/** Gives the kernel what the person said. A form that was put away is no answer: others may still give one. */
export function settle(
  kernel: Kernel,
  id: string,
  { action, content }: Pick<ElicitResult, 'action' | 'content'>,
): void {
  if (action === 'decline') kernel.answer(id, false)
  if (action !== 'accept') return
  const lasts = Lasting.safeParse(content?.lasts)
  if (lasts.success) kernel.answer(id, true, lasts.data)
  else kernel.answer(id, false)
}

/** Asks while the call goes on. The form is taken back when `signal` aborts: somebody else has answered. */
export function push(kernel: Kernel, ctx: ServerContext, approval: ApprovalBrief, signal: AbortSignal): void {
  const timeout = Math.max(1, approval.expires_at - Date.now())
  ctx.mcpReq.elicitInput(formOf(approval), { signal, timeout }).then(
    result => settle(kernel, approval.id, result),
    // The form was taken back, or the client could not show it: the question waits on for whoever else can answer.
    () => undefined,
  )
}
