import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { type ActResult, Target } from '../../shared/values.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { addressOf } from './addresses.ts'

/**
 * Acts answer what was seen to happen; that is also the run's verdict. What was seen not to happen fails, so that
 * no later step builds on it.
 */
function reported(ctx: StepContext<'browser'>, action: string, result: ActResult): ActResult {
  ctx.report(result.verdict)
  if (result.verdict !== 'failed') return result
  const { value } = result
  const reason = value === null ? 'the element is as it was' : `the element now has "${excerptOf(value)}"`
  throw new Failure('act_failed', { action, reason })
}

const EXCERPT_CHARS = 80

const excerptOf = (text: string): string => {
  const chars = [...text]
  return chars.length <= EXCERPT_CHARS ? text : `${chars.slice(0, EXCERPT_CHARS).join('')}…`
}

const Navigate = z.strictObject({
  url: z.string().min(1).describe('address'),
  until: z.enum(['commit', 'domcontentloaded', 'load']).default('load'),
})

export const navigate = defineStep({
  name: 'navigate',
  doc: "Load an address in the session's own background tab.",
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  isProminent: true,
  schema: z.union([z.string().transform(url => Navigate.parse({ url })), Navigate]),
  example: { url: 'https://example.com/' },
  run: async (ctx, { url, until }) =>
    ctx.browser.call('page.navigate', { url: addressOf({ url }, ctx.scope.base), until }, ctx),
})

export const snapshot = defineStep({
  name: 'snapshot',
  doc: 'Describe the page as text; every element that can be acted on has a ref.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  isProminent: true,
  schema: z.strictObject({
    max_chars: z.number().int().min(200).max(400_000).default(12_000),
    interactive: z.boolean().default(false).describe('only what can be acted on'),
    target: Target.optional().describe('only this part'),
  }),
  example: { interactive: true },
  run: async (ctx, params) =>
    ctx.browser.call('page.snapshot', { ...params, target: params.target ?? null }, ctx),
})

const Click = z.strictObject({ target: Target, count: z.number().int().min(1).max(3).default(1) })

export const click = defineStep({
  name: 'click',
  doc: 'Click an element once it is visible, still, enabled and not covered.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  isProminent: true,
  schema: z.union([z.string().transform(target => Click.parse({ target })), Click]),
  example: { target: 'd1e12' },
  run: async (ctx, params) =>
    reported(ctx, `The click on ${params.target}`, await ctx.browser.call('page.click', params, ctx)),
})

export const type = defineStep({
  name: 'type',
  doc: 'Put text into a field and read it back.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  isProminent: true,
  schema: z.strictObject({
    target: Target.optional().describe('default: the focused element'),
    text: z.string(),
    replace: z.boolean().default(true).describe('clear it first'),
    submit: z.boolean().default(false).describe('press Enter after'),
  }),
  example: { target: 'label=Search', text: 'bridge', submit: true },
  run: async (ctx, params) =>
    reported(
      ctx,
      `Typing into ${params.target ?? 'the focused element'}`,
      await ctx.browser.call('page.type', { ...params, target: params.target ?? null }, ctx),
    ),
})

const Press = z.strictObject({
  key: z.string().min(1).describe('such as Enter or Control+a'),
  target: Target.optional(),
})

export const press = defineStep({
  name: 'press',
  doc: 'Press a key or a combination of keys.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  isProminent: true,
  schema: z.union([z.string().transform(key => Press.parse({ key })), Press]),
  example: { key: 'Enter' },
  run: async (ctx, params) =>
    reported(
      ctx,
      `The key ${params.key}`,
      await ctx.browser.call('page.press', { ...params, target: params.target ?? null }, ctx),
    ),
})

export const wait = defineStep({
  name: 'wait',
  doc: 'Wait until an element, a text, or a text in an element is there (or gone), or the address matches.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  isProminent: true,
  schema: z
    .strictObject({
      target: Target.optional(),
      text: z.string().optional(),
      url: z.string().optional().describe('part of the address'),
      gone: z.boolean().default(false),
    })
    .refine(
      p => p.target !== undefined || p.text !== undefined || p.url !== undefined,
      'say what to wait for',
    ),
  example: { text: 'Saved' },
  run: async (ctx, { target = null, text = null, url = null, gone }) => {
    const waited = await ctx.browser.call('page.wait', { target, text, url, gone }, ctx)
    return ctx.data ?? waited
  },
})

export const evaluate = defineStep({
  name: 'evaluate',
  doc: "Run an expression in the page's own world and give its JSON value.",
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  isProminent: true,
  schema: z.union([
    z.string().transform(expression => ({ expression })),
    z.strictObject({ expression: z.string().min(1) }),
  ]),
  example: { expression: 'document.title' },
  run: async (ctx, params) => (await ctx.browser.call('page.evaluate', params, ctx)).value,
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

export const tabs = defineStep({
  name: 'tabs',
  doc: 'List the tabs that the session owns, with their addresses and titles.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({}),
  example: {},
  run: async ctx => ctx.browser.call('session.tabs', {}, ctx),
})

export const close = defineStep({
  name: 'close',
  doc: "Close the session's tab; answers how many tabs were closed.",
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  schema: z.strictObject({}),
  example: {},
  run: async ctx => ctx.browser.call('session.close', {}, ctx),
})
