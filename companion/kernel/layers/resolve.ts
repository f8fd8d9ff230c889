import { Failure } from '../../../shared/failures.ts'
import type { Catalogue } from '../operation.ts'
import type { Layer } from './layer.ts'

const ID = /^[a-z0-9][a-z0-9_-]*\.[a-z0-9][a-z0-9_-]*$/

/** Finds the operation, or says which name was probably meant. */
export const resolve =
  (catalogue: Catalogue): Layer =>
  (run, next) => {
    const name = run.invocation.operation
    const operation = ID.test(name) ? catalogue.get(name) : null
    if (operation === null) throw new Failure('unknown_operation', { name, nearest: catalogue.nearest(name) })
    run.operation = operation
    return next()
  }
