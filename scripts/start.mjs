import { ROOT, run } from './children.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { ensureSoftware } from './system.mjs'

// `npm start`: sets everything up and shows the main job on a demo site. `-- --keep` leaves it running.

await ensureDependencies()
if ((await ensureSoftware(['chromium'])).length > 0) process.exit(1)
const { code } = await run(process.execPath, ['scripts/build.mjs'], { show: true })
if (code !== 0) process.exit(code)

// Only now are its packages certain to be there.
const { loadTypescript } = await import('./load-typescript.mjs')
const { runDemo } = await loadTypescript('demo/run.ts')
process.exitCode = await runDemo({ root: ROOT, keep: process.argv.includes('--keep') })
