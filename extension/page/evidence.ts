import { holds, isElement, tagOf } from './dom.ts'
import { isRendered } from './rendering.ts'

/** Which changes of the DOM count as the effect of an act. */

/**
 * When a change came: `press` while the pointer or key went down and up, `focus` while the focus moved, `act`
 * in answer to the click or key itself before any other task ran, `late` after that.
 */
export type Phase = 'press' | 'focus' | 'act' | 'late'

export interface Change {
  record: MutationRecord
  phase: Phase
}

/** What of all changes is left at the end: what was undone again has not happened. */
export function netChanges(changes: readonly Change[]): Change[] {
  const added = new Set(changes.flatMap(({ record }) => [...record.addedNodes]))
  const attributes = new Map<Node, Map<string, Change>>()
  const net: Change[] = []
  for (const change of changes) {
    const { record } = change
    if (record.type === 'attributes') rememberFirst(attributes, change)
    else if (
      record.type === 'characterData'
        ? record.oldValue !== record.target.nodeValue
        : leavesTrace(record, added)
    )
      net.push(change)
  }
  for (const each of attributes.values()) net.push(...[...each.values()].filter(isNetAttribute))
  return net.filter(isNoticeable)
}

/** The value before the first change, with the phase of the last. */
function rememberFirst(attributes: Map<Node, Map<string, Change>>, change: Change): void {
  const { record, phase } = change
  const ofNode = attributes.get(record.target) ?? new Map<string, Change>()
  const first = ofNode.get(record.attributeName ?? '')
  ofNode.set(record.attributeName ?? '', { record: first?.record ?? record, phase })
  attributes.set(record.target, ofNode)
}

function isNetAttribute({ record }: Change): boolean {
  const name = record.attributeName ?? ''
  const now = (record.target as Element).getAttributeNS(record.attributeNamespace, name)
  // class="" is no other look than none; hidden="" is.
  if (DECORATION.test(name)) return (now ?? '').trim() !== (record.oldValue ?? '').trim()
  return now !== record.oldValue
}

function leavesTrace(record: MutationRecord, added: ReadonlySet<Node>): boolean {
  const came = [...record.addedNodes].some(node => node.isConnected)
  return came || [...record.removedNodes].some(node => !node.isConnected && !added.has(node))
}

const UNSEEN_TAGS = new Set([
  'script',
  'style',
  'link',
  'meta',
  'template',
  'noscript',
  'title',
  'base',
  'head',
])

/** True when a reader of the page could notice it. */
function isNoticeable({ record }: Change): boolean {
  const target = elementOf(record.target)
  if (!target || target.closest('head') || UNSEEN_TAGS.has(tagOf(target))) return false
  return record.type !== 'childList' || [...record.addedNodes, ...record.removedNodes].some(isSeen)
}

export const elementOf = (node: Node): Element | null =>
  isElement(node)
    ? node
    : node.nodeType === Node.DOCUMENT_FRAGMENT_NODE
      ? (node as ShadowRoot).host
      : node.parentElement

function isSeen(node: Node): boolean {
  if (!isElement(node)) return node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? '').trim() !== ''
  // A tooltip answers the pointer above the target, not the act. Of what was removed nobody can tell any more
  // whether it was drawn.
  return (
    !UNSEEN_TAGS.has(tagOf(node)) &&
    node.getAttribute('role') !== 'tooltip' &&
    (!node.isConnected || isRendered(node))
  )
}

/** Attributes that only change looks, or say so. */
export const DECORATION = /^(class|style|data-.*|draggable|aria-grabbed|aria-dropeffect)$/

/** A ripple or a pressed look: it answers the pointer, not the person's wish. */
export function isDecoration({ record, phase }: Change, target: Element): boolean {
  if (phase !== 'press' && phase !== 'focus') return false
  if (record.type === 'attributes') {
    const near = holds(target, record.target) || holds(record.target, target)
    return near && DECORATION.test(record.attributeName ?? '')
  }
  const nodes = [...record.addedNodes, ...record.removedNodes]
  return holds(target, record.target) && nodes.every(node => (node.textContent ?? '').trim() === '')
}

/** What screen readers are told of. */
export const LIVE = '[aria-live], [role=status], [role=alert], [role=log], output'

/**
 * A late change that may as well be a clock of the page: only text or looks changed, and away from the target.
 * What appears, and what is announced to screen readers, is no such thing.
 */
export function isWeak({ record, phase }: Change, target: Element | null): boolean {
  if (phase !== 'late') return false
  const element = elementOf(record.target)
  if (!element || element.closest(LIVE)) return false
  if (target && (holds(target, element) || holds(element, target) || isControlled(target, element)))
    return false
  if (record.type === 'attributes') return DECORATION.test(record.attributeName ?? '')
  return ![...record.addedNodes, ...record.removedNodes].some(isElement)
}

function isControlled(target: Element, element: Element): boolean {
  const ids = (target.getAttribute('aria-controls') ?? '').split(/\s+/).filter(id => id !== '')
  return ids.some(id => element.closest(`#${CSS.escape(id)}`) !== null)
}
