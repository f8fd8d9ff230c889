import { Failure } from '../../../shared/failures.ts'
import type { ConfigPort } from '../../ports/state.ts'
import type { Layer } from './layer.ts'

const DEFAULT_MS = 30_000
/** A day: longer is a mistake, and a timer over 2^31 ms would fire at once. */
const MAX_MS = 86_400_000

/** Gives the run its absolute deadline and aborts it then; the same deadline travels in every frame below. */
export const deadline =
  (config: ConfigPort): Layer =>
  async (run, next) => {
    const own = run.invocation.options.timeout_ms ?? run.operation?.timeoutMs
    const asked = own ?? config.get('timeouts.default_ms') ?? DEFAULT_MS
    const ms = Math.min(Math.max(Number(asked), 1), MAX_MS)
    run.deadline = Date.now() + ms
    const timer = setTimeout(
      () =>
        run.abort.abort(
          run.unanswered ?? new Failure('deadline_exceeded', { action: run.invocation.operation, ms }),
        ),
      ms,
    )
    try {
      return await next()
    } finally {
      clearTimeout(timer)
    }
  }
