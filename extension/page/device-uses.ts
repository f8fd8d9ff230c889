import type { DeviceUse, DeviceUseState, DeviceUses } from '../../shared/state-values.ts'
import { delay } from './clock.ts'

/** By the names that pages ask by. */
const QUERIED: Readonly<Record<DeviceUse, string>> = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  camera: 'camera',
  microphone: 'microphone',
  clipboard: 'clipboard-read',
}
/** What was changed just now comes to a page a little later. */
const LATE_MS = 1000

/**
 * What the page may use, as the browser would tell the page itself.
 *
 * @param wanted what has been set: it is waited for
 */
export async function deviceUses(wanted: DeviceUses): Promise<DeviceUses> {
  const all = await Promise.all(
    Object.entries(QUERIED).map(async ([name, queried]) => [name, await statusOf(queried)] as const),
  )
  const known = all.flatMap(([name, status]) => (status === null ? [] : [[name, status] as const]))
  const late = known.map(([name, status]) => becomes(status, wanted[name as DeviceUse] ?? status.state))
  await Promise.race([Promise.all(late), delay(LATE_MS)])
  return Object.fromEntries(known.map(([name, { state }]) => [name, state]))
}

const becomes = (status: PermissionStatus, wanted: DeviceUseState): Promise<void> =>
  new Promise(resolve => {
    const look = (): void => {
      if (status.state === wanted) resolve()
    }
    status.addEventListener('change', look)
    look()
  })

/** Null where the browser does not know it, as in pages that are not secure. */
async function statusOf(queried: string): Promise<PermissionStatus | null> {
  try {
    return await navigator.permissions.query({ name: queried as PermissionName })
  } catch (error) {
    console.debug(`the browser knows no ${queried}`, error)
    return null
  }
}
