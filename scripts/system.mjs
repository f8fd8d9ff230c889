import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './children.mjs'

/**
 * Software outside of npm, as Debian names its packages.
 *
 * @typedef {{ isPresent: () => boolean | Promise<boolean>, packages: string[] }} Software
 * @type {Record<string, Software>}
 */
const SOFTWARE = {
  chromium: {
    isPresent: () => isOnPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'),
    packages: ['chromium'],
  },
  xvfb: { isPresent: () => isOnPath('Xvfb'), packages: ['xvfb', 'xauth'] },
  keyring: {
    isPresent: () =>
      ['dbus-run-session', 'gnome-keyring-daemon', 'secret-tool'].every(name => isOnPath(name)),
    packages: ['dbus', 'gnome-keyring', 'libsecret-tools'],
  },
  ffmpeg: { isPresent: () => isOnPath('ffmpeg') && isOnPath('ffprobe'), packages: ['ffmpeg'] },
  mediawiki: {
    isPresent: async () =>
      existsSync('/usr/share/mediawiki/maintenance/install.php') && (await hasPhpModules()),
    packages: [
      'mediawiki',
      ...['cli', 'sqlite3', 'mbstring', 'xml', 'intl', 'apcu'].map(part => `php-${part}`),
    ],
  },
}

/**
 * Installs what is missing, as root or by a sudo that asks nothing. Where neither is possible it prints the one
 * command that a person can run.
 *
 * @param {string[]} names keys of SOFTWARE
 * @returns {Promise<string[]>} what is still missing
 */
export async function ensureSoftware(names) {
  const missing = await missingOf(names)
  if (missing.length === 0) return []
  const packages = missing.flatMap(name => SOFTWARE[name]?.packages ?? [])
  if (!isOnPath('apt-get')) {
    console.error(
      `Not found: ${missing.join(', ')}. Install it as your system does (Debian: ${packages.join(' ')}).`,
    )
    return missing
  }
  const root = await rootPrefix()
  if (!root) {
    console.error(
      `Not found: ${missing.join(', ')}. Install it with\n\n  sudo ${aptInstall(packages).join(' ')}\n`,
    )
    return missing
  }
  console.error(`Installing ${packages.join(' ')} …`)
  await apt(root, ['apt-get', 'update', '-qq'])
  await apt(root, aptInstall(packages))
  return missingOf(missing)
}

/** @param {string[]} names */
async function missingOf(names) {
  const present = await Promise.all(names.map(name => SOFTWARE[name]?.isPresent()))
  return names.filter((_, index) => !present[index])
}

/** @param {string[]} packages */
const aptInstall = packages => ['apt-get', 'install', '-y', '--no-install-recommends', ...packages]

/** @param {string[]} root @param {string[]} command */
async function apt(root, command) {
  const [file = '', ...args] = [...root, 'env', 'DEBIAN_FRONTEND=noninteractive', ...command]
  const { code, output } = await run(file, args)
  if (code !== 0) console.error(`${command.join(' ')} failed:\n${output}`)
}

/** What stands before a command so that it runs as root; undefined when nobody lets us. */
async function rootPrefix() {
  if (process.getuid?.() === 0) return []
  const { code } = await run('sudo', ['-n', 'true'])
  return code === 0 ? ['sudo', '-n'] : undefined
}

async function hasPhpModules() {
  const { code, output } = await run('php', ['-m'])
  return code === 0 && ['pdo_sqlite', 'mbstring', 'xml', 'intl'].every(name => output.includes(name))
}

/** @param {string[]} names */
function isOnPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.some(name => folders.some(folder => isExecutable(join(folder, name))))
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
