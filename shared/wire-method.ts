import { z } from 'zod'
import { DialogPolicy, TabId } from './values.ts'

/** One row of the wire's table. */
export interface Method<P extends z.ZodType, R extends z.ZodType> {
  doc: string
  effect: 'read' | 'write'
  /** True where it may change the site itself: after one of these nothing is tried another way. */
  acts: boolean
  /**
   * Of which site it needs the person's grant: that of the page in the session's tab, those of the addresses in its
   * `url` and `origin`, of both, or of none. What does not say is about the page.
   */
  touches: 'page' | 'address' | 'both' | 'nothing'
  params: P
  result: R
}
export const method = <P extends z.ZodType, R extends z.ZodType>(
  m: Omit<Method<P, R>, 'acts' | 'touches'> & Partial<Pick<Method<P, R>, 'acts' | 'touches'>>,
): Method<P, R> => ({ acts: false, touches: 'page', ...m })

/** A session owns tabs of its own; the person's tabs are never among them unless granted. */
export const session = z.string().min(1).max(64)
/** Without a tab the session's current one is meant. Handlers get both as one address in `session`: `work/t2`. */
export const inSession = { session, tab: TabId.optional() }
/** What may make a page raise a dialog. Without a policy the session's own holds. */
export const acting = { ...inSession, dialogs: DialogPolicy.optional() }
