import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findExecutable } from '../support/executables.ts'
import { startOidcServer } from '../support/oidc-server.ts'
import { spawnProcess } from '../support/processes.ts'
import { CLI } from '../support/product.ts'
import { describeNeeding } from '../support/requirement.ts'
import { isolatedEnv } from '../support/temp.ts'

const PROGRAMS = ['dbus-run-session', 'gnome-keyring-daemon', 'secret-tool']
const available = PROGRAMS.every(name => findExecutable(name) !== undefined)

/** Runs commands inside a session of their own, with a keyring that a password has opened. */
async function inSession(env: Record<string, string>, commands: readonly string[]): Promise<string> {
  const script = [
    'printf pw | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1',
    ...commands,
  ].join('\n')
  const run = await spawnProcess('dbus-run-session', ['--', 'sh', '-c', script], { env, input: '' })
  await run.exited
  return run.stdout()
}

describeNeeding(
  { name: 'gnome-keyring, libsecret-tools and dbus', available },
  'sign-ins on a desktop with a keychain',
  () => {
    it('are sealed by a key that lies in the keychain, and open again after a restart', async () => {
      const own = await isolatedEnv()
      const oidc = await startOidcServer()
      try {
        await mkdir(join(own.env.XDG_DATA_HOME ?? '', 'keyrings'), { recursive: true })
        const unicli = `"${process.execPath}" "${CLI}"`
        const output = await inSession(own.env, [
          `${unicli} config set services.demo.issuer ${oidc.issuer} > /dev/null`,
          `${unicli} config set services.demo.client_id ${oidc.clientId} > /dev/null`,
          `${unicli} auth login demo --no-wait --json`,
          `${unicli} daemon stop > /dev/null`,
          `${unicli} auth login demo --no-wait --json`,
          `${unicli} daemon stop > /dev/null`,
        ])
        const [first, second] = output
          .trim()
          .split('\n')
          .map(line => JSON.parse(line).data.user_code as string)
        expect(first).toMatch(/^[A-Z-]{9}$/)
        // The one that waits was read back.
        expect(second).toBe(first)
        const sealed = JSON.parse(readFileSync(join(own.unicliHome, 'secrets', 'sealed.json'), 'utf8'))
        expect(sealed.key_in).toBe('secret-service')
        expect(existsSync(join(own.unicliHome, 'secrets', 'key'))).toBe(false)
        // Outside of that session the keychain is out of reach, and that is said.
        const outside = await spawnProcess(process.execPath, [CLI, 'auth', 'check', 'demo', '--json'], {
          env: own.env,
          input: '',
        })
        await outside.exited
        expect(JSON.parse(outside.stdout()).error).toMatchObject({
          code: 'state_unavailable',
          message: expect.stringContaining('secret-service'),
        })
      } finally {
        const stop = await spawnProcess(process.execPath, [CLI, 'daemon', 'stop'], {
          env: own.env,
          input: '',
        })
        await stop.exited
        await oidc.close()
        await own.remove()
      }
    })
  },
)
