import { join } from 'node:path'
import type { KernelParts } from '../kernel/kernel.ts'
import type { Operation } from '../kernel/operation.ts'
import type { AdapterLayers } from '../library/adapter-layers.ts'
import { adapterText } from '../library/adapter-texts.ts'
import type { Library } from '../library/catalogue.ts'
import { repairOperations } from '../repair/operations.ts'
import { openOverlays } from '../state/overlays.ts'
import type { Paths } from '../state/paths.ts'

/** Mending adapters: the operations of it. Library and kernel are made after what this gives. */
export const openRepair = (surroundings: {
  paths: Pick<Paths, 'home' | 'adapters'>
  folders: AdapterLayers
  library: () => Library
  kernelParts: () => KernelParts
}): Operation[] => {
  const { paths, folders, library, kernelParts } = surroundings
  return repairOperations({
    catalogue: library,
    kernelParts,
    textOf: operation => adapterText(folders, operation),
    overlays: openOverlays({ adapters: paths.adapters, backups: join(paths.home, 'repairs') }),
    onChange: () => library().reload(),
  })
}
