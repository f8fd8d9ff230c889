import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from './children.mjs'

const PATIENCE_MS = 10 * 60_000

/**
 * Does some work while no other process of this checkout does work of the same name. The lock of a process
 * that died is taken over.
 *
 * @param {string} name
 * @param {() => Promise<void>} work
 */
export async function withLock(name, work) {
  const file = `${ROOT}/.cache/${name}.lock`
  mkdirSync(`${ROOT}/.cache`, { recursive: true })
  const deadline = Date.now() + PATIENCE_MS
  while (!take(file)) {
    if (Date.now() > deadline) throw new Error(`Process ${holder(file)} has held ${file} for too long.`)
    await delay(100)
  }
  try {
    await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  const pid = holder(file)
  if (pid !== undefined && !isAlive(pid)) rmSync(file, { force: true })
  return false
}

/** @param {string} file */
function holder(file) {
  try {
    // Empty for the instant between its creation and its writing.
    return Number(readFileSync(file, 'utf8')) || undefined
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
    if (hasCode(error, 'EPERM')) return true
    throw error
  }
}

/** @param {unknown} error @param {string} code */
const hasCode = (error, code) => error instanceof Error && 'code' in error && error.code === code
