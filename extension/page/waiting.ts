import { checkLimit, deadlineExceeded, delay, type Limit, timeLeft } from './clock.ts'
import { isHtml, rootsIn } from './dom.ts'
import { PageFailure } from './failure.ts'
import { isInput, isSecret, isTextArea } from './field-values.ts'
import { findAll } from './locate.ts'
import type { RefTable } from './refs.ts'
import { isVisible } from './rendering.ts'
import { tidy } from './text.ts'
import { changeWithin } from './watch.ts'

export interface WaitRequest {
  target: string | null
  text: string | null
  /** A part of the address, or all of it with `*` for anything. */
  url: string | null
  /** Until nothing of it is there any more. */
  gone: boolean
}

export interface WaitResult {
  waited_ms: number
  url: string
}

/** Styles can change what is seen without any event: look again this often at least. */
const RECHECK_MS = 500
/** And not more often than this, however busy the page is. */
const PAUSE_MS = 50

/** Waits until all that is asked for is there, or none of it; a target with a text, until the target holds it. Fails with deadline_exceeded. */
export async function waitFor(request: WaitRequest, refs: RefTable, limit: Limit): Promise<WaitResult> {
  if (request.target === null && request.text === null && request.url === null) {
    throw PageFailure.of('invalid_args', {
      operation: 'browser.wait',
      problems: ['one of target, text and url is needed'],
    })
  }
  for (;;) {
    const there = presence(request, refs)
    if (request.gone ? !there.includes(true) : !there.includes(false)) {
      return { waited_ms: Date.now() - limit.started, url: location.href }
    }
    checkLimit(limit)
    const left = timeLeft(limit)
    await changeWithin(Math.min(RECHECK_MS, left), limit.signal)
    await delay(Math.min(PAUSE_MS, Math.max(0, timeLeft(limit))))
    if (timeLeft(limit) <= 0) throw deadlineExceeded(limit)
  }
}

function presence({ target, text, url }: WaitRequest, refs: RefTable): boolean[] {
  const there: boolean[] = []
  if (target !== null) there.push(isThere(target, text, refs))
  else if (text !== null) there.push(isTextShown(text))
  if (url !== null) there.push(matchesUrl(url, location.href))
  return there
}

/** Where a text is asked for as well, it is the element's own: what it shows, or what is filled in. */
function isThere(target: string, text: string | null, refs: RefTable): boolean {
  try {
    return findAll(target, refs).some(
      element => isVisible(element) && (text === null || holds(element, text)),
    )
  } catch (error) {
    if (error instanceof PageFailure && error.json.code === 'ref_gone') return false
    throw error
  }
}

function holds(element: Element, text: string): boolean {
  const value = (isInput(element) || isTextArea(element)) && !isSecret(element) ? element.value : ''
  const shown = isHtml(element) ? element.innerText : (element.textContent ?? '')
  return [value, shown].some(part => tidy(part).toLowerCase().includes(tidy(text).toLowerCase()))
}

/** In any case, white space aside, shadow trees included. */
function isTextShown(text: string): boolean {
  const wanted = tidy(text).toLowerCase()
  return rootsIn(document).some(root => {
    const parts = root === document ? [document.body] : [...root.children]
    return parts.some(part => part && isHtml(part) && tidy(part.innerText).toLowerCase().includes(wanted))
  })
}

export function matchesUrl(pattern: string, url: string): boolean {
  if (!pattern.includes('*')) return url.includes(pattern)
  const source = pattern
    .split(/\*+/)
    .map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${source}$`).test(url)
}
