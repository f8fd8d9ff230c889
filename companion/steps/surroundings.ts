import { z } from 'zod'
import { DeviceUses, Emulation } from '../../shared/state-values.ts'
import { defineStep } from '../kernel/step.ts'
import { DEVICE_NAMES, DEVICES } from './devices.ts'

/** What a tab takes its device for, how its page fares, and where the person was before. */

const Emulate = Emulation.omit({ hints: true }).extend({
  device: z.enum(DEVICE_NAMES).optional().describe('its viewport and user agent; what else is given wins'),
  reset: z.boolean().default(false).describe('back to the real device first'),
})

export const emulate = defineStep({
  name: 'emulate',
  doc: 'Let the tab take its device for another: viewport, language, timezone, place, colours, user agent. Needs the debugger.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: Emulate.refine(given => Object.values(given).some(Boolean), 'say what to emulate, or reset'),
  example: { device: 'iphone-15', locale: 'zh-CN', timezone: 'Asia/Shanghai' },
  run: async (ctx, { device, reset, ...own }) => {
    const set = { ...(device === undefined ? {} : DEVICES[device]), ...own }
    const { active } = await ctx.browser.call('page.emulate', { set, reset }, ctx)
    return { emulated: active, note: 'The page may have to be loaded anew to see all of it.' }
  },
})

export const permissions = defineStep({
  name: 'permissions',
  doc: 'Tell what of the device the page may use: location, notifications, camera, microphone, clipboard.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({}),
  example: {},
  run: ctx => ctx.browser.call('page.uses', {}, ctx),
})

export const permissionSet = defineStep({
  name: 'permission_set',
  doc: 'Allow, block or leave to the person what the site of the page asks for, until the session ends.',
  needs: ['browser'],
  effect: 'write',
  risk: 'account',
  site: 'browser',
  schema: DeviceUses.refine(given => Object.values(given).some(Boolean), 'say what is allowed or blocked'),
  example: { geolocation: 'granted', notifications: 'denied' },
  run: (ctx, set) => ctx.browser.call('page.uses_write', { set }, ctx),
})

export const metrics = defineStep({
  name: 'metrics',
  doc: 'Tell how the page loaded and how quickly it answers: timings, LCP, CLS, INP, long tasks, nodes, heap.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({}),
  example: {},
  run: ctx => ctx.browser.call('page.metrics', {}, ctx),
})

const limit = z.number().int().min(1).max(1000).default(20)

export const history = defineStep({
  name: 'history',
  doc: "Search the addresses and titles of the person's browsing history, if they let the extension read it.",
  needs: ['browser'],
  effect: 'read',
  risk: 'account',
  site: 'browser',
  schema: z.strictObject({
    text: z.string().default('').describe('words in address or title; default: the latest'),
    days: z.number().positive().max(3650).optional().describe('only the last so many days'),
    limit,
  }),
  example: { text: 'bridge', days: 7 },
  run: async (ctx, { text, days, limit }) => {
    const since = days === undefined ? null : Date.now() - days * 86_400_000
    const found = await ctx.browser.call('visits.search', { from: 'history', text, since, limit }, ctx)
    return found.map(({ url, title, at, visits }) => ({ title, url, at: isoOf(at), visits }))
  },
})

export const bookmarks = defineStep({
  name: 'bookmarks',
  doc: "Search the person's bookmarks, if they let the extension read them.",
  needs: ['browser'],
  effect: 'read',
  risk: 'account',
  site: 'browser',
  schema: z.strictObject({ text: z.string().default('').describe('words in address or title'), limit }),
  example: { text: 'bridge' },
  run: async (ctx, { text, limit }) => {
    const found = await ctx.browser.call(
      'visits.search',
      { from: 'bookmarks', text, since: null, limit },
      ctx,
    )
    return found.map(({ url, title, at, folder }) => ({ title, url, folder, at: isoOf(at) }))
  },
})

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
