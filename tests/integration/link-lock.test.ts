import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { type Spawned, spawnProcess } from '../support/processes.ts'
import { makeTempDir } from '../support/temp.ts'

const STARTERS = 6

/** Takes the lock of its first argument again and again until it has it or finds a holder; then stays. */
const PROGRAM = `
import { acquireLock } from './lock.ts'
const outcome = acquireLock(process.argv[2])
console.log('outcome', outcome === 'acquired' ? 'acquired' : outcome.holder.pid)
setInterval(() => undefined, 1000)
`

test('of many that start at once one gets the lock, and again after it was killed', async () => {
  const dir = await makeTempDir()
  onTestFinished(dir.remove)
  const program = join(dir.path, 'take.mjs')
  const resolveDir = join(import.meta.dirname, '../../companion/daemon')
  await build({
    stdin: { contents: PROGRAM, resolveDir, loader: 'ts' },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  for (let round = 0; round < 3; round++) {
    const starters = await Promise.all(
      Array.from({ length: STARTERS }, () =>
        spawnProcess(process.execPath, [program, join(dir.path, 'lock')]),
      ),
    )
    onTestFinished(() => {
      for (const starter of starters) starter.kill('SIGKILL')
    })
    const outcomes = await Promise.all(
      starters.map(async starter => (await starter.waitForLine(/outcome (\w+)/))[1] ?? ''),
    )
    const winner = starters[outcomes.indexOf('acquired')] as Spawned
    expect(outcomes.toSorted()).toEqual([...Array(STARTERS - 1).fill(String(winner.pid)), 'acquired'])
    for (const starter of starters) starter.kill('SIGKILL')
    await Promise.all(starters.map(starter => starter.exited))
  }
})
