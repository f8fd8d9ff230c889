import { run, runTool } from './children.mjs'
import { ensureDependencies } from './dependencies.mjs'

/**
 * The gates. `npm run check` runs all at once and prints one line for each; names as arguments narrow it.
 *
 * @typedef {{ ok: boolean, output: string }} Verdict
 * @type {Record<string, () => Promise<Verdict>>}
 */
const GATES = {
  style: () => tool('@biomejs/biome/bin/biome', ['ci', '--colors=off', '--error-on-warnings', '.']),
  'types-node': () => types('.'),
  'types-extension': () => types('extension'),
  'types-tests': () => types('tests'),
  imports: async () => faults(await (await import('./import-rules.mjs')).importFaults()),
  dead: () => tool('knip/bin/knip.js', ['--no-progress', '--no-config-hints']),
  source: async () => faults((await import('./source-rules.mjs')).sourceFaults()),
  generated: () => verdict(run(process.execPath, ['scripts/gen.mjs', '--check'])),
}

/** @param {Promise<{ code: number, output: string }>} running @returns {Promise<Verdict>} */
async function verdict(running) {
  const { code, output } = await running
  return { ok: code === 0, output: output.trim() || `exit code ${code}` }
}

/** @param {string} script @param {string[]} args */
const tool = (script, args) => verdict(runTool(script, args))

/** @param {string} project */
const types = project =>
  tool('typescript/bin/tsc', [
    ...['--project', project, '--incremental', '--pretty', 'false'],
    ...['--tsBuildInfoFile', `.cache/types-${project === '.' ? 'node' : project}.tsbuildinfo`],
  ])

/** @param {string[]} lines @returns {Verdict} */
const faults = lines => ({ ok: lines.length === 0, output: lines.join('\n') })

/** @param {string} name @returns {Promise<Verdict>} */
async function judge(name) {
  try {
    return (await GATES[name]?.()) ?? { ok: false, output: `There is no gate "${name}".` }
  } catch (error) {
    return { ok: false, output: `The gate itself broke: ${error instanceof Error ? error.stack : error}` }
  }
}

/** @param {string} name */
async function pass(name) {
  const start = performance.now()
  const { ok, output } = await judge(name)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(16)} ${seconds} s`)
  if (!ok) console.log(`${output.replace(/^/gm, '      ')}\n`)
  return ok
}

await ensureDependencies()
const asked = process.argv.slice(2)
const passed = await Promise.all((asked.length > 0 ? asked : Object.keys(GATES)).map(pass))
process.exitCode = passed.every(Boolean) ? 0 : 1
