import { Failure } from '../../../shared/failures.ts'
import { didYouMean } from '../nearest.ts'
import type { Operation } from '../operation.ts'
import { checkProjection } from '../projection.ts'
import type { Layer } from './layer.ts'

/** Parses the arguments by the operation's schema; defaults are filled in, unknown ones refused. */
export const validate: Layer = async (run, next) => {
  const operation = run.operation
  if (operation === null) throw new Failure('internal', { reason: 'validate before resolve' })
  const parsed = operation.args.safeParse(run.invocation.args)
  if (!parsed.success)
    throw new Failure('invalid_args', {
      operation: operation.id,
      problems: problems(operation, parsed.error.issues),
    })
  const asked = run.invocation.options.strategy
  if (
    asked !== undefined &&
    asked !== 'auto' &&
    operation.strategy !== null &&
    !operation.strategies.includes(asked)
  )
    throw new Failure('usage', {
      problem: `${operation.id} has no strategy "${asked}".`,
      hint: `It has ${operation.strategies.join(', ')}.`,
    })
  run.args = parsed.data
  await checkProjection(run.invocation.options)
  return next()
}

type Issue = { code: string; path: PropertyKey[]; message: string; keys?: string[]; input?: unknown }

function problems(operation: Operation, issues: readonly unknown[]): string[] {
  const known = Object.keys(operation.args.shape)
  return (issues as Issue[]).flatMap(issue => {
    if (issue.code === 'unrecognized_keys')
      return (issue.keys ?? []).map(key => `there is no argument "${key}"; ${didYouMean(key, known)}`)
    const name = issue.path.map(String).join('.')
    const missing = issue.code === 'invalid_type' && /undefined$/.test(issue.message)
    return [missing ? `"${name}" is missing` : `"${name}": ${issue.message}`]
  })
}
