import { isActedOn, shownRole } from './clickable.ts'
import { checkLimit, type Limit, timeLeft } from './clock.ts'
import { elementsIn, holds } from './dom.ts'
import { PageFailure } from './failure.ts'
import { foundIn } from './found.ts'
import { nameOf } from './names.ts'
import { queryAll } from './queries.ts'
import type { RefTable } from './refs.ts'
import { isHidden, isVisible } from './rendering.ts'
import { type ChainStep, parseTarget, type Target } from './targets.ts'
import { distance, quote, shorten } from './text.ts'
import { changeWithin } from './watch.ts'

/** Elements that a target names now: the visible ones when there are any. */
export function findAll(target: string, refs: RefTable): Element[] {
  const parsed = parseTarget(target)
  if (parsed.kind === 'ref') return [refs.resolve(parsed.ref)]
  return parsed.kind === 'chain'
    ? alongChain(parsed.steps, target, refs)
    : seenFirst(queryAll(parsed, target))
}

/** Each step looks in what the one before found. */
function alongChain(steps: readonly ChainStep[], target: string, refs: RefTable): Element[] {
  let found: Element[] | null = null
  for (const step of steps) {
    if (step.kind === 'nth') {
      const picked: Element | undefined = (found ?? []).at(step.index)
      found = picked ? [picked] : []
    } else if (step.kind === 'ref') found = [refs.resolve(step.ref)]
    else found = seenFirst(queryAll(step, target, found))
  }
  return found ?? []
}

function seenFirst(found: Element[]): Element[] {
  const visible = found.filter(isVisible)
  return visible.length > 0 ? visible : found
}

/**
 * The one element that a target names now.
 *
 * @throws ref_gone, element_not_found, element_ambiguous, invalid_args
 */
export function locate(target: string, refs: RefTable): Element {
  const found = distinct(findAll(target, refs))
  const [only] = found
  if (!only) throw PageFailure.of('element_not_found', { target, nearest: nearestTo(parseTarget(target)) })
  if (found.length > 1) {
    const candidates = found.slice(0, MAX_CANDIDATES).map(element => candidateText(element, refs))
    throw PageFailure.of('element_ambiguous', { target, count: found.length, candidates })
  }
  return only
}

const MAX_CANDIDATES = 5

function candidateText(element: Element, refs: RefTable): string {
  const { ref, role, name, path } = foundIn(element, refs)
  return `${role}${name === '' ? '' : ` ${quote(name)}`} [${ref}]${path === '' ? '' : ` in ${path}`}`
}

/** A match around another match, such as a label around its text, is not another element to choose from. */
function distinct(found: Element[]): Element[] {
  if (found.length < 2) return found
  const acting = found.filter(element => isActedOn(element, shownRole(element)))
  const [only] = acting
  if (only && acting.length === 1 && found.every(element => holds(only, element) || holds(element, only)))
    return [only]
  return found
}

/** What may still come into the page is waited for; a ref is there or gone. */
const PATIENCE_MS = 2000
/** Style alone can show an element without any event. */
const RECHECK_MS = 250

/** Like `locate`, but gives an element that is not there yet some time to appear. */
export async function awaitElement(target: string, refs: RefTable, limit: Limit): Promise<Element> {
  const end = Date.now() + Math.min(PATIENCE_MS, timeLeft(limit))
  for (;;) {
    checkLimit(limit)
    try {
      return locate(target, refs)
    } catch (error) {
      const mayCome = error instanceof PageFailure && error.json.code === 'element_not_found'
      if (!mayCome || Date.now() >= end) throw error
    }
    await changeWithin(Math.min(RECHECK_MS, Math.max(1, end - Date.now())), limit.signal)
  }
}

const MAX_NEAREST = 3
/** A page must not stand still for the sake of a hint. */
const NEAREST_MS = 40
const FARTHEST = 0.45

/** Targets that would have matched something and look like the one that did not. */
function nearestTo(target: Target): string[] {
  const wanted = wantedText(target)
  if (wanted === '') return []
  const scored = new Map<string, number>()
  const end = performance.now() + NEAREST_MS
  for (const element of elementsIn(document)) {
    if (performance.now() > end) break
    const role = shownRole(element)
    if (!isActedOn(element, role) || isHidden(element)) continue
    const name = shorten(nameOf(element, role), 80)
    if (name === '') continue
    const selector = `role=${role}[name=${quote(name)}]`
    const away = distance(wanted, name) + (target.kind === 'role' && target.role !== role ? 0.1 : 0)
    if (away <= FARTHEST) scored.set(selector, Math.min(away, scored.get(selector) ?? 1))
  }
  return [...scored.entries()]
    .sort((a, b) => a[1] - b[1])
    .slice(0, MAX_NEAREST)
    .map(([selector]) => selector)
}

function wantedText(target: Target): string {
  switch (target.kind) {
    case 'text':
    case 'label':
    case 'attribute':
      return target.match.text
    case 'role':
      return target.name?.text ?? ''
    case 'testid':
      return target.id
    case 'css':
      return target.selector.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
    default:
      return ''
  }
}
