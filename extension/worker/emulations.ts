import { browser } from 'wxt/browser'
import type { Emulation } from '../../shared/state-values.ts'
import type { Send } from './debug-attachment.ts'
import type { Debugger, Hold } from './debugger.ts'
import { needDebugger } from './need-debugger.ts'

interface Held {
  settings: Emulation
  hold: Hold
}

/** What tabs take the device for. The debugger stays on such a tab, since the browser forgets it with it. */
export class Emulations {
  readonly #debug: Debugger
  readonly #held = new Map<number, Held>()

  constructor(debug: Debugger) {
    this.#debug = debug
    browser.tabs.onRemoved.addListener(tab => this.#drop(tab))
  }

  active(tab: number): Emulation {
    return this.#held.get(tab)?.settings ?? {}
  }

  /** In addition to what is emulated already. Fails with unsupported where the debugger cannot be attached. */
  async set(tab: number, more: Emulation): Promise<Emulation> {
    needDebugger('emulation')
    const known = this.#held.get(tab)
    const settings = { ...known?.settings, ...more }
    if (known !== undefined) {
      known.settings = settings
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
    return settings
  }

  /** Back to what the device really is. */
  async reset(tab: number): Promise<void> {
    const known = this.#held.get(tab)
    if (known === undefined) return
    for (const [method, params] of CLEARING) await known.hold.send(method, params)
    const { user_agent } = known.settings
    if (user_agent !== undefined)
      await known.hold.send('Emulation.setUserAgentOverride', { userAgent: navigator.userAgent })
    this.#drop(tab)
  }

  #drop(tab: number): void {
    const known = this.#held.get(tab)
    this.#held.delete(tab)
    known?.hold.release()
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
