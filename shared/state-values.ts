import { z } from 'zod'

/** Values about the state of a page and of the person. */

const side = z.number().int().min(100).max(10_000)

/** What a tab takes the device and its surroundings for. What is not named stays as it was. */
export const Emulation = z.strictObject({
  viewport: z
    .strictObject({
      width: side,
      height: side,
      scale: z.number().min(0.5).max(5).default(1).describe('pixels of the screen for each CSS pixel'),
      mobile: z.boolean().default(false),
      touch: z.boolean().default(false),
    })
    .optional(),
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'not a language tag such as de-DE')
    .optional()
    .describe('such as zh-CN'),
  timezone: z.string().min(1).max(60).optional().describe('such as Asia/Tokyo'),
  geolocation: z
    .strictObject({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      accuracy: z.number().positive().default(10).describe('metres'),
    })
    .optional(),
  color_scheme: z.enum(['light', 'dark']).optional(),
  reduced_motion: z.boolean().optional(),
  user_agent: z.string().min(1).max(500).optional(),
  /** Client hints that go with the user agent. */
  hints: z.strictObject({ platform: z.string(), mobile: z.boolean(), model: z.string() }).optional(),
  cpu_slowdown: z.number().min(1).max(20).optional().describe('1 is full speed'),
})
export type Emulation = z.infer<typeof Emulation>

export const Emulated = z.object({
  /** What is emulated now; empty when nothing is. */
  active: Emulation,
})
export type Emulated = z.infer<typeof Emulated>

/** All times in milliseconds from the beginning of the navigation; null for what was not measured (yet). */
export const Metrics = z.object({
  url: z.string(),
  navigation: z.object({
    type: z.string(),
    status: z.number().int().nullable(),
    ttfb: z.number().nullable(),
    dom_content_loaded: z.number().nullable(),
    load: z.number().nullable(),
    /** Bytes of the document itself over the network. */
    transferred: z.number().nullable(),
  }),
  first_paint: z.number().nullable(),
  first_contentful_paint: z.number().nullable(),
  /** Web vitals, by the definitions of web.dev: LCP, CLS (no unit), INP. */
  lcp: z.object({ at: z.number(), element: z.string() }).nullable(),
  cls: z.number().nullable(),
  inp: z.number().nullable(),
  long_tasks: z.object({ count: z.number().int(), total: z.number(), longest: z.number() }).nullable(),
  resources: z.object({ count: z.number().int(), transferred: z.number() }),
  dom_nodes: z.number().int(),
  /** Bytes of the JavaScript heap, as far as the browser tells. */
  js_heap: z.number().nullable(),
  frames: z.number().int(),
})
export type Metrics = z.infer<typeof Metrics>

const IndexedStore = z.object({
  name: z.string(),
  rows: z.number().int(),
  key_path: z.string().nullable(),
  indexes: z.array(z.string()),
})

/** Either the databases, or rows of one store; values that JSON has not stand as text such as `[Blob 12 bytes]`. */
export const IndexedData = z.object({
  databases: z.array(z.object({ name: z.string(), version: z.number(), stores: z.array(IndexedStore) })),
  rows: z.array(z.object({ key: z.unknown(), value: z.unknown() })),
  /** Rows of the store in all; 0 where databases are listed. */
  total: z.number().int(),
})
export type IndexedData = z.infer<typeof IndexedData>

/** `prompt`: the person is asked when the page wants it, which in the background nobody sees. */
export const DeviceUseState = z.enum(['granted', 'denied', 'prompt'])
export type DeviceUseState = z.infer<typeof DeviceUseState>

const use = DeviceUseState.optional()
/** What a page asks the person for before it may use it; what the browser does not know is left out. */
export const DeviceUses = z.strictObject({
  geolocation: use,
  notifications: use,
  camera: use,
  microphone: use,
  clipboard: use,
})
export type DeviceUses = z.infer<typeof DeviceUses>
export const DeviceUse = DeviceUses.keyof()
export type DeviceUse = z.infer<typeof DeviceUse>

/** A page that the person was at, or keeps. */
export const Visited = z.object({
  url: z.string(),
  title: z.string(),
  /** Epoch ms: when it was last visited, or kept. */
  at: z.number().nullable(),
  /** Of the history: how often. */
  visits: z.number().int().nullable(),
  /** Of a bookmark: the folders around it. */
  folder: z.string().nullable(),
})
export type Visited = z.infer<typeof Visited>
