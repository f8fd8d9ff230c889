import { z } from 'zod'
import type { WireParams } from '../../shared/wire.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { addressOf } from './addresses.ts'

/** What the browser keeps for a site: changing cookies and storage, reading IndexedDB. */

const SAME_SITE = { none: 'no_restriction', lax: 'lax', strict: 'strict' } as const

export const cookieSet = defineStep({
  name: 'cookie_set',
  doc: "Put a cookie into the person's browser; answers it without its value.",
  needs: ['browser'],
  effect: 'write',
  risk: 'account',
  site: 'browser',
  secretOptions: ['value'],
  schema: z.strictObject({
    url: z.string().min(1).describe('address that it is for'),
    name: z.string(),
    value: z.string(),
    domain: z.string().min(1).optional().describe('for subdomains too; default: this host alone'),
    path: z.string().default('/'),
    secure: z.boolean().optional().describe('default: as the address'),
    http_only: z.boolean().default(false),
    same_site: z.enum(['none', 'lax', 'strict']).optional(),
    expires: z.number().positive().optional().describe('epoch seconds; default: with the browser session'),
    partition: z.string().min(1).optional().describe('site that it is kept under, such as https://a.example'),
  }),
  example: { url: 'https://example.com/', name: 'theme', value: 'dark' },
  run: async (ctx, { url, same_site, secure, domain, partition, expires = null, ...rest }) => {
    const address = addressOf({ url }, ctx.scope.base)
    const cookie = {
      ...{ ...rest, expires, secure: secure ?? address.startsWith('https:') },
      same_site: same_site === undefined ? 'unspecified' : SAME_SITE[same_site],
      ...(domain === undefined ? {} : { domain }),
      ...(partition === undefined ? {} : { partition }),
    }
    const { value: _, ...set } = await ctx.browser.call('cookies.set', { url: address, cookie }, ctx)
    ctx.report('confirmed')
    return set
  },
})

const oneOrAll = 'name them, or say all'

export const cookieDelete = defineStep({
  name: 'cookie_delete',
  doc: "Take cookies of an address out of the person's browser, partitioned ones too; this can log them out.",
  needs: ['browser'],
  effect: 'destructive',
  risk: 'account',
  site: 'browser',
  schema: z
    .strictObject({
      url: z.string().min(1),
      names: z.array(z.string()).min(1).optional(),
      all: z.boolean().default(false),
    })
    .refine(({ names, all }) => (names === undefined) === all, oneOrAll),
  example: { url: 'https://example.com/', names: ['theme'] },
  run: async (ctx, { url, names = null }) => {
    const address = addressOf({ url }, ctx.scope.base)
    const done = await ctx.browser.call('cookies.delete', { url: address, names }, ctx)
    ctx.report('confirmed')
    return done
  },
})

const area = z.enum(['local', 'session']).default('local')

type StorageChange = Omit<WireParams<'page.storage_write'>, 'session' | 'tab'>

async function changeStorage(ctx: StepContext<'browser'>, change: StorageChange) {
  const done = await ctx.browser.call('page.storage_write', change, ctx)
  ctx.report('confirmed')
  return done
}

export const storageSet = defineStep({
  name: 'storage_set',
  doc: 'Put values into the local or session storage of the page.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  secretOptions: ['values'],
  schema: z.strictObject({ area, values: z.record(z.string(), z.string()) }),
  example: { values: { theme: 'dark' } },
  run: (ctx, { area, values }) => changeStorage(ctx, { area, clear: false, remove: [], set: values }),
})

export const storageRemove = defineStep({
  name: 'storage_remove',
  doc: 'Take keys, or all of them, out of the local or session storage of the page.',
  needs: ['browser'],
  effect: 'destructive',
  site: 'browser',
  schema: z
    .strictObject({ area, keys: z.array(z.string()).min(1).optional(), all: z.boolean().default(false) })
    .refine(({ keys, all }) => (keys === undefined) === all, oneOrAll),
  example: { keys: ['theme'] },
  run: (ctx, { area, keys = [], all }) => changeStorage(ctx, { area, clear: all, remove: keys, set: {} }),
})

export const indexeddb = defineStep({
  name: 'indexeddb',
  doc: "List the IndexedDB databases and stores of the page's origin, or read rows of one store.",
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z
    .strictObject({
      database: z.string().optional(),
      store: z.string().optional(),
      limit: z.number().int().min(1).max(1000).default(20),
      skip: z.number().int().min(0).default(0),
    })
    .refine(
      ({ database, store }) => store === undefined || database !== undefined,
      'a store needs its database',
    ),
  example: { database: 'app', store: 'notes', limit: 5 },
  run: async (ctx, { database = null, store = null, limit, skip }) => {
    const found = await ctx.browser.call('page.indexeddb', { database, store, limit, skip }, ctx)
    return store === null ? found.databases : { total: found.total, rows: found.rows }
  },
})
