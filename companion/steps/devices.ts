import type { Emulation } from '../../shared/state-values.ts'

type Device = Pick<Emulation, 'viewport' | 'user_agent' | 'hints'>

const android = (model: string, width: number, height: number, scale: number): Device => ({
  viewport: { width, height, scale, mobile: true, touch: true },
  user_agent:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  hints: { platform: 'Android', mobile: true, model },
})

const apple = (system: string, width: number, height: number, scale: number): Device => ({
  viewport: { width, height, scale, mobile: true, touch: true },
  user_agent: `Mozilla/5.0 (${system} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1`,
})

const screen = (width: number, height: number, scale = 1): Device => ({
  viewport: { width, height, scale, mobile: false, touch: false },
})

/** Sizes of screens that sites are made for; a phone also says in its user agent that it is one. */
export const DEVICES = {
  'iphone-se': apple('iPhone; CPU iPhone OS 18_0', 375, 667, 2),
  'iphone-15': apple('iPhone; CPU iPhone OS 18_0', 393, 852, 3),
  ipad: apple('iPad; CPU OS 18_0', 820, 1180, 2),
  'pixel-8': android('Pixel 8', 412, 915, 2.625),
  'galaxy-s24': android('SM-S921B', 360, 780, 3),
  laptop: screen(1366, 768),
  desktop: screen(1920, 1080),
  'desktop-hidpi': screen(1440, 900, 2),
} satisfies Record<string, Device>

export const DEVICE_NAMES = Object.keys(DEVICES) as [keyof typeof DEVICES, ...(keyof typeof DEVICES)[]]
