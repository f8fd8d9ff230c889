import { readdirSync } from 'node:fs'
import { ROOT } from './children.mjs'

const NOT_OURS = new Set(['node_modules', 'dist', 'coverage'])

/**
 * Our own files under some folders: no dot folders, nothing built or installed.
 *
 * @param {string[]} folders relative to the root; '' is the root itself, without its folders
 * @param {RegExp} pattern tested on the path
 * @returns {string[]} paths relative to the root, sorted
 */
export function listFiles(folders, pattern) {
  return folders
    .flatMap(folder => walk(folder, folder !== ''))
    .filter(path => pattern.test(path))
    .sort()
}

/**
 * @param {string} folder
 * @param {boolean} deep
 * @returns {string[]}
 */
function walk(folder, deep) {
  /** @type {import('node:fs').Dirent[]} */
  let entries
  try {
    entries = readdirSync(`${ROOT}/${folder}`, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  return entries.flatMap(entry => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.isFile()) return [path]
    if (!deep || !entry.isDirectory() || entry.name.startsWith('.') || NOT_OURS.has(entry.name)) return []
    return walk(path, deep)
  })
}

/** Where source code lies. */
export const CODE_FOLDERS = ['shared', 'companion', 'extension', 'tests', 'scripts', 'bench', '']
