import { type Outside, withoutDebugger } from './outside.ts'

/**
 * In a tab that is not drawn no animation goes on and no frame comes: what fades stays in the way for ever, and what
 * waits for a frame does not appear. With the browser's own input at hand it is drawn.
 *
 * @returns whether it is drawn from now on, and was not before
 */
export async function haveDrawn(outside: Outside): Promise<boolean> {
  if (document.visibilityState !== 'hidden' || outside.isAttached || outside.hand === 'dom') return false
  try {
    await outside.attach()
    return true
  } catch (error) {
    withoutDebugger(error)
    return false
  }
}
