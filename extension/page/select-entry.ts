import { PageFailure } from './failure.ts'
import { notReady } from './readiness.ts'
import { tellSet } from './setting.ts'
import { distance, tidy } from './text.ts'

/** Chooses exactly these options of a native list, with its events. Nothing happens when they are chosen already. */
export function chooseOptions(select: HTMLSelectElement, texts: readonly string[], words: string): void {
  const chosen = texts.map(text => usableOption(select, text, words))
  if (chosen.length > 1 && !select.multiple) throw notReady(words, 'it takes one option only')
  const isRight = [...select.options].every(option => option.selected === chosen.includes(option))
  if (isRight) return
  for (const option of select.options) option.selected = chosen.includes(option)
  tellSet(select)
}

/** Whether these options, and no others, are chosen now. */
export function areChosen(select: HTMLSelectElement, texts: readonly string[]): boolean {
  const wanted = texts.map(text => optionFor(select, text))
  const chosen = [...select.selectedOptions]
  return wanted.every(option => option?.selected) && chosen.every(option => wanted.includes(option))
}

/** @throws element_not_found with the nearest options, element_not_ready for a disabled one */
export function usableOption(select: HTMLSelectElement, text: string, words: string): HTMLOptionElement {
  const option = optionFor(select, text)
  if (!option) {
    const labels = [...select.options].map(each => tidy(each.label))
    throw noOption(text, words, labels)
  }
  if (option.disabled || option.closest('optgroup')?.disabled)
    throw notReady(words, `its option "${text}" is disabled`)
  return option
}

export const noOption = (text: string, words: string, labels: readonly string[]): PageFailure =>
  PageFailure.of('element_not_found', {
    target: `option "${text}" of ${words}`,
    nearest: labels
      .filter(label => label !== '')
      .sort((a, b) => distance(text, a) - distance(text, b))
      .slice(0, 3),
  })

/** By label, then by value, then by label in any case, then by the only label that holds the text. */
function optionFor(select: HTMLSelectElement, text: string): HTMLOptionElement | undefined {
  const options = [...select.options]
  return (
    options.find(option => tidy(option.label) === tidy(text)) ??
    options.find(option => option.value === text) ??
    bestNamed(options, option => option.label, text)
  )
}

type Named<T> = (items: readonly T[], nameOf: (item: T) => string, text: string) => T | undefined

/** By name, then by name in any case. */
export function exactlyNamed<T>(...[items, nameOf, text]: Parameters<Named<T>>): T | undefined {
  const wanted = tidy(text)
  const lower = wanted.toLowerCase()
  return (
    items.find(item => tidy(nameOf(item)) === wanted) ??
    items.find(item => tidy(nameOf(item)).toLowerCase() === lower)
  )
}

/** By name, then by name in any case, then by the only name that holds the text. */
export function bestNamed<T>(...[items, nameOf, text]: Parameters<Named<T>>): T | undefined {
  const lower = tidy(text).toLowerCase()
  const exact = exactlyNamed(items, nameOf, text)
  if (exact || lower === '') return exact
  const holding = items.filter(item => tidy(nameOf(item)).toLowerCase().includes(lower))
  return holding.length === 1 ? holding[0] : undefined
}
