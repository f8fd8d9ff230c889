import { z } from 'zod'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { shownTab } from './tabs.ts'

/** Moving in the history of a tab, and where it is. */

const until = z.enum(['commit', 'domcontentloaded', 'load']).default('load')
const Until = z.strictObject({ until })

async function move(
  ctx: StepContext<'browser'>,
  to: 'back' | 'forward' | 'reload',
  { until, bypass_cache = false }: z.output<typeof Until> & { bypass_cache?: boolean },
) {
  return shownTab(await ctx.browser.call('page.move', { to, until, bypass_cache }, ctx))
}

export const back = defineStep({
  name: 'back',
  doc: 'Go one page back in the history of the tab; answers its address and title.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: Until,
  example: {},
  run: (ctx, params) => move(ctx, 'back', params),
})

export const forward = defineStep({
  name: 'forward',
  doc: 'Go one page forward in the history of the tab; answers its address and title.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: Until,
  example: {},
  run: (ctx, params) => move(ctx, 'forward', params),
})

export const reload = defineStep({
  name: 'reload',
  doc: 'Load the page of the tab anew; answers its address and title.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: Until.extend({ bypass_cache: z.boolean().default(false) }),
  example: { bypass_cache: true },
  run: (ctx, params) => move(ctx, 'reload', params),
})

export const info = defineStep({
  name: 'info',
  doc: 'Tell where the tab is: its address and title, session, browser profile, and what it emulates.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({}),
  example: {},
  run: async ctx => {
    const { active } = await ctx.browser.call('page.emulate', { set: {}, reset: false }, ctx)
    const tabs = await ctx.browser.call('session.tabs', {}, ctx)
    const tab = tabs.find(({ current }) => current) ?? tabs[0]
    return {
      ...(tab === undefined ? {} : shownTab(tab)),
      ...{ tabs: tabs.length, profile: ctx.browser.profile.name },
      ...(Object.keys(active).length === 0 ? {} : { emulated: active }),
    }
  },
})
