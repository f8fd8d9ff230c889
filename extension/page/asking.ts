import { shownRole } from './clickable.ts'
import { ancestorsOf, isElement } from './dom.ts'
import { nameOf } from './names.ts'

/** Whether a page is likely to raise a dialog when it is acted on, as far as it shows. */

const CALLS = /\b(?:alert|confirm|prompt)\s*\(|\bbeforeunload\b/i
const HANDLER =
  /^(?:on(?:click|submit|mousedown|mouseup|pointerdown|pointerup|change|keydown|input)|href|data-.*confirm.*)$/
/** What people are asked about before it happens. */
const GRAVE =
  /delete|remove|discard|reset|clear|erase|destroy|cancel|leave|log ?out|sign ?out|unsubscribe|reject|abort|删除|刪除|移除|清空|清除|重置|取消|退出|注销|离开|放弃|撤销|削除|삭제/i
/** Scripts beyond these tell nothing more in the time that an act may take. */
const MAX_SCRIPT_CHARS = 2_000_000

const known = new WeakMap<HTMLScriptElement, boolean>()

/** Of an act on the element; null where there is none, or not yet. */
export const mayAsk = (element: Element | null): boolean =>
  scriptsAsk() || (element !== null && (asksByMarkup(element) || isGrave(element)))

/** When it is left: that takes a person, or trusted input, to have been in it. */
export const mayAskToStay = (): boolean => navigator.userActivation?.hasBeenActive ?? true

/** Scripts that stand in the page itself; those from elsewhere cannot be read without asking for them. */
function scriptsAsk(): boolean {
  let left = MAX_SCRIPT_CHARS
  for (const script of document.scripts) {
    if (script.src !== '' || left <= 0) continue
    const before = known.get(script)
    const asks = before ?? CALLS.test(script.text.slice(0, left))
    if (before === undefined) known.set(script, asks)
    left -= script.text.length
    if (asks) return true
  }
  return false
}

function asksByMarkup(element: Element): boolean {
  const form = element.closest('form')
  return [element, ...ancestorsOf(element), ...(form === null ? [] : [form])].some(hasAskingAttribute)
}

const hasAskingAttribute = (element: Element): boolean =>
  isElement(element) &&
  element
    .getAttributeNames()
    .some(
      name =>
        HANDLER.test(name) && (name.startsWith('data-') || CALLS.test(element.getAttribute(name) ?? '')),
    )

const isGrave = (element: Element): boolean => GRAVE.test(nameOf(element, shownRole(element)))
