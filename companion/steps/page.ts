import { z } from 'zod'
import { Target } from '../../shared/values.ts'
import { defineStep } from '../kernel/step.ts'
import { addressOf } from './addresses.ts'
import { dialogs, saidBy } from './dialogs.ts'
import { pause } from './pause.ts'
import { shownTab } from './tabs.ts'

const Navigate = z.strictObject({
  url: z.string().min(1).describe('address'),
  until: z.enum(['commit', 'domcontentloaded', 'load']).default('load'),
  dialogs,
})

export const navigate = defineStep({
  name: 'navigate',
  doc: "Load an address in the session's own background tab.",
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  isProminent: true,
  rareOptions: ['dialogs'],
  schema: z.union([z.string().transform(url => Navigate.parse({ url })), Navigate]),
  example: { url: 'https://example.com/' },
  run: async (ctx, { url, until, dialogs: how }) => {
    const address = addressOf({ url }, ctx.scope.base)
    const shown = await ctx.browser.call('page.navigate', { url: address, until, dialogs: how }, ctx)
    return { ...shownTab(shown), ...(shown.dialogs === undefined ? {} : { dialogs: shown.dialogs }) }
  },
})

export const snapshot = defineStep({
  name: 'snapshot',
  doc: 'Describe the page as text; every element that can be acted on has a ref.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  isProminent: true,
  isBudgeted: true,
  schema: z.strictObject({
    max_tokens: z.number().int().min(100).max(100_000).default(4000),
    interactive: z.boolean().optional().describe('only what can be acted on'),
    target: Target.optional().describe('only this part'),
    depth: z.number().int().min(1).optional().describe('levels of the tree'),
    after: z.string().optional().describe('the `next` of the snapshot before'),
    since: z.boolean().default(false).describe('only what is different since the last snapshot'),
    boxes: z.boolean().default(false).describe('places as [x,y,width,height], and refs for texts too'),
    graphics: z.boolean().default(false).describe('kinds and colours of shapes, with refs'),
  }),
  rareOptions: ['max_tokens', 'depth', 'after', 'since', 'boxes', 'graphics'],
  example: { interactive: true },
  run: async (ctx, { target = null, interactive = null, depth = null, after = null, ...params }) =>
    ctx.browser.call('page.snapshot', { ...params, target, interactive, depth, after }, ctx),
})

const Milliseconds = z.number().int().min(0).max(3_600_000)
const Wait = z
  .strictObject({
    target: Target.optional(),
    text: z.string().optional(),
    url: z.string().optional().describe('part of the address'),
    gone: z.boolean().default(false),
    ms: Milliseconds.optional().describe('a time, in place of something in the page; needs no browser'),
  })
  .refine(
    ({ target, text, url, ms }) =>
      ms === undefined
        ? target !== undefined || text !== undefined || url !== undefined
        : target === undefined && text === undefined && url === undefined,
    'say what to wait for: something in the page, or a time',
  )

export const wait = defineStep({
  name: 'wait',
  doc: 'Wait until an element or text is there (or gone) or the address matches, or for a time.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  isProminent: true,
  schema: z.union([Milliseconds.transform(ms => Wait.parse({ ms })), Wait]),
  example: { text: 'Saved' },
  run: async (ctx, { target = null, text = null, url = null, gone, ms }) => {
    if (ms !== undefined) {
      await pause(ms, ctx.signal)
      return ctx.data ?? null
    }
    const waited = await ctx.browser.call('page.wait', { target, text, url, gone }, ctx)
    return ctx.data ?? waited
  },
})

const Evaluate = z.strictObject({
  expression: z.string().min(1).describe('or a function, which is called; promises are awaited'),
  args: z.array(z.unknown()).default([]).describe('JSON that the function gets'),
  world: z
    .enum(['page', 'isolated'])
    .default('page')
    .describe("isolated: the page's DOM without its scripts; needs the debugger"),
  target: Target.optional().describe('`el` in the expression; the first argument of a function'),
  dialogs,
})

export const evaluate = defineStep({
  name: 'evaluate',
  doc: "Run an expression in the page's own world and give its JSON value.",
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  isProminent: true,
  rareOptions: ['args', 'world', 'target', 'dialogs'],
  schema: z.union([z.string().transform(expression => Evaluate.parse({ expression })), Evaluate]),
  example: { expression: 'document.title' },
  run: async (ctx, params) => {
    const { value, dialogs: raised } = await ctx.browser.call('page.evaluate', params, ctx)
    if (raised !== undefined) ctx.progress(`The page asked${saidBy(raised)}.`)
    return value
  },
})

export const cookies = defineStep({
  name: 'cookies',
  doc: "List the person's cookies for an address; values only when asked for.",
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  isProminent: true,
  schema: z.strictObject({
    url: z.string().min(1),
    names: z.array(z.string()).optional(),
    values: z.boolean().default(false),
  }),
  example: { url: 'https://example.com/' },
  run: async (ctx, { url, names, values }) => {
    const all = await ctx.browser.call('cookies.get', { url: addressOf({ url }, ctx.scope.base) }, ctx)
    const wanted = all.filter(cookie => names?.includes(cookie.name) ?? true)
    return wanted.map(({ value, ...rest }) => (values ? { ...rest, value } : rest))
  },
})

export const html = defineStep({
  name: 'html',
  doc: 'Give the HTML of the page, or of one element, as it is now.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.union([
    z.string().transform(target => ({ target })),
    z.strictObject({ target: Target.optional() }),
  ]),
  example: { target: 'css=main' },
  run: async (ctx, { target }) => (await ctx.browser.call('page.html', { target: target ?? null }, ctx)).html,
})

export const storage = defineStep({
  name: 'storage',
  doc: 'List what the page keeps in its local and session storage; values only when asked for.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({
    area: z.enum(['local', 'session']).default('local'),
    keys: z.array(z.string()).optional(),
    values: z.boolean().default(false),
  }),
  example: { area: 'local', keys: ['theme'], values: true },
  run: async (ctx, { area, keys, values }) => {
    const all = await ctx.browser.call('page.storage', {}, ctx)
    return Object.entries(all[area])
      .filter(([key]) => keys?.includes(key) ?? true)
      .map(([key, value]) => ({ key, chars: value.length, ...(values ? { value } : {}) }))
  },
})
