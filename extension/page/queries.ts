import { shownRole } from './clickable.ts'
import { ariaWord, elementsIn, holds, isElement, rootsIn, tagOf } from './dom.ts'
import { isSelect, isTextArea } from './field-values.ts'
import { nameOf } from './names.ts'
import { isHidden, isVisible } from './rendering.ts'
import { SYNONYMS } from './role-table.ts'
import { checkedState, expandedState, headingLevel, isDisabled } from './states.ts'
import { fitOf, invalidTarget, type StateTest, type Target, type TextMatch } from './targets.ts'
import { tidy } from './text.ts'

export type Query = Exclude<Target, { kind: 'ref' | 'chain' }>
/** Where to look: in these elements; null for the whole document. */
export type Within = readonly Element[] | null
/** An element and how well it fits, 1 to 3. */
export type Scored = [Element, number]

/** All elements, shadow trees included, that a target names; only the best fits of a text. */
export const queryAll = (query: Query, source: string, within: Within = null): Element[] =>
  best(scoredOf(query, source, within))

/** All that fit, the worse ones too. */
export function scoredOf(query: Query, source: string, within: Within = null): Scored[] {
  const all = (elements: Element[]): Scored[] =>
    elements.filter(element => isWithin(within, element)).map(element => [element, 3])
  switch (query.kind) {
    case 'css':
      return all(byCss(query.selector, source))
    case 'xpath':
      return all(byXpath(query.path, source))
    case 'testid':
      return all(byTestId(query.id))
    case 'attribute':
      return byAttribute(query.name, query.match, within)
    case 'text':
      return byText(query.match, within)
    case 'label':
      return byLabel(query.match, within)
    case 'role':
      return byRole(query, within)
  }
}

const isWithin = (within: Within, element: Element): boolean =>
  within === null || within.some(each => each !== element && holds(each, element))

function byAttribute(name: string, match: TextMatch, within: Within): Scored[] {
  return selectAll(`[${name}]`).flatMap((element): Scored[] => {
    const score = isWithin(within, element) ? fitOf(match, tidy(element.getAttribute(name) ?? '')) : 0
    return score > 0 ? [[element, score]] : []
  })
}

function byCss(selector: string, source: string): Element[] {
  const roots = rootsIn(document)
  const direct = roots.flatMap(root => select(root, selector, source))
  if (direct.length > 0) return [...new Set(direct)]
  const steps = descendantSteps(selector)
  return steps.length > 1 ? acrossRoots(steps, source) : []
}

function select(root: ParentNode, selector: string, source: string): Element[] {
  try {
    return [...root.querySelectorAll(selector)]
  } catch {
    // The only thing that querySelectorAll throws for is a selector that is none.
    throw invalidTarget(
      source,
      'is not a CSS selector; other kinds are text=, label=, role=, testid=, xpath=',
    )
  }
}

/** `my-app .list > li` → [`my-app`, `.list > li`]: the steps at which a shadow root may lie between. */
function descendantSteps(selector: string): string[] {
  if (selector.includes(',')) return []
  const steps: string[] = []
  let step = ''
  let nesting = 0
  for (const part of selector.match(/\s*[>+~]\s*|\s+|\[[^\]]*\]|\\.|./g) ?? []) {
    if (part === '(') nesting += 1
    if (part === ')') nesting -= 1
    if (nesting === 0 && /^\s+$/.test(part) && step !== '') {
      steps.push(step)
      step = ''
    } else step += part
  }
  return step === '' ? steps : [...steps, step]
}

function acrossRoots(steps: string[], source: string): Element[] {
  let scopes: (Document | Element)[] = [document]
  for (const step of steps) {
    const found = scopes.flatMap(scope => rootsIn(scope).flatMap(root => select(root, step, source)))
    scopes = [...new Set(found)]
  }
  return scopes.filter(scope => isElement(scope)) as Element[]
}

function byXpath(path: string, source: string): Element[] {
  const found = evaluatePath(path, document, source)
  // A shadow root is no node that XPath can start from, but its children are.
  const inner = path.replace(/^(\(*)\/\//, '$1descendant-or-self::')
  if (inner === path) return found
  for (const root of rootsIn(document).filter(each => each !== document)) {
    for (const child of root.children) found.push(...evaluatePath(inner, child, source))
  }
  return [...new Set(found)]
}

function evaluatePath(path: string, start: Node, source: string): Element[] {
  try {
    const result = document.evaluate(path, start, null, XPathResult.ORDERED_NODE_ITERATOR_TYPE, null)
    const found: Element[] = []
    for (let node = result.iterateNext(); node; node = result.iterateNext()) {
      if (isElement(node)) found.push(node)
    }
    return found
  } catch {
    // A syntax error, or an expression that yields no nodes: both mean that it names no element.
    throw invalidTarget(source, 'is not an XPath expression for elements')
  }
}

const TEST_ATTRIBUTES = ['data-testid', 'data-test-id', 'data-test']

function byTestId(id: string): Element[] {
  const wanted = CSS.escape(id)
  const selector = TEST_ATTRIBUTES.map(name => `[${name}="${wanted}"]`).join(', ')
  return selectAll(selector)
}

const WITHOUT_TEXT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'title',
  'meta',
  'link',
  'option',
])

/** The innermost elements that hold the text. */
function byText(match: TextMatch, within: Within): Scored[] {
  const fitting = new Map<Element, number>()
  for (const element of elementsIn(document)) {
    if (WITHOUT_TEXT.has(tagOf(element)) || !isWithin(within, element)) continue
    const score = fitOf(match, ownText(element))
    if (score > 0) fitting.set(element, score)
  }
  for (const [element, score] of fitting) {
    // An inner element that fits as well says it better than the one around it.
    for (let around = element.parentElement; around; around = around.parentElement) {
      if ((fitting.get(around) ?? 4) <= score) fitting.delete(around)
    }
  }
  return [...fitting]
}

/** Text of an element, or what stands on a button that is an input. */
function ownText(element: Element): string {
  if (element.localName === 'input') {
    const input = element as HTMLInputElement
    return ['button', 'submit', 'reset'].includes(input.type) ? nameOf(input) : ''
  }
  if (isTextArea(element) || isSelect(element)) return ''
  const text = element.textContent
  // What is sought in a long text is found in a part of it too.
  return text.length > MAX_OWN_TEXT && element.childElementCount > 0 ? '' : tidy(text)
}

const MAX_OWN_TEXT = 5000

/** The best fits among the visible; among all when none of them is visible. */
function best(scored: readonly Scored[]): Element[] {
  const seen = scored.filter(([element]) => isVisible(element))
  const choice = seen.length > 0 ? seen : scored
  const most = Math.max(0, ...choice.map(([, score]) => score))
  return choice.filter(([, score]) => score === most).map(([element]) => element)
}

const LABELLED = new Set(
  'checkbox combobox listbox radio searchbox slider spinbutton switch textbox progressbar meter status button'.split(
    ' ',
  ),
)

/** Controls by the text of their label, wherever that comes from. */
function byLabel(match: TextMatch, within: Within): Scored[] {
  const scored: Scored[] = []
  for (const element of selectAll(
    'input, textarea, select, button, meter, progress, output, [role], [contenteditable]',
  )) {
    const role = shownRole(element)
    if (!LABELLED.has(role) || !isWithin(within, element)) continue
    const score = fitOf(match, tidy(nameOf(element, role)))
    if (score > 0) scored.push([element, score])
  }
  const fields = scored.filter(([element]) => shownRole(element) !== 'button')
  return fields.length > 0 ? fields : scored
}

/** Elements that can have a role at all, for roles that are often asked for. */
const CARRIERS: Record<string, string> = {
  button: 'button, input, summary, label, [role]',
  checkbox: 'input, label, [role]',
  combobox: 'select, input, [role]',
  heading: 'h1, h2, h3, h4, h5, h6, [role]',
  image: 'img, svg, image, [role]',
  link: 'a, area, [role]',
  radio: 'input, label, [role]',
  row: 'tr, [role]',
  searchbox: 'input, [role]',
  tab: '[role]',
  textbox: 'input, textarea, [contenteditable], [role]',
}

const selectAll = (selector: string): Element[] =>
  rootsIn(document).flatMap(root => [...root.querySelectorAll(selector)])

function byRole(query: Extract<Target, { kind: 'role' }>, within: Within): Scored[] {
  const wanted = SYNONYMS[query.role] ?? query.role
  const scored: Scored[] = []
  for (const element of selectAll(CARRIERS[wanted] ?? '*')) {
    const role = shownRole(element)
    if (role !== wanted || !isWithin(within, element)) continue
    if (!query.states.every(test => holdsState(element, role, test)) || isHidden(element)) continue
    const score = query.name ? fitOf(query.name, tidy(nameOf(element, role))) : 3
    if (score > 0) scored.push([element, score])
  }
  return scored
}

function holdsState(element: Element, role: string, { state, value }: StateTest): boolean {
  switch (state) {
    case 'checked':
      return (checkedState(element, role) ?? 'false') === value
    case 'disabled':
      return String(isDisabled(element)) === value
    case 'level':
      return String(headingLevel(element)) === value
    case 'selected':
      if (element.localName === 'option') return String((element as HTMLOptionElement).selected) === value
      return (ariaWord(element, 'aria-selected') || 'false') === value
    case 'expanded':
      return (expandedState(element) ?? 'false') === value
    default:
      return (ariaWord(element, `aria-${state}`) || 'false') === value
  }
}
