import { z } from 'zod'
import { DeviceUses, Emulated, Emulation, IndexedData, Metrics, Visited } from './state-values.ts'
import { Cookie, TabInfo } from './values.ts'
import { inSession, method } from './wire-method.ts'

/** The part of the wire that is about the state of a page and of the person. */
export const STATE_WIRE = {
  'page.move': method({
    doc: "Go back or forward in the history of the session's tab, or load its page anew.",
    effect: 'write',
    params: z.strictObject({
      ...inSession,
      to: z.enum(['back', 'forward', 'reload']),
      until: z.enum(['commit', 'domcontentloaded', 'load']),
      /** Of a reload: nothing is taken from the cache. */
      bypass_cache: z.boolean(),
    }),
    result: TabInfo,
  }),
  'page.metrics': method({
    doc: 'How the page loaded and how quickly it answers, as the browser measured it.',
    effect: 'read',
    params: z.strictObject({ ...inSession }),
    result: Metrics,
  }),
  'page.emulate': method({
    doc: "What the session's tab takes the device and its surroundings for, until its session ends.",
    effect: 'write',
    params: z.strictObject({ ...inSession, set: Emulation, reset: z.boolean() }),
    result: Emulated,
  }),
  'page.uses': method({
    doc: "What of the device the session's page may use: location, camera and the like.",
    effect: 'read',
    params: z.strictObject({ ...inSession }),
    result: DeviceUses,
  }),
  'page.uses_write': method({
    doc: "Allow or block what the site of the session's page asks for, until the session ends.",
    effect: 'write',
    params: z.strictObject({ ...inSession, set: DeviceUses }),
    result: DeviceUses,
  }),
  'page.storage_write': method({
    doc: "Change the local or session storage of the session's page: first what goes, then what comes.",
    effect: 'write',
    acts: true,
    params: z.strictObject({
      ...inSession,
      area: z.enum(['local', 'session']),
      clear: z.boolean(),
      remove: z.array(z.string()),
      set: z.record(z.string(), z.string()),
    }),
    result: z.object({ removed: z.number().int(), set: z.number().int(), kept: z.number().int() }),
  }),
  'page.indexeddb': method({
    doc: "Read the IndexedDB of the session's page: which databases and stores there are, or rows of one store.",
    effect: 'read',
    params: z.strictObject({
      ...inSession,
      database: z.string().nullable(),
      store: z.string().nullable(),
      limit: z.number().int().min(1),
      skip: z.number().int().min(0),
    }),
    result: IndexedData,
  }),
  'cookies.set': method({
    doc: 'Put a cookie into the browser.',
    effect: 'write',
    acts: true,
    touches: 'address',
    params: z.strictObject({ url: z.url(), cookie: Cookie.partial({ domain: true }) }),
    result: Cookie,
  }),
  'cookies.delete': method({
    doc: 'Take cookies of an address out of the browser, by name; null takes all.',
    effect: 'write',
    acts: true,
    touches: 'address',
    params: z.strictObject({ url: z.url(), names: z.array(z.string()).nullable() }),
    result: z.object({ deleted: z.array(z.string()) }),
  }),
  'visits.search': method({
    doc: "Search the person's history or bookmarks, once the person allowed the extension to read them.",
    effect: 'read',
    touches: 'nothing',
    params: z.strictObject({
      from: z.enum(['history', 'bookmarks']),
      text: z.string(),
      /** Of the history: visited at that time or later, epoch ms. */
      since: z.number().nullable(),
      limit: z.number().int().min(1).max(1000),
    }),
    result: z.array(Visited),
  }),
} as const
