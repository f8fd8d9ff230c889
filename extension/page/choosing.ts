import type { ActResult, Verdict } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { controlOf, shownRole } from './clickable.ts'
import { click } from './clicking.ts'
import { checkLimit, timeLeft } from './clock.ts'
import { ariaWord, elementsIn, related } from './dom.ts'
import { isSelect } from './field-values.ts'
import { moveFocus } from './focus.ts'
import { nameOf } from './names.ts'
import { actResult, guarded, Observation } from './observe.ts'
import { awaitPointable, awaitUsable, notReady } from './readiness.ts'
import { isVisible } from './rendering.ts'
import { areChosen, bestNamed, chooseOptions, noOption } from './select-entry.ts'
import { checkedState, isEditable } from './states.ts'
import { tidy } from './text.ts'
import { changeWithin } from './watch.ts'

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

const PLAIN_CLICK = { count: 1, button: 'left', modifiers: [], position: null } as const

const stateOf = (element: Element) => {
  const control = controlOf(element)
  return checkedState(control, shownRole(control))
}

export interface SelectRequest {
  target: string
  /** Labels or values; all of them are chosen, and no others. */
  options: readonly string[]
}

/** Chooses options of a native list, or of a listbox or combobox that a page has made itself. */
export async function select(request: SelectRequest, context: ActContext): Promise<ActResult> {
  const { target, options } = request
  const element = controlOf(await awaitUsable(target, context.refs, context.limit))
  if (isSelect(element)) return chooseNative(element, request, context)
  const role = shownRole(element)
  if (role === 'listbox') return chooseAll(element, () => [element], request, context)
  if (role !== 'combobox' && !element.hasAttribute('aria-haspopup'))
    throw notReady(target, `it is no list to choose from (its role is ${role})`)
  if (options.length !== 1) throw notReady(target, 'it takes one option only')
  const known = new Set(openLists())
  await openList(element, target, context)
  const lists = () => {
    const named = related(element, 'controls').filter(isVisible)
    return named.length > 0 ? named : openLists().filter(list => !known.has(list))
  }
  return chooseAll(element, lists, request, context)
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

const openLists = (): Element[] =>
  elementsIn(document).filter(each => LISTS.has(each.getAttribute('role') ?? '') && isVisible(each))

const LISTS = new Set(['listbox', 'menu', 'tree', 'grid'])

async function openList(element: Element, target: string, context: ActContext): Promise<void> {
  if (ariaWord(element, 'expanded') === 'true') return
  await awaitPointable(target, context)
  await click({ target, ...PLAIN_CLICK }, context)
}

async function chooseAll(
  element: Element,
  lists: () => Element[],
  { target, options }: SelectRequest,
  context: ActContext,
): Promise<ActResult> {
  const effects = new Set<string>()
  let chosen: Element | null = null
  for (const text of options) {
    chosen = await awaitOption(lists, text, target, context)
    if (isChosen(chosen)) continue
    const result = await click({ target: chosen, ...PLAIN_CLICK }, context)
    for (const effect of result.effects) effects.add(effect)
  }
  const isDone = chosen !== null && (isChosen(chosen) || showsChoice(element, options))
  return actResult(isDone ? 'confirmed' : 'unconfirmed', [...effects], element)
}

/** How long a list may take to load its options. */
const PATIENCE_MS = 2000
const RECHECK_MS = 100

async function awaitOption(
  lists: () => Element[],
  text: string,
  target: string,
  context: ActContext,
): Promise<Element> {
  const end = Date.now() + Math.min(PATIENCE_MS, timeLeft(context.limit))
  for (;;) {
    checkLimit(context.limit)
    const options = lists().flatMap(optionsIn)
    const found = bestNamed(options, nameOf, text)
    if (found) return found
    if (Date.now() >= end)
      throw noOption(
        text,
        target,
        options.map(each => tidy(nameOf(each))),
      )
    await changeWithin(RECHECK_MS, context.limit.signal)
  }
}

const OPTIONS = new Set(['option', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'treeitem', 'row'])

const optionsIn = (list: Element): Element[] =>
  elementsIn(list).filter(each => OPTIONS.has(shownRole(each)) && isVisible(each))

const isChosen = (option: Element): boolean =>
  option.isConnected &&
  (ariaWord(option, 'selected') === 'true' || checkedState(option, shownRole(option)) === 'true')

/** What a closed list shows, as its value or as its text. */
function showsChoice(element: Element, options: readonly string[]): boolean {
  const shown = isEditable(element, shownRole(element))
    ? (element as HTMLInputElement).value
    : (element.textContent ?? '')
  return options.every(text => tidy(shown).toLowerCase().includes(tidy(text).toLowerCase()))
}
