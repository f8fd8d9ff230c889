import type { Verdict } from '../../shared/values.ts'
import { drainMicrotasks, nextTask } from './clock.ts'
import type { Entry } from './entry.ts'
import { isInput } from './field-values.ts'
import { pressKey } from './key-defaults.ts'
import { parseChord } from './keyboard.ts'
import { notReady } from './readiness.ts'
import { roleOf } from './roles.ts'
import { trustedKey } from './trusted-typing.ts'

/** Sliders that a page has made itself. They take keys, by the ARIA pattern, and tell their value. */

export const isOwnSlider = (element: Element): boolean =>
  roleOf(element) === 'slider' && !isInput(element) && Number.isFinite(valueNow(element))

const valueNow = (slider: Element): number => numberOf(slider, 'aria-valuenow')

const numberOf = (slider: Element, attribute: string): number =>
  Number.parseFloat(slider.getAttribute(attribute) ?? '')

/** @throws element_not_ready for what is no number, or is beyond the slider's ends */
export function sliderEntry(slider: HTMLElement, text: string, words: string): Entry {
  const wanted = text.trim() === '' ? Number.NaN : Number(text)
  const [min, max] = [numberOf(slider, 'aria-valuemin'), numberOf(slider, 'aria-valuemax')]
  if (!Number.isFinite(wanted)) throw notReady(words, `it takes a number, not "${text}"`)
  if (wanted < min || wanted > max) throw notReady(words, `it goes from ${min} to ${max}`)
  const judge = (): Verdict => (valueNow(slider) === wanted ? 'confirmed' : 'failed')
  return {
    field: slider,
    write: () => step(slider, wanted, async key => void (await pressKey(slider, parseChord(key)))),
    writeTrusted: outside => step(slider, wanted, key => outside.input(trustedKey(key))),
    isFitAgain: () => true,
    judge,
  }
}

type Press = (key: string) => Promise<void>

/** Keys enough for a scale of a thousand steps, by tens. */
const MOST_KEYS = 250
const MANY_STEPS = 10

/** Presses the keys that lead to the value; ends where they lead past it or nowhere. */
async function step(slider: HTMLElement, wanted: number, press: Press): Promise<void> {
  let small = Number.POSITIVE_INFINITY
  let mayLeap = true
  for (let pressed = 0; pressed < MOST_KEYS; pressed += 1) {
    const before = valueNow(slider)
    const distance = Math.abs(wanted - before)
    if (distance === 0) return
    const leaps = mayLeap && distance >= MANY_STEPS * small
    const isUp = wanted > before
    await press(leaps ? (isUp ? 'PageUp' : 'PageDown') : isUp ? 'ArrowUp' : 'ArrowDown')
    await drawn(slider, before)
    const moved = Math.abs(valueNow(slider) - before)
    const isPast = Math.abs(wanted - valueNow(slider)) >= distance
    if (leaps) mayLeap = !isPast
    else if (isPast) return
    else small = moved
  }
}

/** Frameworks draw what a key does in a task of their own. */
const TASKS = 8

async function drawn(slider: Element, before: number): Promise<void> {
  await drainMicrotasks()
  for (let task = 0; task < TASKS && valueNow(slider) === before; task += 1) await nextTask()
}
