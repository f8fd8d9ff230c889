import type { ActResult, Verdict } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { delay, nextTask } from './clock.ts'
import { isHtml } from './dom.ts'
import { DragEvents } from './drag-events.ts'
import { isInput } from './field-values.ts'
import { awaitElement } from './locate.ts'
import { actResult, guarded, Observation } from './observe.ts'
import { pageTurn } from './pointer.ts'
import { notReady } from './readiness.ts'
import { tellSet } from './setting.ts'
import type { Stash, StashedFile } from './stash.ts'
import { transferOf } from './transfer.ts'

export interface UploadRequest {
  /** A file field, its label, a drop zone, or what opens the chooser when it is clicked. */
  target: string
  files: readonly StashedFile[]
}

/** Gives files to the page and tells what it made of them. */
export async function upload(
  { target, files: wanted }: UploadRequest,
  context: ActContext,
  stash: Stash,
): Promise<ActResult> {
  const element = await awaitElement(target, context.refs, context.limit)
  const files = wanted.map(file => stash.take(file))
  const field = fieldOf(element)
  return field === null
    ? await dropOrChoose(element, files, target, context)
    : await fill(field, files, target, context)
}

function fieldOf(element: Element): HTMLInputElement | null {
  const control = element.localName === 'label' ? (element as HTMLLabelElement).control : element
  if (control !== null && isFileField(control)) return control
  const inside = isHtml(element) ? [...element.querySelectorAll('input')].filter(isFileField) : []
  const [only] = inside
  return inside.length === 1 && only !== undefined ? only : null
}

const isFileField = (element: Element): element is HTMLInputElement =>
  isInput(element) && element.type === 'file'

async function fill(
  field: HTMLInputElement,
  files: readonly File[],
  target: string,
  context: ActContext,
): Promise<ActResult> {
  if (field.matches(':disabled')) throw notReady(target, 'the file field is disabled')
  if (files.length > 1 && !field.multiple && !field.hasAttribute('webkitdirectory'))
    throw notReady(target, `the field takes one file, not ${files.length}`)
  const observation = new Observation(field, context.ambient)
  let kept: string | null = null
  await guarded(observation, async () => {
    field.files = transferOf({ files }).files
    kept = told(field.files)
    tellSet(field)
    await observation.settle('act')
  })
  const { effects, verdict } = await observation.conclude(context.limit)
  const now = told(field.files)
  const wanted = told(files)
  // Many pages take the files out of the field at once, into a list of their own.
  const outcome: Verdict = now === wanted ? 'confirmed' : kept === wanted ? verdict : 'failed'
  return { ...actResult(outcome, [...new Set([...effects, 'value'])], null), value: now || kept }
}

/** Events that a page dispatches to a field that is in no document are not heard; those in one are. */
const CHOOSER_MS = 1000

async function dropOrChoose(
  element: Element,
  files: readonly File[],
  target: string,
  context: ActContext,
): Promise<ActResult> {
  const observation = new Observation(element, context.ambient)
  let taken = false
  await guarded(observation, async () => {
    taken = await drop(element, files)
    await observation.settle('act')
  })
  if (taken) {
    const { effects, verdict } = await observation.conclude(context.limit)
    return { ...actResult(verdict, effects, null), value: told(files) }
  }
  observation.end()
  const field = await clickedField(element)
  if (field !== null) return await fill(field, files, target, context)
  throw notReady(
    target,
    'it takes no drop, and a click on it opens no file field of the page; name the input of type file itself',
  )
}

/** @returns whether the page took the drop */
async function drop(element: Element, files: readonly File[]): Promise<boolean> {
  element.scrollIntoView({ block: 'nearest', behavior: 'instant' })
  const { left, top, width, height } = element.getBoundingClientRect()
  const point = { x: left + width / 2, y: top + height / 2 }
  const drag = new DragEvents(transferOf({ files }))
  drag.moveTo(point, null, element)
  await nextTask()
  drag.moveTo(point, null, element)
  if (!drag.accepted) {
    drag.drop(point, element)
    return false
  }
  await pageTurn()
  return drag.drop(point, element)
}

/** The file field that the page clicks in answer to a click on the element. */
async function clickedField(element: Element): Promise<HTMLInputElement | null> {
  let found: HTMLInputElement | null = null
  const listener = (event: Event): void => {
    const [origin] = event.composedPath()
    if (!(origin instanceof Element) || !isFileField(origin)) return
    found = origin
    // The chooser is answered here, in place of the person.
    event.preventDefault()
  }
  window.addEventListener('click', listener, { capture: true })
  try {
    if (isHtml(element)) element.click()
    for (let waited = 0; found === null && waited < CHOOSER_MS; waited += 50) await delay(50)
    return found
  } finally {
    window.removeEventListener('click', listener, { capture: true })
  }
}

const told = (files: Iterable<File> | null): string =>
  [...(files ?? [])].map(({ name, size }) => `${name} (${size} bytes)`).join(', ')
