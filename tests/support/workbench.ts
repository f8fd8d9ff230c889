import { join } from 'node:path'
import type { Operation } from '../../companion/kernel/operation.ts'
import { AdapterWorkbench } from '../../companion/library/adapter-workbench.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { ADAPTERS } from './shipped-adapters.ts'

/** The workbench over the shipped adapters and an overlay in a folder of the test. */
export const workbenchIn = (folder: string, operations: () => readonly Operation[]): AdapterWorkbench =>
  new AdapterWorkbench({
    packaged: ADAPTERS,
    overlay: join(folder, 'adapters'),
    extra: () => [],
    steps: STEPS,
    schema: join(ADAPTERS, '..', 'docs', 'reference', 'adapter.schema.json'),
    operations,
  })
