import type { ActResult } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { shownRole } from './clickable.ts'
import { focusedElement, pageElement } from './dom.ts'
import { isInput, isTextArea, rawValueOf } from './field-values.ts'
import { focusableAt, moveFocus } from './focus.ts'
import { actResult, guarded, Observation } from './observe.ts'
import { awaitUsable } from './readiness.ts'
import type { Stash, StashedFile } from './stash.ts'
import { clipboardEvent } from './transfer.ts'

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
  const carried = { text, html, files: files.map(file => stash.take(file)) }
  const before = contentOf(element)
  const observation = new Observation(element, context.ambient)
  await guarded(observation, async () => {
    const focusable = target === null ? null : focusableAt(element)
    if (focusable !== null) moveFocus(focusable)
    await observation.settle('focus')
    const at = focusedElement() ?? element
    if (at.dispatchEvent(clipboardEvent('paste', carried))) insert(html, text)
    await observation.settle('act')
  })
  const isThere = (): boolean => contentOf(element) !== before
  const { effects } = await observation.conclude(context.limit, isThere)
  // The focus came before the paste and says nothing of it.
  const isSeen = isThere() || effects.some(effect => effect !== 'focus')
  return actResult(isSeen ? 'confirmed' : 'unconfirmed', effects, element)
}

/** What the browser does with a paste that the page leaves to it. */
function insert(html: string | null, text: string | null): void {
  const field = focusedElement()
  const isPlain = field !== null && (isInput(field) || isTextArea(field))
  // Editing commands follow the selection, which may have stayed behind in a field that lost the focus.
  if (!isPlain && !takesRichText(field ?? document.body)) return
  if (html !== null && !isPlain) document.execCommand('insertHTML', false, html)
  else if (text !== null) document.execCommand('insertText', false, text)
}

const takesRichText = (at: Element): boolean =>
  document.designMode === 'on' || (at as HTMLElement).isContentEditable

const contentOf = (element: Element): string =>
  rawValueOf(element, shownRole(element)) ?? (element as HTMLElement).innerHTML
