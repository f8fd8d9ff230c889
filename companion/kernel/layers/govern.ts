import { Failure } from '../../../shared/failures.ts'
import type { ConfigPort } from '../../ports/state.ts'
import type { ApprovalDesk } from '../approvals.ts'
import type { Operation } from '../operation.ts'
import { emit } from '../run-state.ts'
import type { Layer } from './layer.ts'

/** Whether a profile asks a person first: `open` never, `confirm` before writes, `locked` before reads too. */
const ASKS: Record<string, (operation: Operation) => boolean> = {
  open: () => false,
  confirm: operation => operation.effect === 'write' || operation.effect === 'destructive',
  locked: operation => operation.effect !== 'pure',
}

/** Stops a run before any side effect until a person allows it, where the policy says so. No answer is no. */
export const govern =
  (config: ConfigPort, desk: ApprovalDesk): Layer =>
  async (run, next) => {
    const operation = run.operation
    if (operation === null) throw new Failure('internal', { reason: 'govern before resolve' })
    const asks = ASKS[String(config.get('policy.profile') ?? 'open')]
    if (asks === undefined)
      throw new Failure('config_invalid', { key: 'policy.profile', reason: 'not a known profile' })
    if (run.invocation.options.dry_run === true || !asks(operation)) return next()
    run.state = 'waiting'
    const approval = desk.ask(operation, run.args, run.deadline)
    emit(run, { type: 'waiting', run_id: run.id, approval: approval.brief })
    const allowed = await approval.answer(run.abort.signal)
    if (!allowed) throw new Failure('approval_denied', { operation: operation.id })
    run.state = 'running'
    return next()
  }
