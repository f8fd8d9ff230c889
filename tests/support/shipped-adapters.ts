import { join } from 'node:path'

/** The folder of the adapters that come with the product. Alone here: bundled companions need nothing else of a rig. */
export const ADAPTERS = join(import.meta.dirname, '../../adapters')
