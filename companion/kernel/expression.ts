import { compileNode, type Evaluate, type Frame } from './expression-compiler.ts'
import { Fuel } from './expression-fuel.ts'
import { parseSource } from './expression-parser.ts'

/**
 * Expressions inside `${{ }}`: parsed once, compiled to closures, and evaluated on plain data. They reach own
 * properties only, call nothing but filters, know no host object and assign nothing. Member access on null is an
 * error (that is how drift shows itself); `?.` says that it may be null. What an evaluation may cost is bounded.
 */
export interface Expression {
  source: string
  evaluate: Evaluate
}

/** Fails with expression_error, also for unknown filters, wrong numbers of arguments and bad patterns. */
export function parseExpression(source: string): Expression {
  return { source, evaluate: compileNode(parseSource(source), source) }
}

/** The same value for the same scope, always. Fails with expression_error. */
export const evaluateExpression = (expression: Expression, scope: Record<string, unknown>): unknown =>
  expression.evaluate({ scope, fuel: new Fuel(scope) })

/** `evaluateExpression` for many evaluations in a row: rows share one scope, whose item changes. */
export function repeated({ evaluate }: Expression): (scope: Record<string, unknown>) => unknown {
  let frame: Frame | null = null
  return scope => {
    if (frame?.scope === scope) frame.fuel.refill()
    else frame = { scope, fuel: new Fuel(scope) }
    return evaluate(frame)
  }
}
