import { IS_FIREFOX, pageWindow } from './engine.ts'

/** What is pasted or dropped. */
export interface Carried {
  text?: string | null
  html?: string | null
  files?: readonly File[]
}

declare const cloneInto: <T>(value: T, target: object) => T

/** As a drag or a clipboard carries it. Firefox shows a page only what was put in by the page's own world. */
export function transferOf(carried: Carried): DataTransfer {
  const data = IS_FIREFOX ? new (pageWindow().DataTransfer)() : new DataTransfer()
  fill(data, carried)
  return data
}

/** A clipboard event of a script, with data of its own in place of the person's clipboard. */
export function clipboardEvent(type: 'copy' | 'paste', carried: Carried = {}): ClipboardEvent {
  const flags = { bubbles: true, cancelable: true, composed: true }
  if (!IS_FIREFOX) return new ClipboardEvent(type, { ...flags, clipboardData: transferOf(carried) })
  const page = pageWindow()
  // Firefox takes no data along: the event comes with an empty transfer, which can be filled.
  const event = new page.ClipboardEvent(type, cloneInto(flags, page))
  if (event.clipboardData !== null) fill(event.clipboardData, carried)
  return event
}

function fill(data: DataTransfer, { text = null, html = null, files = [] }: Carried): void {
  for (const file of files) data.items.add(IS_FIREFOX ? cloneInto(file, pageWindow()) : file)
  if (text !== null) data.setData('text/plain', text)
  if (html !== null) data.setData('text/html', html)
}
