import type { ActResult, Verdict } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { controlOf, shownRole } from './clickable.ts'
import { click } from './clicking.ts'
import { isSelect } from './field-values.ts'
import { moveFocus } from './focus.ts'
import { ListChoice, PLAIN_CLICK, type SelectRequest } from './list-choice.ts'
import { actResult, guarded, Observation } from './observe.ts'
import { awaitUsable, notReady } from './readiness.ts'
import { areChosen, chooseOptions } from './select-entry.ts'
import { checkedState } from './states.ts'

export interface CheckRequest {
  target: string
  checked: boolean
}

/** Brings a checkbox, radio button or switch into a state; nothing is clicked when it is in it already. */
export async function check({ target, checked }: CheckRequest, context: ActContext): Promise<ActResult> {
  const element = await awaitUsable(target, context.refs, context.limit)
  const before = stateOf(element)
  if (before === null) throw notReady(target, 'it is nothing that can be checked')
  if (before === String(checked)) return actResult('confirmed', [], element)
  if (!checked && shownRole(controlOf(element)) === 'radio')
    throw notReady(target, 'a radio button cannot be unchecked: check another one of its group')
  const result = await click({ target, ...PLAIN_CLICK }, context)
  const verdict: Verdict = stateOf(element) === String(checked) ? 'confirmed' : 'failed'
  return { ...result, verdict: element.isConnected ? verdict : result.verdict }
}

const stateOf = (element: Element) => {
  const control = controlOf(element)
  return checkedState(control, shownRole(control))
}

/** Chooses options of a native list, or of a listbox or combobox that a page has made itself. */
export async function select(request: SelectRequest, context: ActContext): Promise<ActResult> {
  const { target } = request
  const element = controlOf(await awaitUsable(target, context.refs, context.limit))
  if (isSelect(element)) return chooseNative(element, request, context)
  const role = shownRole(element)
  if (role !== 'listbox' && role !== 'combobox' && !element.hasAttribute('aria-haspopup'))
    throw notReady(target, `it is no list to choose from (its role is ${role})`)
  return new ListChoice(element, request, context).make()
}

async function chooseNative(
  list: HTMLSelectElement,
  { target, options }: SelectRequest,
  context: ActContext,
): Promise<ActResult> {
  const observation = new Observation(list, context.ambient)
  await guarded(observation, async () => {
    moveFocus(list)
    await observation.settle('focus')
    chooseOptions(list, options, target)
    await observation.settle('act')
  })
  const isDone = (): boolean => areChosen(list, options)
  const { effects } = await observation.conclude(context.limit, isDone)
  context.refs.renew(list)
  return actResult(isDone() ? 'confirmed' : 'failed', effects, list)
}
