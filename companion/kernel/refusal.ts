import { z } from 'zod'
import type { Failure } from '../../shared/failures.ts'

/** What a surface answers when a call never became a run, so that there is no envelope. */
export const Refusal = z.object({
  error: z.object({ code: z.string(), message: z.string(), suggestion: z.string() }),
})
export type Refusal = z.infer<typeof Refusal>

export const refusalOf = (failure: Failure): Refusal => ({
  error: { code: failure.code, message: failure.message, suggestion: failure.hint },
})
