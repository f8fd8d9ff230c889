import { Failure } from '../../../shared/failures.ts'
import type { FrameOf } from '../../../shared/frame.ts'
import {
  PERSON_WIRE,
  type PersonMethod,
  type PersonParams,
  type PersonResult,
} from '../../../shared/person-wire.ts'

/** The browser profile in front of which the person sits. */
export interface PersonAt {
  profile: { id: string; name: string }
}

/** What the person's side of the extension may ask; compose.ts gives it. */
export type PersonHandlers = {
  [M in PersonMethod]: (params: PersonParams<M>, at: PersonAt) => PersonResult<M> | Promise<PersonResult<M>>
}

/** Never rejects: what goes wrong is in the answer. */
export async function answerPerson(
  call: FrameOf<'call'>,
  handlers: PersonHandlers,
  at: PersonAt,
): Promise<FrameOf<'done' | 'fail'>> {
  const { id } = call
  try {
    return { k: 'done', id, result: await answer(call, handlers, at) }
  } catch (error) {
    return { k: 'fail', id, failure: Failure.from(error).toJSON() }
  }
}

function answer(call: FrameOf<'call'>, handlers: PersonHandlers, at: PersonAt): unknown {
  if (!isPersonMethod(call.method))
    throw new Failure('frame_invalid', { reason: `there is no method ${call.method}` })
  const parsed = PERSON_WIRE[call.method].params.safeParse(call.params)
  if (!parsed.success)
    throw new Failure('frame_invalid', {
      reason: `params of ${call.method}: ${parsed.error.issues[0]?.message}`,
    })
  // Schema and handler are of the same row, which the union of rows does not show.
  const handler = handlers[call.method] as (params: unknown, at: PersonAt) => unknown
  return handler(parsed.data, at)
}

const isPersonMethod = (name: string): name is PersonMethod => Object.hasOwn(PERSON_WIRE, name)
