import type { Protocol } from './protocol.ts'

/** The browser's own names of what `chrome.contentSettings` has, and of its settings. */
const DESCRIPTORS = {
  location: { name: 'geolocation' },
  notifications: { name: 'notifications' },
  camera: { name: 'camera' },
  microphone: { name: 'microphone' },
  clipboard: { name: 'clipboard-read' },
} as const
const SETTINGS: Readonly<Record<string, string>> = { allow: 'granted', block: 'denied', ask: 'prompt' }

/** `chrome.contentSettings` by the protocol, which asks no person. */
export const remoteContentSettings = (protocol: Pick<Protocol, 'send'>) =>
  Object.fromEntries(
    Object.entries(DESCRIPTORS).map(([name, permission]) => {
      const origins = new Set<string>()
      const put = async (origin: string, setting: string | undefined): Promise<void> =>
        void (await protocol.send('Browser.setPermission', { permission, setting, origin }))
      return [
        name,
        {
          set: async ({ primaryPattern, setting }: { primaryPattern: string; setting: string }) => {
            const { origin } = new URL(primaryPattern.replace(/\*$/, ''))
            origins.add(origin)
            await put(origin, SETTINGS[setting])
          },
          clear: async () => {
            for (const origin of origins) await put(origin, 'prompt')
            origins.clear()
          },
        },
      ]
    }),
  )
