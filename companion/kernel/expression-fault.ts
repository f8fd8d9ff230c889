import { Failure } from '../../shared/failures.ts'

const QUOTED_CHARS = 200

/** @param at 0-based character of the expression that is at fault */
export const expressionFault = (expression: string, at: number, reason: string): Failure =>
  new Failure('expression_error', { expression: excerpt(expression, QUOTED_CHARS), at, reason })

/** A text as short as a message wants it. */
export const excerpt = (text: string, length = 40): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`
