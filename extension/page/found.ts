import type { FoundElement } from '../../shared/values.ts'
import { isActedOn, shownRole } from './clickable.ts'
import { ancestorsOf } from './dom.ts'
import { hitTest } from './hit-test.ts'
import { nameOf } from './names.ts'
import type { RefTable } from './refs.ts'
import { boxesOf, isHidden } from './rendering.ts'
import { hasAuthorName } from './roles.ts'
import { quote, shorten, tidy, withoutRefs } from './text.ts'

const MAX_NAME = 80

/** An element as an agent is told of it: with a ref, and where it stands. */
export function foundIn(element: Element, refs: RefTable): Omit<FoundElement, 'seen' | 'frame'> {
  const role = shownRole(element)
  const fullName = nameOf(element, role)
  const ref = refs.known(element) ?? refs.refOf(element, { role, fullName, place: null })
  const name = withoutRefs(shorten(tidy(fullName) || tidy(element.textContent), MAX_NAME))
  return { ref, role, name, path: pathOf(element) }
}

/** `visible`, `off screen`, `hidden`, or what covers it. */
export function seenAs(element: Element): string {
  if (isHidden(element) || boxesOf(element).length === 0) return 'hidden'
  const inView = boxesOf(element).some(
    box => box.right > 0 && box.bottom > 0 && box.left < window.innerWidth && box.top < window.innerHeight,
  )
  if (!inView) return 'off screen'
  const tested = hitTest(element)
  return 'hit' in tested ? 'visible' : tested.obstacle
}

const TELLING = new Set(
  `alertdialog article cell complementary contentinfo dialog feed figure form grid group iframe list listbox listitem
  main menu navigation region row search table tablist tabpanel toolbar tree`.split(/\s+/),
)
const MAX_STEPS = 4
const MAX_STEP_NAME = 30

/** What is around it, from the outside in, of what a reader would tell by. */
function pathOf(element: Element): string {
  const steps: string[] = []
  for (const around of ancestorsOf(element)) {
    if (steps.length === MAX_STEPS) break
    const role = shownRole(around)
    if (!TELLING.has(role) && !isActedOn(around, role)) continue
    const named = !['list', 'row', 'cell', 'listitem'].includes(role) || hasAuthorName(around)
    const name = named ? shorten(nameOf(around, role), MAX_STEP_NAME) : ''
    steps.unshift(name === '' ? role : `${role} ${quote(withoutRefs(name))}`)
  }
  return steps.join(' > ')
}
