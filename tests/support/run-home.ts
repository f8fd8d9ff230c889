import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runDir } from './temp.ts'

/**
 * vitest `globalSetup`, after run-setup.ts: gives the workers of this run a HOME and a UNICLI_HOME of its own,
 * so that a test that forgot to isolate itself cannot touch the real ones. They go with the run's folder.
 */
export default function setup(): void {
  for (const [variable, folder] of [
    ['HOME', 'home'],
    ['USERPROFILE', 'home'],
    ['UNICLI_HOME', 'unicli'],
  ] as const) {
    const path = join(runDir(), folder)
    mkdirSync(path, { recursive: true })
    process.env[variable] = path
  }
}
