import type { Slice } from './clock.ts'
import type { ElementItem, Item } from './items.ts'
import { isOffPage } from './looks.ts'
import { coverState } from './reach.ts'

/**
 * Marks what cannot be seen or reached just now. `off-screen` holds for all that follows beside the item that it is
 * said of, until one is `on-screen`, and for all within; to scroll is all that it takes. What acts and is `covered`,
 * `clipped` or `off-page` cannot be clicked as things are.
 */
export function* markPlaces(items: readonly Item[], part: Slice): Generator<void> {
  if (innerWidth < 1 || innerHeight < 1) return
  let wasOff = false
  for (const item of items) {
    if (part.over()) yield
    if (item.kind === 'text') continue
    const box = item.element.getBoundingClientRect()
    const hasBox = box.width > 0 && box.height > 0
    const isOff: boolean = hasBox ? isOffScreen(box) : wasOff
    if (isOff !== wasOff) item.states.push(isOff ? 'off-screen' : 'on-screen')
    wasOff = isOff
    if (item.acts) markReach(item, box, isOff)
    if (!isOff || !hasBox) yield* markPlaces(item.children, part)
  }
}

function isOffScreen(box: DOMRect): boolean {
  return box.bottom <= 0 || box.right <= 0 || box.top >= innerHeight || box.left >= innerWidth
}

function markReach(item: ElementItem, box: DOMRect, isOff: boolean): void {
  if (isOff) {
    if (isOffPage(box)) item.states.push('off-page')
    return
  }
  const cover =
    item.element.isConnected && !item.states.includes('disabled-looking') ? coverState(item.element) : null
  if (cover) item.states.push(cover)
}
