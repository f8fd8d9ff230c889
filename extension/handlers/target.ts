import { documentOf } from '../worker/documents.ts'
import type { WorkerParts } from '../worker/worker.ts'

/** A ref leads to the frame of its document; selectors look in the main frame. Fails with ref_gone. */
export async function frameOfTarget(parts: WorkerParts, tab: number, target: string | null): Promise<number> {
  if (target === null || documentOf(target) === '') return 0
  return await parts.documents.frameOf(tab, target)
}
