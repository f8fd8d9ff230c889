import type { Verdict } from '../../shared/values.ts'
import type { Effect } from './observe.ts'
import type { Outside } from './outside.ts'

/** One way of putting text into one kind of field. */
export interface Entry {
  field: HTMLElement
  write(): Promise<void>
  /** The same by the browser's own input, into the field that has the focus. */
  writeTrusted(outside: Outside): Promise<void>
  /** Whether nothing bad comes of writing once more after a judgement of `failed`. */
  isFitAgain(): boolean
  /** Reads back; asked once the page has had its say, for scripts may put back what was there before. */
  judge(effects: readonly Effect[]): Verdict | Promise<Verdict>
  /** How the text was understood, where it could mean something else too. */
  note?: string
}
