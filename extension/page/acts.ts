import type { ActResult, DatePart, Verdict } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { focusedElement, holds, pageElement } from './dom.ts'
import type { Entry } from './entry.ts'
import { PageFailure } from './failure.ts'
import { entryFor } from './field-entry.ts'
import { focusableAt, moveFocus } from './focus.ts'
import { pressKey, submitBy } from './key-defaults.ts'
import { type Chord, parseChord } from './keyboard.ts'
import { keyedEntry } from './keyed-entry.ts'
import { actResult, type Effect, guarded, Observation } from './observe.ts'
import { withoutDebugger } from './outside.ts'
import { awaitUsable, notReady } from './readiness.ts'
import { inWords } from './wording.ts'

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
  const isDone = (): boolean => holds(focusable, focusedElement())
  const { effects } = await observation.conclude(context.limit, isDone)
  return actResult(isDone() ? 'confirmed' : 'failed', effects, element)
}

export interface TypeRequest {
  /** null: what has the focus. */
  target: string | null
  text: string
  replace: boolean
  submit: boolean
  /** Key by key, for what listens to keys and keeps no text of its own; then what the page does is the answer. */
  keys?: boolean | undefined
  /** The segment of a date or time that is meant. */
  part?: DatePart | undefined
}

/** Puts text into a field and reads it back; with `submit` it then presses Enter, unless the text went wrong. */
export async function type(request: TypeRequest, context: ActContext): Promise<ActResult> {
  const { target } = request
  const given = target === null ? focusedField() : await awaitUsable(target, context.refs, context.limit)
  const text = request.text.replace(/\r\n?/g, '\n')
  const words = target ?? inWords(given)
  const entry = request.keys
    ? keyedEntry(given, text)
    : await entryFor(given, text, request.replace, words, request.part)
  const { verdict, effects, ...how } = await enterByEither(entry, context)
  const by = { ...(entry.note !== undefined && { note: entry.note }), ...how }
  context.refs.renew(given)
  if (!request.submit || verdict === 'failed') return { ...actResult(verdict, effects, entry.field), ...by }
  const sent = await submit(entry.field, context)
  const all = [...new Set([...effects, ...sent.effects])]
  return { ...actResult(worse(verdict, sent.verdict), all, entry.field), ...by }
}

interface Outcome {
  verdict: Verdict
  effects: Effect[]
}
type Entered = Outcome & Pick<ActResult, 'hand' | 'note'>

async function enterByEither(entry: Entry, context: ActContext): Promise<Entered> {
  const { outside } = context
  const byBrowser = async (): Promise<Entered> => {
    await outside.attach()
    return { ...(await enter(entry, context, () => entry.writeTrusted(outside))), hand: 'cdp' }
  }
  if (outside.hand === 'cdp') return byBrowser()
  const entered = await enter(entry, context, () => entry.write())
  if (entered.verdict !== 'failed' || outside.hand === 'dom' || !entry.isFitAgain()) return entered
  try {
    return { ...(await byBrowser()), note: 'events of a script did not bring the text there' }
  } catch (error) {
    return { ...entered, note: withoutDebugger(error) }
  }
}

async function enter(entry: Entry, context: ActContext, write: () => Promise<void>): Promise<Outcome> {
  const observation = new Observation(entry.field, context.ambient)
  await guarded(observation, async () => {
    moveFocus(entry.field)
    await observation.settle('focus')
    await write()
    await observation.settle('act')
  })
  const { effects } = await observation.conclude(context.limit)
  return { verdict: await entry.judge(effects), effects }
}

async function submit(field: HTMLElement, context: ActContext): Promise<Outcome> {
  const observation = new Observation(null, context.ambient)
  await guarded(observation, async () => {
    if (context.outside.hand === 'cdp') await context.outside.input({ do: 'key', ...parseChord('Enter') })
    else await pressKey(field, parseChord('Enter'), submitBy)
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

/** Keys that send forms and press buttons: what they set off may be out of sight, and must not happen twice. */
const ACTIVATING = new Set(['Enter', ' '])

const TAKEN =
  'the page took the key, yet nothing was seen to change; hand=cdp presses it with the browser’s own input, if it did nothing indeed'

/** Presses a key, with what the browser does by itself for it. */
export async function press({ key, target }: PressRequest, context: ActContext): Promise<ActResult> {
  const { outside } = context
  const chord = parseChord(key)
  await context.ambient.hasLooked()
  const element = target === null ? (focusedElement() ?? pageElement()) : await focused(target, context)
  if (outside.hand === 'cdp') return pressByBrowser(element, chord, context)
  const observation = new Observation(null, context.ambient)
  let taken = false
  await guarded(observation, async () => {
    taken = !(await pressKey(element, chord))
    await observation.settle('act')
  })
  const { verdict, effects } = await observation.conclude(context.limit)
  const result = actResult(verdict, effects, element === pageElement() ? null : element)
  if (verdict !== 'unconfirmed' || outside.hand === 'dom') return result
  if (taken) return { ...result, note: TAKEN }
  if (ACTIVATING.has(chord.key)) return result
  try {
    return { ...(await pressByBrowser(element, chord, context)), note: 'events of a script had no effect' }
  } catch (error) {
    return { ...result, note: withoutDebugger(error) }
  }
}

async function pressByBrowser(element: Element, chord: Chord, context: ActContext): Promise<ActResult> {
  await context.outside.attach()
  const observation = new Observation(null, context.ambient)
  await guarded(observation, async () => {
    await context.outside.input({ do: 'key', ...chord })
    await observation.settle('act')
  })
  const { verdict, effects } = await observation.conclude(context.limit)
  return { ...actResult(verdict, effects, element === pageElement() ? null : element), hand: 'cdp' }
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
