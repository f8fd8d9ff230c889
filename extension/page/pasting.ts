import type { ActResult } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { shownRole } from './clickable.ts'
import { focusedElement, pageElement } from './dom.ts'
import { isInput, isTextArea, rawValueOf } from './field-values.ts'
import { focusableAt, moveFocus } from './focus.ts'
import { actResult, guarded, Observation } from './observe.ts'
import { awaitUsable } from './readiness.ts'
import type { Stash, StashedFile } from './stash.ts'
import { carrying } from './uploading.ts'

export interface PasteRequest {
  /** null: what has the focus, or else the page. */
  target: string | null
  text: string | null
  html: string | null
  files: readonly StashedFile[]
}

/** Pastes as from a clipboard, without touching the person's own. */
export async function paste(
  { target, text, html, files }: PasteRequest,
  context: ActContext,
  stash: Stash,
): Promise<ActResult> {
  await context.ambient.hasLooked()
  const element =
    target === null
      ? (focusedElement() ?? pageElement())
      : await awaitUsable(target, context.refs, context.limit)
  const data = carrying(files.map(file => stash.take(file)))
  if (text !== null) data.setData('text/plain', text)
  if (html !== null) data.setData('text/html', html)
  const before = contentOf(element)
  const observation = new Observation(element, context.ambient)
  await guarded(observation, async () => {
    const focusable = target === null ? null : focusableAt(element)
    if (focusable !== null) moveFocus(focusable)
    await observation.settle('focus')
    const at = focusedElement() ?? element
    if (offer(at, data)) insert(html, text)
    await observation.settle('act')
  })
  const isThere = (): boolean => contentOf(element) !== before
  const { effects, verdict } = await observation.conclude(context.limit, isThere)
  return actResult(
    isThere() ? 'confirmed' : verdict === 'confirmed' ? verdict : 'unconfirmed',
    effects,
    element,
  )
}

/** @returns false when the page has dealt with it itself */
const offer = (element: Element, clipboardData: DataTransfer): boolean =>
  element.dispatchEvent(
    new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
  )

/** What the browser does with a paste that the page leaves to it. */
function insert(html: string | null, text: string | null): void {
  const field = focusedElement()
  const isPlain = field !== null && (isInput(field) || isTextArea(field))
  if (html !== null && !isPlain) document.execCommand('insertHTML', false, html)
  else if (text !== null) document.execCommand('insertText', false, text)
}

const contentOf = (element: Element): string =>
  rawValueOf(element, shownRole(element)) ?? (element as HTMLElement).innerHTML
