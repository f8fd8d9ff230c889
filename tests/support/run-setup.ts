import { makeTempDir, RUN_DIR_VARIABLE } from './temp.ts'

/**
 * vitest `globalSetup`: gives all workers of this run one shared folder (see `runDir`) and deletes it at the end.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const dir = await makeTempDir()
  process.env[RUN_DIR_VARIABLE] = dir.path
  return dir.remove
}
