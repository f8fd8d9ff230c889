import { existingFolders } from '../../library/adapter-folders.ts'
import type { CliParts } from './parts.ts'

export const ADAPTER_DIR = '--adapter-dir'

/** The parts with the adapters of the folders that this command line names on top. Fails with not_found. */
export function withAdapterDirs(parts: CliParts, argv: readonly string[], cwd: string): CliParts {
  const folders = existingFolders(namedFolders(argv), cwd)
  const { kernel } = parts
  const catalogue = folders.length === 0 ? undefined : kernel.catalogue.under?.(folders)
  if (catalogue === undefined) return parts
  return {
    ...parts,
    kernel: {
      catalogue,
      run: invocation => kernel.run({ ...invocation, adapterDirs: folders }),
      running: () => kernel.running(),
      stop: (filter, by) => kernel.stop(filter, by),
      approvals: () => kernel.approvals(),
      answer: (...given) => kernel.answer(...given),
      putSite: (...given) => kernel.putSite(...given),
      forgetSite: site => kernel.forgetSite(site),
    },
  }
}

/** The catalogue has to be known before the line can be parsed: which options there are depends on it. */
function namedFolders(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  return words.flatMap((word, at) => {
    if (word.startsWith(`${ADAPTER_DIR}=`)) return [word.slice(ADAPTER_DIR.length + 1)]
    const next = words[at + 1]
    return word === ADAPTER_DIR && next !== undefined ? [next] : []
  })
}
