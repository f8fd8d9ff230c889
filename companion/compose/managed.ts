import { join } from 'node:path'
import type { Operation } from '../kernel/operation.ts'
import { ManagedBrowsers } from '../managed/managed-browsers.ts'
import { managedOperations } from '../managed/operations.ts'
import type { Paths } from '../state/paths.ts'
import type { Browsers } from '../substrates/browser/browsers.ts'

/** Browsers that are ours alone: the operations on them. */
export function openManaged(paths: Paths, packageRoot: string, browsers: Browsers): Operation[] {
  const managed = new ManagedBrowsers({
    ...{ paths, dist: join(packageRoot, 'dist'), env: process.env },
    links: () => browsers.links(),
    onLinks: listener => browsers.onChange(listener),
  })
  return managedOperations(() => managed)
}
