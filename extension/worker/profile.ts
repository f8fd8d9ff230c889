import { browser } from 'wxt/browser'
import { z } from 'zod'

const KEY = 'profile'
const Stored = z.object({ id: z.string().min(8), name: z.string().min(1) })

/** Which browser profile this is: `id` is random and stays, `name` is for people and can be edited. */
export type Profile = z.infer<typeof Stored>

export interface BrowserIdentity {
  name: string
  version: string
}

let loaded: Promise<Profile> | null = null

/** Reads the profile, or makes and keeps one at the first start. */
export function readProfile(): Promise<Profile> {
  loaded ??= load()
  return loaded
}

export async function renameProfile(name: string): Promise<Profile> {
  const renamed = { ...(await readProfile()), name }
  await browser.storage.local.set({ [KEY]: renamed })
  loaded = Promise.resolve(renamed)
  return renamed
}

async function load(): Promise<Profile> {
  const kept = Stored.safeParse((await browser.storage.local.get(KEY))[KEY])
  if (kept.success) return kept.data
  const id = crypto.randomUUID()
  const made = { id, name: `${browserIdentity().name} ${id.slice(0, 4)}` }
  await browser.storage.local.set({ [KEY]: made })
  return made
}

/** Brands that wrap Chromium name themselves beside it. */
const GENERIC_BRANDS = new Set(['Chromium', 'Not A Brand'])

/** Name and version as the browser states them, such as Chromium 156.0.8078.108 or Firefox 153.0. */
export function browserIdentity(): BrowserIdentity {
  const firefox = /Firefox\/([\d.]+)/.exec(navigator.userAgent)
  if (firefox?.[1] !== undefined) return { name: 'Firefox', version: firefox[1] }
  const brands = navigatorBrands()
  const own = brands.find(brand => !GENERIC_BRANDS.has(brand.brand) && !/not.?a.?brand/i.test(brand.brand))
  const shown = own ?? brands.find(brand => brand.brand === 'Chromium')
  const full = /Chrome\/([\d.]+)/.exec(navigator.userAgent)
  return { name: shown?.brand ?? 'Chromium', version: shown?.version ?? full?.[1] ?? 'unknown' }
}

function navigatorBrands(): { brand: string; version: string }[] {
  // Chromium only, and not in TypeScript's library.
  const data = (navigator as { userAgentData?: { brands?: { brand: string; version: string }[] } })
    .userAgentData
  return data?.brands ?? []
}
