import { Failure } from '../../shared/failures.ts'
import type { EvidencePort } from '../ports/state.ts'
import { excerpt, inFull } from './excerpt.ts'
import type { RunOptions } from './operation.ts'
import { inColumns, isProjected, type Projected, project } from './projection.ts'
import type { Run } from './run-state.ts'

/** What a run answers, as its caller asked to see it. */
export interface RunAnswer {
  data: unknown
  /** What was cut, in words; null when nothing was. */
  truncated: string | null
  notes: string[]
  /** Fields that a brief answer leaves out. */
  leftOut: string[]
}

/** The part that was asked for, cut for an agent to read unless all of it was asked for. */
export async function answerOf(run: Run, found: unknown, evidence: EvidencePort): Promise<RunAnswer> {
  const { options } = run.invocation
  const { data, notes, leftOut } = await partOf(run, found)
  if (options.full === true || run.operation?.isBudgeted)
    return { data: inFull(data), truncated: null, notes, leftOut }
  try {
    const cut = excerpt(data, evidence)
    run.evidence.push(...cut.evidence)
    return { data: cut.data, truncated: cut.truncated, notes, leftOut }
  } catch (error) {
    if (!Failure.is(error, 'state_unavailable')) throw error
    // What cannot be kept is not cut either.
    return { data: inFull(data), truncated: null, notes: [...notes, error.message], leftOut }
  }
}

async function partOf(run: Run, found: unknown): Promise<Projected & { leftOut: string[] }> {
  const { options } = run.invocation
  if (isProjected(options)) return { ...(await part(run, found)), leftOut: [] }
  const columns = run.operation?.columns ?? []
  if (!isBrief(options) || columns.length === 0) return { data: found, notes: [], leftOut: [] }
  return { ...inColumns(found, columns), notes: [] }
}

/** Whether rows shall hold their declared columns alone. */
export const isBrief = (options: RunOptions): boolean =>
  options.brief === true && options.full !== true && !isProjected(options)

/** Once something was changed, an answer without the place that was asked for must not make it look undone. */
async function part(run: Run, found: unknown): Promise<Projected> {
  try {
    return await project(found, run.invocation.options)
  } catch (error) {
    if (run.writesSent === 0 || !Failure.is(error, 'usage')) throw error
    return { data: found, notes: [error.message] }
  }
}
