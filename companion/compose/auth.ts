import { join } from 'node:path'
import { authOperations } from '../auth/operations.ts'
import { storageStateOperations } from '../auth/storage-state-operations.ts'
import type { Kernel, Operation } from '../kernel/operation.ts'
import { openServices } from '../library/services.ts'
import type { CookieStorePort, TokenPort } from '../ports/auth.ts'
import type { BrowserPort } from '../ports/browser.ts'
import type { LogPort } from '../ports/log.ts'
import type { ConfigStorePort, CookieFilePort } from '../ports/state.ts'
import { fileKeyPlace, keychainOf } from '../state/key-places.ts'
import type { Paths } from '../state/paths.ts'
import { openSecrets } from '../state/secrets.ts'
import { createSignIns } from '../substrates/oauth/sign-ins.ts'

export interface AuthSurroundings {
  paths: Pick<Paths, 'home'>
  /** Where descriptions of services lie, beside the adapters; a later folder wins. */
  folders: () => readonly string[]
  config: ConfigStorePort
  log: LogPort
  cookies: CookieFilePort & CookieStorePort
  browser: BrowserPort
  /** Made after what this gives. */
  kernel: () => Kernel
}

/** Signing in: the operations of it, and the tokens for whoever needs one. */
export function openAuth(surroundings: AuthSurroundings): { operations: Operation[]; tokens: TokenPort } {
  const { paths, folders, config, log, cookies, browser, kernel } = surroundings
  const folder = join(paths.home, 'secrets')
  const keyFile = join(folder, 'key')
  const { env, platform } = process
  const keychain =
    config.get('auth.keychain') === false ? null : keychainOf({ home: paths.home, keyFile, env, platform })
  const secrets = openSecrets({
    file: join(folder, 'sealed.json'),
    keyPlaces: [...(keychain === null ? [] : [keychain]), fileKeyPlace(keyFile)],
    log,
  })
  const signIns = createSignIns({ secrets, log })
  const services = openServices({ folders, config, log })
  const operations = [
    ...authOperations({ kernel, config, services, signIns, cookies, browser }),
    ...storageStateOperations({ secrets, cookies, browser }),
  ]
  return { operations, tokens: signIns }
}
