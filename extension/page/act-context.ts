import type { Limit } from './clock.ts'
import type { Outside } from './outside.ts'
import type { Pointer } from './pointer.ts'
import type { RefTable } from './refs.ts'
import type { AmbientWatch } from './watch.ts'

/** What every act of one document works with. */
export interface ActContext {
  refs: RefTable
  pointer: Pointer
  ambient: AmbientWatch
  limit: Limit
  outside: Outside
}
