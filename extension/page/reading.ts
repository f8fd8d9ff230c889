import { controlOf, shownRole } from './clickable.ts'
import { isHtml, shadowRootOf } from './dom.ts'
import { PageFailure } from './failure.ts'
import { fieldValueOf } from './field-values.ts'
import { contentOf, nameOf } from './names.ts'
import { isHidden } from './rendering.ts'
import { type Checked, checkedState } from './states.ts'

/** What can be read of a page without changing anything. */

export interface ElementReading {
  text: string
  /** null where it has none; `[filled]` for a secret. */
  value: string | null
  name: string
  role: string
  checked: Checked | null
  /** Its middle in the viewport; null when it is not there. */
  at: { x: number; y: number } | null
}

export function readElement(element: Element): ElementReading {
  const control = controlOf(element)
  const role = shownRole(control)
  return {
    text: textOfElement(element),
    value: fieldValueOf(control, role),
    name: isHidden(element) ? '' : nameOf(element, shownRole(element)),
    role,
    checked: checkedState(control, role),
    at: middleOf(element),
  }
}

function middleOf(element: Element): ElementReading['at'] {
  const { left, top, width, height } = element.getBoundingClientRect()
  const at = { x: left + width / 2, y: top + height / 2 }
  const isSeen = at.x > 0 && at.y > 0 && at.x < window.innerWidth && at.y < window.innerHeight
  return isSeen ? at : null
}

/** With its line breaks, as it is drawn; with shadow trees it is the text in one line. */
function textOfElement(element: Element): string {
  const drawn = isHtml(element) && !shadowRootOf(element) && !element.querySelector('slot')
  return drawn ? element.innerText.trim() : contentOf(element)
}

export interface PageHtml {
  html: string
  url: string
  title: string
}

/** The link carries no more in one piece. */
const MAX_HTML_CHARS = 30_000_000

export function readHtml(element: Element | null): PageHtml {
  // A page may have taken its own root away.
  const html = (element ?? (document.documentElement as Element | null))?.outerHTML ?? ''
  if (html.length > MAX_HTML_CHARS) {
    throw PageFailure.of('frame_too_large', { bytes: html.length, limit: MAX_HTML_CHARS })
  }
  return { html, url: location.href, title: document.title }
}

export interface PageStorage {
  local: Record<string, string>
  session: Record<string, string>
}

export const readStorage = (): PageStorage => ({
  local: recordOf(() => localStorage),
  session: recordOf(() => sessionStorage),
})

function recordOf(open: () => Storage): Record<string, string> {
  try {
    const storage = open()
    // One by one: a key such as `length` is no property of the storage.
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
    return Object.fromEntries(keys.map(key => [key, storage.getItem(key) ?? '']))
  } catch (error) {
    // Sandboxed documents, and those whose storage the person has blocked, have none.
    if (error instanceof DOMException && error.name === 'SecurityError') return {}
    throw error
  }
}

export interface FrameInfo {
  /** Which of the parent's frames it is; null at the top, -1 when it lies in a shadow tree. */
  index: number | null
  url: string
}

/** Tells a frame's place, so that a worker can match it with the `frames` of its parent's snapshot. */
export function readFrame(): FrameInfo {
  if (window.parent === window) return { index: null, url: location.href }
  for (let index = 0; index < window.parent.length; index += 1) {
    if (window.parent[index] === window) return { index, url: location.href }
  }
  return { index: -1, url: location.href }
}
