import { EXTENSION_ID, FIREFOX_ID } from '../../shared/identity.ts'

const CHROMIUM_ORIGIN = `chrome-extension://${EXTENSION_ID}/`

/** Who called the native host: Chromium passes the origin first, Firefox the manifest's path and then the id. */
export function originOf(argv: readonly string[]): string | null {
  const [first, second] = argv
  if (first?.startsWith('chrome-extension://')) return first
  return second ?? null
}

export const isOwnOrigin = (origin: string | null | undefined): boolean =>
  origin === CHROMIUM_ORIGIN || origin === FIREFOX_ID
