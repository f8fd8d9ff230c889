import type { ActResult, Verdict } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { controlOf } from './clickable.ts'
import { focusedElement, holds, pageElement } from './dom.ts'
import { PageFailure } from './failure.ts'
import { type Entry, entryFor } from './field-entry.ts'
import { focusableAt, moveFocus } from './focus.ts'
import { pressKey, submitBy } from './key-defaults.ts'
import { parseChord } from './keyboard.ts'
import { actResult, type Effect, guarded, Observation } from './observe.ts'
import type { ClickWay } from './pointer.ts'
import { awaitPointable, awaitUsable, notReady } from './readiness.ts'
import { inWords } from './wording.ts'

export interface ClickRequest extends ClickWay {
  /** An element where the act has found it itself. */
  target: string | Element
}

/** Clicks once the element can be clicked, and tells what came of it. */
export async function click({ target, ...way }: ClickRequest, context: ActContext): Promise<ActResult> {
  await context.ambient.hasLooked()
  const { element, hit } = await awaitPointable(target, context.refs, context.limit, way.position)
  const observation = new Observation(controlOf(element), context.ambient)
  await guarded(observation, () => context.pointer.click(hit, way, element, observation))
  const { verdict, effects } = await observation.conclude(context.limit)
  context.refs.renew(element)
  return actResult(verdict, effects, element)
}

/** Moves the pointer onto the element. What a page shows by style alone, at its own pointer, this does not bring about. */
export async function hover({ target }: { target: string }, context: ActContext): Promise<ActResult> {
  await context.ambient.hasLooked()
  const { element, hit } = await awaitPointable(target, context.refs, context.limit)
  const observation = new Observation(element, context.ambient)
  await guarded(observation, async () => {
    context.pointer.moveTo(hit)
    await observation.settle('act')
  })
  const { verdict, effects } = await observation.conclude(context.limit)
  return actResult(verdict, effects, element)
}

/** Gives the focus to the element, or to the one around it that takes it. */
export async function focus({ target }: { target: string }, context: ActContext): Promise<ActResult> {
  const element = await awaitUsable(target, context.refs, context.limit)
  const focusable = focusableAt(element)
  if (focusable === null) throw notReady(target, 'it takes no focus')
  const observation = new Observation(null, context.ambient)
  await guarded(observation, async () => {
    moveFocus(focusable)
    await observation.settle('act')
  })
  const { effects } = await observation.conclude(context.limit)
  return actResult(holds(focusable, focusedElement()) ? 'confirmed' : 'failed', effects, element)
}

export interface TypeRequest {
  /** null: what has the focus. */
  target: string | null
  text: string
  replace: boolean
  submit: boolean
}

/** Puts text into a field and reads it back; with `submit` it then presses Enter, unless the text went wrong. */
export async function type(request: TypeRequest, context: ActContext): Promise<ActResult> {
  const { target } = request
  const given = target === null ? focusedField() : await awaitUsable(target, context.refs, context.limit)
  const text = request.text.replace(/\r\n?/g, '\n')
  const entry = entryFor(given, text, request.replace, target ?? inWords(given))
  const { verdict, effects } = await enter(entry, context)
  context.refs.renew(given)
  if (!request.submit || verdict === 'failed') return actResult(verdict, effects, entry.field)
  const sent = await submit(entry.field, context)
  return actResult(worse(verdict, sent.verdict), [...new Set([...effects, ...sent.effects])], entry.field)
}

interface Outcome {
  verdict: Verdict
  effects: Effect[]
}

async function enter(entry: Entry, context: ActContext): Promise<Outcome> {
  const observation = new Observation(entry.field, context.ambient)
  await guarded(observation, async () => {
    moveFocus(entry.field)
    await observation.settle('focus')
    await entry.write()
    await observation.settle('act')
  })
  const { effects } = await observation.conclude(context.limit)
  return { verdict: entry.judge(), effects }
}

async function submit(field: HTMLElement, context: ActContext): Promise<Outcome> {
  const observation = new Observation(null, context.ambient)
  await guarded(observation, async () => {
    await pressKey(field, parseChord('Enter'), submitBy)
    await observation.settle('act')
  })
  return observation.conclude(context.limit)
}

const worse = (left: Verdict, right: Verdict): Verdict => (left === 'confirmed' ? right : left)

export interface PressRequest {
  key: string
  /** null: what has the focus, or else the page. */
  target: string | null
}

/** Presses a key, with what the browser does by itself for it. */
export async function press({ key, target }: PressRequest, context: ActContext): Promise<ActResult> {
  const chord = parseChord(key)
  await context.ambient.hasLooked()
  const element = target === null ? (focusedElement() ?? pageElement()) : await focused(target, context)
  const observation = new Observation(null, context.ambient)
  await guarded(observation, async () => {
    await pressKey(element, chord)
    await observation.settle('act')
  })
  const { verdict, effects } = await observation.conclude(context.limit)
  return actResult(verdict, effects, element === pageElement() ? null : element)
}

async function focused(target: string, context: ActContext): Promise<Element> {
  const element = await awaitUsable(target, context.refs, context.limit)
  const focusable = focusableAt(element)
  if (focusable) moveFocus(focusable)
  return element
}

function focusedField(): Element {
  const element = focusedElement()
  if (element) return element
  throw PageFailure.of('element_not_found', {
    target: 'the focused element (nothing has the focus)',
    nearest: [],
  })
}
