import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import { writeWhole } from './whole-file.ts'

/** Where the key to the secrets can lie. Both fail with state_unavailable. */
export interface KeyPlace {
  readonly name: KeyPlaceName
  /** Null when it holds none. */
  read(): Promise<Buffer | null>
  write(key: Buffer): Promise<void>
}
export type KeyPlaceName = 'secret-service' | 'macos-keychain' | 'windows-dpapi' | 'file'

/** Unlocking a keychain may ask a person; one that does not answer at all must not hold a run for ever. */
const ANSWER_WITHIN_MS = 20_000

interface Surroundings {
  /** Of UNICLI_HOME: two homes of one user have keys of their own. */
  home: string
  keyFile: string
  env: Record<string, string | undefined>
  platform: NodeJS.Platform
}

/** The key in a file for its owner alone, beside the secrets. */
export const fileKeyPlace = (file: string): KeyPlace => ({
  name: 'file',
  read: async () => readKey(file),
  write: async key => writeWhole(file, `${key.toString('base64')}\n`),
})

/** The operating system's own place for secrets; null where there is none, or no way to it without native code. */
export function keychainOf(surroundings: Surroundings): KeyPlace | null {
  const { home, keyFile, env, platform } = surroundings
  const account = createHash('sha256').update(home).digest('hex').slice(0, 16)
  if (platform === 'darwin') return macosKeychain(account)
  if (platform === 'win32') return windowsDpapi(keyFile)
  const hasBus =
    Boolean(env.DBUS_SESSION_BUS_ADDRESS) || existsSync(join(env.XDG_RUNTIME_DIR ?? '/nonexistent', 'bus'))
  return hasBus && isOnPath('secret-tool', env.PATH ?? '') ? secretService(account) : null
}

function secretService(account: string): KeyPlace {
  const attributes = ['application', 'unicli', 'home', account]
  return {
    name: 'secret-service',
    async read() {
      const { code, stdout } = await run('secret-tool', ['lookup', ...attributes], '')
      return code === 0 && stdout !== '' ? Buffer.from(stdout, 'base64') : null
    },
    async write(key) {
      const label = ['store', '--label=unicli: key to kept sign-ins', ...attributes]
      await must('secret-tool', label, key.toString('base64'))
    },
  }
}

function macosKeychain(account: string): KeyPlace {
  return {
    name: 'macos-keychain',
    async read() {
      const { code, stdout } = await run(
        'security',
        ['find-generic-password', '-s', 'unicli', '-a', account, '-w'],
        '',
      )
      return code === 0 ? Buffer.from(stdout.trim(), 'base64') : null
    },
    // Its interactive mode takes whole commands from stdin: the secret never stands in argv.
    async write(key) {
      const command = `add-generic-password -U -s unicli -a ${account} -w ${key.toString('base64')}\n`
      await must('security', ['-i'], command)
    },
  }
}

/** Windows seals the key for this user; the sealed bytes lie in our file. */
function windowsDpapi(file: string): KeyPlace {
  const powershell = (verb: 'Protect' | 'Unprotect', input: Buffer): Promise<string> =>
    must(
      'powershell.exe',
      [
        ...['-NoProfile', '-NonInteractive', '-Command'],
        'Add-Type -AssemblyName System.Security; ' +
          '$in = [Convert]::FromBase64String([Console]::In.ReadToEnd().Trim()); ' +
          `$out = [Security.Cryptography.ProtectedData]::${verb}($in, $null, 'CurrentUser'); ` +
          '[Convert]::ToBase64String($out)',
      ],
      input.toString('base64'),
    )
  return {
    name: 'windows-dpapi',
    async read() {
      const sealed = readKey(file)
      return sealed === null ? null : Buffer.from((await powershell('Unprotect', sealed)).trim(), 'base64')
    },
    async write(key) {
      writeWhole(file, `${(await powershell('Protect', key)).trim()}\n`)
    },
  }
}

function readKey(file: string): Buffer | null {
  try {
    return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw unavailable(file, error instanceof Error ? error.message : String(error))
  }
}

function isOnPath(program: string, path: string): boolean {
  return path.split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      // Not there, or not for us: the next folder may have it.
      return false
    }
  })
}

const unavailable = (file: string, reason: string): Failure =>
  new Failure('state_unavailable', { file, reason })

/** Its stdout. What it was given is a secret, so a failure tells its exit alone and what it said on stderr. */
async function must(program: string, args: readonly string[], input: string): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, input)
  if (code !== 0)
    throw unavailable(
      `the keychain (${program})`,
      stderr.trim().split('\n')[0] || `it ended with code ${code}`,
    )
  return stdout
}

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

function run(program: string, args: readonly string[], input: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe', windowsHide: true, timeout: ANSWER_WITHIN_MS })
    const text = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8')
      child[name].on('data', (chunk: string) => {
        text[name] += chunk
      })
    }
    child.on('error', error => reject(unavailable(`the keychain (${program})`, error.message)))
    child.on('close', code => resolve({ code, ...text }))
    // It may end without reading: its exit code tells why.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
