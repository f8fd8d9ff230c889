import type { ActResult } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { controlOf } from './clickable.ts'
import { actResult, guarded, Observation } from './observe.ts'
import { withoutDebugger } from './outside.ts'
import type { ClickWay } from './pointer.ts'
import { awaitPointable, type Ready } from './readiness.ts'
import { clickTrusted, moveTrusted } from './trusted-pointer.ts'

export interface ClickRequest extends ClickWay {
  /** An element where the act has found it itself. */
  target: string | Element
}

/** Clicks once the element can be clicked, and tells what came of it. */
export async function click(request: ClickRequest, context: ActContext): Promise<ActResult> {
  const { hand } = context.outside
  await context.ambient.hasLooked()
  if (hand === 'cdp') return clickByBrowser(request, context)
  const { ready, result, taken } = await clickByScript(request, context)
  if (hand === 'dom' || result.verdict !== 'unconfirmed') return result
  const doubt = taken ? TAKEN : await doubtOf(ready, context)
  return doubt === null
    ? { ...(await clickByBrowser(request, context)), note: 'events of a script had no effect' }
    : { ...result, note: doubt }
}

async function clickByScript({ target, ...way }: ClickRequest, context: ActContext) {
  const ready = await awaitPointable(target, context, way.position)
  const { element, hit } = ready
  const observation = new Observation(controlOf(element), context.ambient)
  let taken = false
  await guarded(observation, async () => {
    ;({ taken } = await context.pointer.click(hit, way, element, observation))
  })
  const { verdict, effects } = await observation.conclude(context.limit)
  context.refs.renew(element)
  return { ready, taken, result: actResult(verdict, effects, element) }
}

/** @throws unsupported where the debugger cannot be attached */
async function clickByBrowser({ target, ...way }: ClickRequest, context: ActContext): Promise<ActResult> {
  const { outside, limit } = context
  // The bar that tells of the debugger moves the page: it comes first.
  await outside.attach()
  const { element, hit } = await awaitPointable(target, context, way.position)
  const observation = new Observation(controlOf(element), context.ambient)
  let arrived = false
  await guarded(observation, async () => {
    arrived = await clickTrusted(hit, way, observation, outside)
  })
  const { verdict, effects } = await observation.conclude(limit)
  context.refs.renew(element)
  const result: ActResult = { ...actResult(verdict, effects, element), hand: 'cdp' }
  return arrived || verdict === 'confirmed' ? result : { ...result, note: 'the press came to no element' }
}

const TAKEN =
  'the page took the click, yet nothing was seen to change; hand=cdp clicks with the browser’s own input, if it did nothing indeed'
const HEARD =
  'the page listens to clicks here, yet nothing was seen to change; hand=cdp clicks with the browser’s own input, if it did nothing indeed'

/** Why it must not be clicked once more: it may have had an effect that nobody saw. Null when it cannot have had any. */
async function doubtOf({ hit }: Ready, { outside }: ActContext): Promise<string | null> {
  try {
    await outside.attach()
    const { at } = await outside.place(hit.point)
    const heard = await outside.listeners(at)
    return heard === 'none' || heard === 'trusted' ? null : HEARD
  } catch (error) {
    return withoutDebugger(error)
  }
}

/** Moves the pointer onto the element. What a page shows by style alone takes the browser's own pointer. */
export async function hover({ target }: { target: string }, context: ActContext): Promise<ActResult> {
  const { hand } = context.outside
  await context.ambient.hasLooked()
  if (hand === 'cdp') return hoverByBrowser(target, context)
  const { element, hit } = await awaitPointable(target, context)
  const observation = new Observation(element, context.ambient)
  await guarded(observation, async () => {
    context.pointer.moveTo(hit)
    await observation.settle('act')
  })
  const { verdict, effects } = await observation.conclude(context.limit)
  const result = actResult(verdict, effects, element)
  if (hand === 'dom' || verdict !== 'unconfirmed') return result
  try {
    return await hoverByBrowser(target, context)
  } catch (error) {
    return { ...result, note: withoutDebugger(error) }
  }
}

async function hoverByBrowser(target: string, context: ActContext): Promise<ActResult> {
  await context.outside.attach()
  const { element, hit } = await awaitPointable(target, context)
  const observation = new Observation(element, context.ambient)
  const shown = visibleText()
  await guarded(observation, async () => {
    await moveTrusted(hit.point, context.outside)
    await observation.settle('act')
  })
  const { verdict, effects } = await observation.conclude(context.limit)
  // What style alone shows changes no node.
  const isShown = verdict === 'unconfirmed' && visibleText() !== shown
  const result = actResult(isShown ? 'confirmed' : verdict, isShown ? ['dom'] : effects, element)
  return { ...result, hand: 'cdp' }
}

const visibleText = (): string => document.body?.innerText ?? ''
