import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { type ActResult, DatePart, Hand, Target } from '../../shared/values.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { dialogs, saidBy } from './dialogs.ts'

/**
 * Acts answer what was seen to happen; that is also the run's verdict. What was seen not to happen fails, so that
 * no later step builds on it.
 */
export function reported(ctx: StepContext<'browser'>, action: string, result: ActResult): ActResult {
  ctx.report(result.verdict)
  if (result.verdict !== 'failed') return result
  const { value } = result
  const reason = value === null ? 'the element is as it was' : `the element now has "${excerptOf(value)}"`
  throw new Failure('act_failed', { action, reason: reason + saidBy(result.dialogs) })
}

const EXCERPT_CHARS = 80

const excerptOf = (text: string): string => {
  const chars = [...text]
  return chars.length <= EXCERPT_CHARS ? text : `${chars.slice(0, EXCERPT_CHARS).join('')}…`
}

/** Of every act that a script or the browser itself can do. */
export const byHand = {
  hand: Hand.optional().describe(
    "dom: a script's events; cdp: the browser's own input; default: what is needed",
  ),
}

const Click = z.strictObject({
  target: Target,
  count: z.number().int().min(1).max(3).default(1),
  button: z.enum(['left', 'middle', 'right']).default('left'),
  modifiers: z
    .array(z.enum(['Alt', 'Control', 'Meta', 'Shift']))
    .default([])
    .describe('keys held meanwhile'),
  position: z
    .strictObject({ x: z.number(), y: z.number() })
    .optional()
    .describe('pixels from its left upper corner; default: where it can be hit'),
  dialogs,
  ...byHand,
})

export const click = defineStep({
  name: 'click',
  doc: 'Click an element once it is visible, still, enabled and not covered.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  isProminent: true,
  rareOptions: ['button', 'modifiers', 'position', 'dialogs', 'hand'],
  schema: z.union([z.string().transform(target => Click.parse({ target })), Click]),
  example: { target: 'd1e12' },
  run: async (ctx, params) =>
    reported(
      ctx,
      `The click on ${params.target}`,
      await ctx.browser.call('page.click', { ...params, position: params.position ?? null }, ctx),
    ),
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
    dialogs,
    keys: z.boolean().default(false).describe('key by key, as for terminals; nothing is cleared before'),
    part: DatePart.optional().describe(
      'segment of a date or time field to set alone; without it dates are taken in any usual form',
    ),
    ...byHand,
  }),
  rareOptions: ['dialogs', 'keys', 'part', 'hand'],
  example: { target: 'label=Search', text: 'bridge', submit: true },
  run: async (ctx, params) =>
    reported(
      ctx,
      `Typing into ${params.target ?? 'the focused element'}`,
      await ctx.browser.call('page.type', { ...params, target: params.target ?? null }, ctx),
    ),
})

const Clear = z.strictObject({ target: Target, dialogs, ...byHand })

export const clear = defineStep({
  name: 'clear',
  doc: 'Empty a field or an editor.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  schema: z.union([z.string().transform(target => Clear.parse({ target })), Clear]),
  example: { target: 'label=Search' },
  run: async (ctx, params) => {
    const typed = { ...params, text: '', replace: true, submit: false }
    return reported(ctx, `Clearing ${params.target}`, await ctx.browser.call('page.type', typed, ctx))
  },
})

const Press = z.strictObject({
  key: z.string().min(1).describe('such as Enter or Control+a'),
  target: Target.optional(),
  dialogs,
  ...byHand,
})

export const press = defineStep({
  name: 'press',
  doc: 'Press a key or a combination of keys.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  isProminent: true,
  rareOptions: ['dialogs', 'hand'],
  schema: z.union([z.string().transform(key => Press.parse({ key })), Press]),
  example: { key: 'Enter' },
  run: async (ctx, params) =>
    reported(
      ctx,
      `The key ${params.key}`,
      await ctx.browser.call('page.press', { ...params, target: params.target ?? null }, ctx),
    ),
})

const OnTarget = z.strictObject({ target: Target, ...byHand })
const targeted = z.union([z.string().transform(target => OnTarget.parse({ target })), OnTarget])

export const hover = defineStep({
  name: 'hover',
  doc: 'Move the pointer onto an element, so that the page shows what it shows there.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: targeted,
  example: { target: 'role=button[name="More"]' },
  run: async (ctx, params) =>
    reported(ctx, `Hovering over ${params.target}`, await ctx.browser.call('page.hover', params, ctx)),
})

export const focus = defineStep({
  name: 'focus',
  doc: 'Give the focus to an element.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: targeted,
  example: { target: 'label=Search' },
  run: async (ctx, params) =>
    reported(ctx, `Focusing ${params.target}`, await ctx.browser.call('page.focus', params, ctx)),
})

export const check = defineStep({
  name: 'check',
  doc: 'Check or uncheck a checkbox, radio button or switch; nothing happens when it is so already.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  schema: z.strictObject({ target: Target, checked: z.boolean().default(true), dialogs, ...byHand }),
  example: { target: 'label=I agree' },
  run: async (ctx, params) =>
    reported(ctx, `Checking ${params.target}`, await ctx.browser.call('page.check', params, ctx)),
})

export const selectOption = defineStep({
  name: 'select_option',
  doc: 'Choose options of a list or combobox by label or value: exactly these.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  schema: z
    .strictObject({
      target: Target,
      option: z.string().optional(),
      options: z.array(z.string()).min(1).optional().describe('for lists that take more than one'),
      dialogs,
      ...byHand,
    })
    .refine(p => (p.option === undefined) !== (p.options === undefined), 'give option or options'),
  example: { target: 'label=Country', option: '日本' },
  run: async (ctx, { target, option, options = [], dialogs: how, hand }) => {
    const wanted = option === undefined ? options : [option]
    const params = { target, options: wanted, dialogs: how, hand }
    const result = await ctx.browser.call('page.select', params, ctx)
    return reported(ctx, `Choosing in ${target}`, result)
  },
})

export const scroll = defineStep({
  name: 'scroll',
  doc: 'Scroll the page or what is around an element, or bring an element into view.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({
    target: Target.optional(),
    direction: z
      .enum(['up', 'down', 'left', 'right', 'top', 'bottom'])
      .optional()
      .describe('default: target into view, or down'),
    pages: z.number().positive().max(100).default(1).describe('how far, in visible heights'),
    ...byHand,
  }),
  example: { direction: 'down', pages: 2 },
  run: async (ctx, { target = null, direction, pages, hand }) => {
    const way = direction ?? (target === null ? 'down' : null)
    const result = await ctx.browser.call('page.scroll', { target, direction: way, pages, hand }, ctx)
    return reported(ctx, 'Scrolling', result)
  },
})
