import type { Governor } from '../policy/governor.ts'
import type { Layer } from './layer.ts'

/** Stops a run before any side effect where the policy forbids it, or until a person allows it. */
export const govern =
  (governor: Governor): Layer =>
  async (run, next) => {
    await governor.admit(run)
    run.access = governor.accessOf(run)
    run.permits = url => governor.permits(run, url)
    return next()
  }
