import { browser } from 'wxt/browser'
import { z } from 'zod'
import { Emulation } from '../../shared/state-values.ts'
import type { Send } from './debug-attachment.ts'
import type { Debugger, Hold } from './debugger.ts'
import { Keep } from './keep.ts'
import { needDebugger } from './need-debugger.ts'
import { Serial } from './serial.ts'

interface Held {
  settings: Emulation
  hold: Hold
}

/** What tabs take the device for. The debugger stays on such a tab, since the browser forgets it with it. */
export class Emulations {
  readonly #debug: Debugger
  readonly #held = new Map<number, Held>()
  readonly #serial = new Serial('a change of an emulation')
  /** By tab: what was set outlives this worker. */
  readonly #keep = new Keep('emulations', z.record(z.string(), Emulation), () => ({}))

  constructor(debug: Debugger) {
    this.#debug = debug
    browser.tabs.onRemoved.addListener(tab => this.#drop(tab))
  }

  /** After this worker was started anew: tabs that are there still are what the former one made of them. */
  async resume(): Promise<void> {
    const open = new Set((await browser.tabs.query({})).map(({ id }) => id))
    for (const [key, settings] of Object.entries(await this.#keep.get())) {
      const tab = Number(key)
      if (!open.has(tab)) await this.#note(tab, null)
      else
        await this.set(tab, settings).catch(async error => {
          console.warn(`tab ${tab} does not emulate any more`, error)
          await this.#note(tab, null)
        })
    }
  }

  async active(tab: number): Promise<Emulation> {
    return (await this.#keep.get())[tab] ?? {}
  }

  /** In addition to what is emulated already. Fails with unsupported where the debugger cannot be attached. */
  async set(tab: number, more: Emulation): Promise<Emulation> {
    needDebugger('emulation')
    return await this.#serial.run(() => this.#set(tab, more))
  }

  /** Back to what the device really is. */
  reset(tab: number): Promise<void> {
    return this.#serial.run(() => this.#reset(tab))
  }

  async #set(tab: number, more: Emulation): Promise<Emulation> {
    const known = this.#held.get(tab)
    const settings = { ...(await this.active(tab)), ...more }
    if (known !== undefined) {
      known.settings = settings
      await this.#note(tab, settings)
      await apply(known.hold.send, more, settings)
      return settings
    }
    const hold = await this.#debug.hold(tab, {
      begin: send => {
        const all = this.#held.get(tab)?.settings ?? settings
        return apply(send, all, all)
      },
      onLost: () => this.#drop(tab),
    })
    this.#held.set(tab, { settings, hold })
    await this.#note(tab, settings)
    return settings
  }

  async #reset(tab: number): Promise<void> {
    const known = this.#held.get(tab)
    if (known === undefined) return await this.#note(tab, null)
    for (const [method, params] of CLEARING) await known.hold.send(method, params)
    const { user_agent, locale } = known.settings
    // The language of requests goes with it.
    if (user_agent !== undefined || locale !== undefined)
      await known.hold.send('Emulation.setUserAgentOverride', { userAgent: navigator.userAgent })
    this.#drop(tab)
  }

  #drop(tab: number): void {
    const known = this.#held.get(tab)
    this.#held.delete(tab)
    known?.hold.release()
    if (known !== undefined) void this.#note(tab, null)
  }

  async #note(tab: number, settings: Emulation | null): Promise<void> {
    const kept = await this.#keep.get()
    if (settings === null) delete kept[tab]
    else kept[tab] = settings
    await this.#keep.save()
  }
}

const CLEARING: readonly (readonly [string, Record<string, unknown>])[] = [
  ['Emulation.clearDeviceMetricsOverride', {}],
  ['Emulation.setTouchEmulationEnabled', { enabled: false }],
  ['Emulation.setLocaleOverride', {}],
  ['Emulation.setTimezoneOverride', { timezoneId: '' }],
  ['Emulation.clearGeolocationOverride', {}],
  ['Emulation.setEmulatedMedia', { media: '', features: [] }],
  ['Emulation.setCPUThrottlingRate', { rate: 1 }],
]

/** Sends what `changed` names; what goes together is sent with the rest of `all`. */
async function apply(send: Send, changed: Emulation, all: Emulation): Promise<void> {
  const { viewport, locale, timezone, geolocation, cpu_slowdown } = changed
  if (viewport !== undefined) {
    const { width, height, scale, mobile, touch } = viewport
    const metrics = { width, height, deviceScaleFactor: scale, mobile }
    await send('Emulation.setDeviceMetricsOverride', metrics)
    await send('Emulation.setTouchEmulationEnabled', { enabled: touch, maxTouchPoints: touch ? 5 : 1 })
  }
  if (locale !== undefined) await send('Emulation.setLocaleOverride', { locale: locale.replaceAll('-', '_') })
  if (timezone !== undefined) await send('Emulation.setTimezoneOverride', { timezoneId: timezone })
  if (geolocation !== undefined) await send('Emulation.setGeolocationOverride', { ...geolocation })
  if (cpu_slowdown !== undefined) await send('Emulation.setCPUThrottlingRate', { rate: cpu_slowdown })
  if (changed.color_scheme !== undefined || changed.reduced_motion !== undefined) await applyMedia(send, all)
  if (changed.user_agent !== undefined || locale !== undefined) await applyAgent(send, all)
}

async function applyMedia(send: Send, { color_scheme, reduced_motion }: Emulation): Promise<void> {
  const features = [
    ...(color_scheme === undefined ? [] : [{ name: 'prefers-color-scheme', value: color_scheme }]),
    ...(reduced_motion === undefined
      ? []
      : [{ name: 'prefers-reduced-motion', value: reduced_motion ? 'reduce' : 'no-preference' }]),
  ]
  await send('Emulation.setEmulatedMedia', { media: '', features })
}

/** The language of requests goes with the user agent. */
async function applyAgent(send: Send, { user_agent, hints, locale }: Emulation): Promise<void> {
  const brand = { brand: 'Chromium', version: /Chrome\/(\d+)/.exec(user_agent ?? '')?.[1] ?? '120' }
  await send('Emulation.setUserAgentOverride', {
    userAgent: user_agent ?? navigator.userAgent,
    ...(locale === undefined ? {} : { acceptLanguage: locale }),
    ...(hints === undefined
      ? {}
      : {
          platform: hints.platform,
          userAgentMetadata: {
            ...{ brands: [brand], fullVersionList: [brand] },
            ...{ platform: hints.platform, platformVersion: '', architecture: '' },
            ...{ model: hints.model, mobile: hints.mobile },
          },
        }),
  })
}
