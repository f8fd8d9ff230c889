import type { DeviceUse, DeviceUseState, DeviceUses } from '../../shared/state-values.ts'

/** By the names that pages ask by. */
const QUERIED: Readonly<Record<DeviceUse, string>> = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  camera: 'camera',
  microphone: 'microphone',
  clipboard: 'clipboard-read',
}

/** What the page may use, as the browser would tell the page itself. */
export async function deviceUses(): Promise<DeviceUses> {
  const states = await Promise.all(
    Object.entries(QUERIED).map(async ([name, queried]) => [name, await stateOf(queried)] as const),
  )
  return Object.fromEntries(states.filter(([, state]) => state !== null))
}

/** Null where the browser does not know it, as in pages that are not secure. */
async function stateOf(queried: string): Promise<DeviceUseState | null> {
  try {
    return (await navigator.permissions.query({ name: queried as PermissionName })).state
  } catch (error) {
    console.debug(`the browser knows no ${queried}`, error)
    return null
  }
}
