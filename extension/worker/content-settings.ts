import { browser } from 'wxt/browser'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { DeviceUse, type DeviceUseState, DeviceUses } from '../../shared/state-values.ts'
import { Keep } from './keep.ts'

/** Session → origin → what it set there. Kept over a start of the browser, as the browser keeps the settings. */
const Kept = z.record(z.string(), z.record(z.string(), DeviceUses))

const PERMISSION = 'contentSettings'
const SETTINGS = {
  geolocation: 'location',
  notifications: 'notifications',
  camera: 'camera',
  microphone: 'microphone',
  clipboard: 'clipboard',
} as const satisfies Record<DeviceUse, string>
const WORDS: Record<DeviceUseState, string> = { granted: 'allow', denied: 'block', prompt: 'ask' }

interface Setting {
  set(details: { primaryPattern: string; setting: string }): Promise<void>
  /** Takes away all that this extension has set: what the person set holds again. */
  clear(details: object): Promise<void>
}

/**
 * What sessions let sites use of the device. The browser keeps it apart from the person's own settings, which hold
 * again when the session ends.
 */
export class ContentSettings {
  readonly #keep = new Keep('content-settings', Kept, () => ({}), 'local')

  /** Fails with unsupported where the browser has no such settings, browser_permission_missing without the person's leave. */
  async set(session: string, origin: string, wanted: DeviceUses): Promise<void> {
    await checkPermitted()
    const kept = await this.#keep.get()
    kept[session] = { ...kept[session], [origin]: { ...kept[session]?.[origin], ...wanted } }
    await this.#keep.save()
    await this.#apply(namesIn(wanted))
  }

  async end(session: string): Promise<void> {
    const kept = await this.#keep.get()
    const ended = kept[session]
    if (ended === undefined) return
    delete kept[session]
    await this.#keep.save()
    await this.#apply([...new Set(Object.values(ended).flatMap(namesIn))])
  }

  /** Ends what was set by sessions that are no more, as after a crash. */
  async endAllBut(sessions: readonly string[]): Promise<void> {
    for (const session of Object.keys(await this.#keep.get()))
      if (!sessions.includes(session)) await this.end(session)
  }

  async #apply(names: readonly DeviceUse[]): Promise<void> {
    const all = Object.values(await this.#keep.get()).flatMap(origins => Object.entries(origins))
    for (const name of names) {
      const setting = settingOf(name)
      // Without the permission the browser has forgotten them already.
      if (setting === undefined) continue
      await setting.clear({})
      for (const [origin, { [name]: state }] of all)
        if (state !== undefined) await setting.set({ primaryPattern: `${origin}/*`, setting: WORDS[state] })
    }
  }
}

const namesIn = (uses: DeviceUses): DeviceUse[] => DeviceUse.options.filter(name => uses[name] !== undefined)

/** Typings know neither all of the settings nor that they are there only with the permission. */
const settingOf = (name: DeviceUse): Setting | undefined =>
  (browser as unknown as { contentSettings?: Record<string, Setting> }).contentSettings?.[SETTINGS[name]]

async function checkPermitted(): Promise<void> {
  const { optional_permissions: optional = [], permissions: own = [] } = browser.runtime.getManifest()
  if (![...optional, ...own].includes(PERMISSION))
    throw new Failure('unsupported', {
      what: 'Allowing or blocking what a site asks for',
      where: 'this browser',
      hint: 'The person can do it in the settings of the browser.',
    })
  if (!(await browser.permissions.contains({ permissions: [PERMISSION] })))
    throw new Failure('browser_permission_missing', { permission: PERMISSION })
}
