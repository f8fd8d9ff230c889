import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { builtinOperation } from '../kernel/builtin.ts'
import type { Kernel, Operation } from '../kernel/operation.ts'
import type { GoalStatePort } from '../ports/state.ts'
import { deliver } from './delivery.ts'
import { Goal, type GoalReport, GoalState } from './goal.ts'

/** `deliver`: works on a goal, in as many calls as it takes. */
export function deliveryOperations(surroundings: {
  kernel: () => Kernel
  states: GoalStatePort
}): Operation[] {
  const inTurn = turns()
  return [
    builtinOperation({
      id: 'unicli.deliver',
      doc: 'Work on a goal: check whether it is reached, and try its alternatives in bounded attempts until it is.',
      args: z.strictObject({
        ...Goal.shape,
        restart: z.boolean().default(false).describe('forget what earlier calls have tried for this goal'),
      }),
      // What it does is done by its attempts, and each of them is judged as the run that it is.
      effect: 'write',
      risk: 'none',
      example: {
        goal: 'The sandbox says hello',
        checks: [
          {
            operation: 'mediawiki.page',
            args: { title: 'Sandbox' },
            expect: "data.text | contains('hello')",
          },
        ],
        attempts: [{ operation: 'mediawiki.edit', args: { title: 'Sandbox', text: 'hello' } }],
      },
      aliases: ['goal', 'until done', 'retry alternatives', 'gate', '目标', '交付', '完成'],
      timeoutMs: 300_000,
      run: async ({ restart, ...goal }, call) => {
        const key = keyOf(goal)
        const report = await inTurn(key, call.signal, () => {
          const state = restart ? { tries: [] } : stateOf(surroundings.states.load(key))
          return deliver(
            {
              ...{
                surface: call.surface,
                limits: call.limits,
                signal: call.signal,
                deadline: call.deadline,
                progress: call.progress,
              },
              kernel: surroundings.kernel(),
              save: next => surroundings.states.save(key, next),
              now: Date.now,
            },
            goal,
            state,
          )
        })
        return answerOf(report)
      },
    }),
  ]
}

/** Calls for one goal take turns: two at once would both begin what neither has tried, and do a write twice. */
function turns() {
  const latest = new Map<string, Promise<unknown>>()
  return async <T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const before = latest.get(key) ?? Promise.resolve()
    const own = before.then(() => {
      if (signal.aborted) throw Failure.from(signal.reason)
      return work()
    })
    const ended = own.then(nothing, nothing)
    latest.set(key, ended)
    try {
      return await own
    } finally {
      if (latest.get(key) === ended) latest.delete(key)
    }
  }
}

const nothing = (): void => undefined

/** The same goal in the same words with the same ways: what was tried for it counts. */
const keyOf = ({ goal, checks, attempts }: Goal): string =>
  createHash('sha256')
    .update(JSON.stringify([goal, checks, attempts]))
    .digest('hex')
    .slice(0, 32)

function stateOf(kept: unknown): GoalState {
  const parsed = GoalState.safeParse(kept)
  return parsed.success ? parsed.data : { tries: [] }
}

/** The report of a goal that is reached; of any other, the failure that says so. */
function answerOf(report: GoalReport): GoalReport {
  const { goal, state, blocked_by } = report
  if (state === 'in_progress') throw new Failure('goal_in_progress', { goal, report })
  if (state === 'blocked') throw new Failure('goal_blocked', { goal, by: blocked_by ?? '', report })
  if (state === 'exhausted') throw new Failure('goal_exhausted', { goal, report })
  return report
}
