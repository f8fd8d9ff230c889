import type { Verdict } from '../../shared/values.ts'
import type { Entry } from './entry.ts'

/** Controls whose value is set as a whole, not typed. */

/** The events by which a browser tells that a person has set a control. */
export function tellSet(control: Element): void {
  control.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  control.dispatchEvent(new Event('change', { bubbles: true }))
}

/** What is set as a whole is never typed, so the other hand has no other way to do it. */
export function bySetting(field: HTMLElement, write: () => void, judge: () => Verdict): Entry {
  const set = async (): Promise<void> => write()
  return { field, write: set, writeTrusted: set, isFitAgain: () => false, judge }
}
