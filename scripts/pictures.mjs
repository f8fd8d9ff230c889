import { ROOT, run } from './children.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { ensureSoftware } from './system.mjs'

// Takes the pictures of docs/panel.md anew, from the built extension in a real browser.

await ensureDependencies()
if ((await ensureSoftware(['chromium'])).length > 0) process.exit(1)
const { code } = await run(process.execPath, ['scripts/build.mjs', '--extension'], { show: true })
if (code !== 0) process.exit(code)

const { loadTypescript } = await import('./load-typescript.mjs')
const { takePanelPictures } = await loadTypescript('demo/panel-pictures.ts')
await takePanelPictures(`${ROOT}/docs/images`)
