import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** For npm to take back a half-made installation, and for tests to end their browsers. */
const GRACE_MS = 10_000

/** The folder of package.json. Scripts may be called from anywhere. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** @returns {string} what every bundle gets as `__VERSION__` */
export const packageVersion = () => JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).version

/** @type {Set<number>} */
const live = new Set()

/**
 * Runs a program to its end, in a process group of its own that is ended when this process ends before it.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, show?: boolean }} [options] show: let it print instead of keeping its output
 * @returns {Promise<{ code: number, output: string }>} both streams in the order they came; 127 when not startable
 */
export function run(command, args, { env = process.env, show = false } = {}) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env,
    detached: process.platform !== 'win32',
    // There npm is a batch file, which only a shell starts.
    shell: process.platform === 'win32' && command === 'npm',
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
  })
  const { pid } = child
  if (pid) live.add(pid)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', text => {
      output += text
    })
  }
  return new Promise(resolve => {
    child.once('error', error => resolve({ code: 127, output: String(error) }))
    child.once('close', code => {
      if (pid) live.delete(pid)
      resolve({ code: code ?? 1, output })
    })
  })
}

/**
 * Runs a tool of node_modules with this Node.
 *
 * @param {string} script path below node_modules, such as `typescript/bin/tsc`
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export const runTool = (script, args, options) =>
  run(process.execPath, [`${ROOT}/node_modules/${script}`, ...args], options)

/** @param {NodeJS.Signals} signal */
function signalChildren(signal) {
  for (const pid of live) {
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, signal)
    } catch (error) {
      // It ended by itself a moment ago.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

/**
 * Asks the children to end, waits for them a little, and ends this process; what is left then is killed.
 *
 * @param {number} code
 */
async function endWithChildren(code) {
  signalChildren('SIGTERM')
  const deadline = Date.now() + GRACE_MS
  while (live.size > 0 && Date.now() < deadline) await delay(50)
  process.exit(code)
}

process.once('exit', () => signalChildren('SIGKILL'))
process.once('SIGINT', () => endWithChildren(130))
process.once('SIGTERM', () => endWithChildren(143))
