import type { KernelParts } from '../kernel/kernel.ts'
import type { ConfigPort } from '../ports/state.ts'
import type { Paths } from '../state/paths.ts'
import { createFilesFactory } from '../substrates/files/files.ts'
import { createMcpFactory } from '../substrates/mcp/connections.ts'
import { createProcessFactory } from '../substrates/process/process.ts'

/** Files and programs of this computer, as the person's settings grant them. */
export const openLocal = (
  paths: Pick<Paths, 'files'>,
  config: ConfigPort,
  version: string,
): Pick<KernelParts, 'files' | 'process' | 'mcp'> => ({
  files: createFilesFactory({ own: paths.files, granted: () => config.get('files.granted') as string[] }),
  process: createProcessFactory(),
  mcp: createMcpFactory(version),
})
