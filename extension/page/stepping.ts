import { flatParent } from './dom.ts'
import { isInput, isSelect, isTextArea, type TextControl } from './field-values.ts'
import { moveFocus } from './focus.ts'
import type { Chord } from './keyboard.ts'
import { isEditingHost } from './roles.ts'
import { tellSet } from './setting.ts'
import { radioGroup } from './tab-order.ts'

/** What arrows and the keys beside them do: choose, step, move the caret, or scroll. */
export function moveBy(target: Element, chord: Chord): void {
  if (isInput(target) && target.type === 'radio') moveInGroup(target, stepOf(chord.key))
  else if (isInput(target) && (target.type === 'range' || target.type === 'number'))
    stepValue(target, chord.key)
  else if (isSelect(target)) moveOption(target, chord.key)
  else if (isInput(target) || isTextArea(target)) moveCaret(target, chord)
  else if (isEditingHost(target)) moveInEditor(chord)
  else scroll(target, chord.key)
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

const stepOf = (key: string): number => STEPS[key] ?? 0

function moveInGroup(radio: HTMLInputElement, step: number): void {
  const group = radioGroup(radio)
  const next = group[(group.indexOf(radio) + step + group.length) % group.length]
  if (step === 0 || !next || next === radio) return
  moveFocus(next)
  next.click()
}

const VALUE_STEPS: Record<string, number> = {
  ArrowUp: 1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowLeft: -1,
  PageUp: 10,
  PageDown: -10,
}

function stepValue(input: HTMLInputElement, key: string): void {
  const before = input.value
  const step = VALUE_STEPS[key] ?? 0
  if (input.readOnly || (input.type === 'number' && !key.endsWith('Up') && !key.endsWith('Down'))) return
  if (step > 0) input.stepUp(step)
  else if (step < 0) input.stepDown(-step)
  else if (key === 'Home' && input.type === 'range') input.value = input.min || '0'
  else if (key === 'End' && input.type === 'range') input.value = input.max || '100'
  if (input.value !== before) tellSet(input)
}

function moveOption(select: HTMLSelectElement, key: string): void {
  const options = [...select.options]
  const free = options.filter(option => !option.disabled && !option.closest('optgroup')?.disabled)
  const at = free.findIndex(option => option.selected)
  const to =
    { Home: 0, End: free.length - 1 }[key] ?? Math.min(free.length - 1, Math.max(0, at + stepOf(key)))
  const next = free[to]
  if (!next || to === at) return
  select.selectedIndex = options.indexOf(next)
  tellSet(select)
}

function moveCaret(control: TextControl, chord: Chord): void {
  const { selectionStart, selectionEnd, value } = control
  if (selectionStart === null || selectionEnd === null) return
  const places: Record<string, number> = {
    ArrowLeft:
      selectionStart === selectionEnd || chord.shift ? Math.max(0, selectionStart - 1) : selectionStart,
    ArrowRight:
      selectionStart === selectionEnd || chord.shift
        ? Math.min(value.length, selectionEnd + 1)
        : selectionEnd,
    Home: 0,
    End: value.length,
  }
  const place = places[chord.key]
  if (place === undefined) return
  if (!chord.shift) control.setSelectionRange(place, place)
  else if (place < selectionStart) control.setSelectionRange(place, selectionEnd, 'backward')
  else control.setSelectionRange(selectionStart, place, 'forward')
}

const MOVES: Record<string, [direction: string, granularity: string]> = {
  ArrowLeft: ['backward', 'character'],
  ArrowRight: ['forward', 'character'],
  ArrowUp: ['backward', 'line'],
  ArrowDown: ['forward', 'line'],
  Home: ['backward', 'lineboundary'],
  End: ['forward', 'lineboundary'],
}

function moveInEditor(chord: Chord): void {
  const move = MOVES[chord.key]
  if (move) getSelection()?.modify(chord.shift ? 'extend' : 'move', ...move)
}

const LINE = 40
const PAGE_SHARE = 0.875

function scroll(target: Element, key: string): void {
  const box = scrollerOf(target)
  const page = box.clientHeight * PAGE_SHARE
  const ways: Record<string, [x: number, y: number]> = {
    ArrowUp: [0, -LINE],
    ArrowDown: [0, LINE],
    ArrowLeft: [-LINE, 0],
    ArrowRight: [LINE, 0],
    PageUp: [0, -page],
    PageDown: [0, page],
    Home: [0, -box.scrollHeight],
    End: [0, box.scrollHeight],
  }
  const way = ways[key]
  if (way) box.scrollBy({ left: way[0], top: way[1], behavior: 'instant' })
}

function scrollerOf(target: Element): Element {
  for (let at: Element | null = target; at; at = flatParent(at)) {
    const { overflowY } = getComputedStyle(at)
    if (at.scrollHeight > at.clientHeight && (overflowY === 'auto' || overflowY === 'scroll')) return at
  }
  return document.scrollingElement ?? document.documentElement
}
