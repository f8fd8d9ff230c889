import { Failure } from '../../../shared/failures.ts'
import type { Catalogue } from '../operation.ts'
import type { Layer } from './layer.ts'

const ID = /^[a-z0-9][a-z0-9_-]*\.[a-z0-9][a-z0-9_-]*$/

/** Finds the operation, or says which name was probably meant. */
export const resolve =
  (catalogue: Catalogue): Layer =>
  (run, next) => {
    const { operation: name, adapterDirs = [] } = run.invocation
    const from = adapterDirs.length === 0 ? catalogue : (catalogue.under?.(adapterDirs) ?? catalogue)
    const operation = ID.test(name) ? from.get(name) : null
    if (operation === null) throw new Failure('unknown_operation', { name, nearest: from.nearest(name) })
    run.operation = operation
    return next()
  }
