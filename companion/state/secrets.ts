import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { SecretPort } from '../ports/auth.ts'
import type { LogPort } from '../ports/log.ts'
import type { KeyPlace, KeyPlaceName } from './key-places.ts'
import { writeWhole } from './whole-file.ts'

const KEY_BYTES = 32
const IV_BYTES = 12
const CIPHER = 'aes-256-gcm'

const Sealed = z.object({ iv: z.base64(), tag: z.base64(), data: z.base64() })
type Sealed = z.infer<typeof Sealed>
const Contents = z.object({
  form: z.literal(1),
  key_in: z.enum(['secret-service', 'macos-keychain', 'windows-dpapi', 'file']).nullable(),
  entries: z.record(z.string(), Sealed),
})
type Contents = z.infer<typeof Contents>

export interface SecretsOptions {
  /** Absolute; need not exist. Names lie in it in the clear, values sealed. */
  file: string
  /** Where a new key may go, best first. One that does not work is passed over, with a warning. */
  keyPlaces: readonly KeyPlace[]
  log: LogPort
}

/**
 * Secrets in one file, each sealed by AES-256-GCM under its name. The key lies elsewhere: keychains hold small values
 * only, and one entry is one question to the person who has to unlock it.
 */
export function openSecrets(options: SecretsOptions): SecretPort {
  const { file } = options
  const keys = new Keys(options)
  return {
    async get(name) {
      const contents = read(file)
      const sealed = Object.hasOwn(contents.entries, name) ? contents.entries[name] : undefined
      return sealed === undefined ? null : unseal(file, name, sealed, await keys.known(contents))
    },
    async put(name, value) {
      const before = read(file)
      const { key, place } = await keys.knownOrNew(before)
      // Read again: others may have written while the keychain was asked. From here on nothing waits.
      const contents = read(file)
      contents.key_in = place
      contents.entries[name] = seal(name, value, key)
      write(file, contents)
    },
    async drop(name) {
      const contents = read(file)
      if (!Object.hasOwn(contents.entries, name)) return false
      delete contents.entries[name]
      write(file, contents)
      return true
    },
    keyPlace: () => read(file).key_in,
  }
}

/** Holds the key once it was got: a keychain is asked once a start. */
class Keys {
  readonly #options: SecretsOptions
  #key: { key: Buffer; place: KeyPlaceName } | null = null
  #making: Promise<{ key: Buffer; place: KeyPlaceName }> | null = null

  constructor(options: SecretsOptions) {
    this.#options = options
  }

  async known(contents: Contents): Promise<Buffer> {
    if (this.#key !== null && this.#key.place === contents.key_in) return this.#key.key
    const { file, keyPlaces } = this.#options
    const place = keyPlaces.find(({ name }) => name === contents.key_in)
    if (place === undefined)
      throw new Failure('state_unavailable', {
        file,
        reason: `its key lies in ${contents.key_in}, which cannot be reached from here`,
      })
    const key = await place.read()
    if (key?.length !== KEY_BYTES)
      throw new Failure('state_unavailable', {
        file,
        reason: `its key is no longer in ${place.name}; "unicli auth forget <service>" and sign in again`,
      })
    this.#key = { key, place: place.name }
    return key
  }

  async knownOrNew(contents: Contents): Promise<{ key: Buffer; place: KeyPlaceName }> {
    if (contents.key_in !== null && Object.keys(contents.entries).length > 0)
      return { key: await this.known(contents), place: contents.key_in }
    // With nothing sealed by it, one made a moment ago serves as well as another.
    if (this.#key !== null) return this.#key
    this.#making ??= this.#make().finally(() => {
      this.#making = null
    })
    return this.#making
  }

  async #make(): Promise<{ key: Buffer; place: KeyPlaceName }> {
    const { keyPlaces, file, log } = this.#options
    for (const place of keyPlaces) {
      const key = randomBytes(KEY_BYTES)
      try {
        await place.write(key)
        if ((await place.read())?.equals(key) === true) {
          this.#key = { key, place: place.name }
          return this.#key
        }
        log.warn('a keychain did not keep what it was given', { place: place.name })
      } catch (error) {
        log.warn('a keychain cannot be used', { place: place.name, error })
      }
    }
    throw new Failure('state_unavailable', { file, reason: 'there is no place for its key' })
  }
}

function seal(name: string, value: unknown, key: Buffer): Sealed {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(name))
  const data = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
  return {
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  }
}

function unseal(file: string, name: string, sealed: Sealed, key: Buffer): unknown {
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.iv, 'base64'), { authTagLength: 16 })
      .setAAD(Buffer.from(name))
      .setAuthTag(Buffer.from(sealed.tag, 'base64'))
    const text = Buffer.concat([decipher.update(Buffer.from(sealed.data, 'base64')), decipher.final()])
    return JSON.parse(text.toString('utf8'))
  } catch (cause) {
    throw new Failure(
      'state_unavailable',
      { file, reason: `"${name}" does not open: the file was changed, or its key was replaced` },
      { cause },
    )
  }
}

function read(file: string): Contents {
  try {
    return Contents.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { form: 1, key_in: null, entries: {} }
    throw unavailable(file, error)
  }
}

function write(file: string, contents: Contents): void {
  try {
    writeWhole(file, `${JSON.stringify(contents, null, 1)}\n`)
  } catch (error) {
    throw unavailable(file, error)
  }
}

const unavailable = (file: string, error: unknown): Failure =>
  new Failure('state_unavailable', {
    file,
    reason: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
  })
