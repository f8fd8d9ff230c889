import { z } from 'zod'
import { TabId, type TabInfo } from '../../shared/values.ts'
import { defineStep } from '../kernel/step.ts'
import { addressOf } from './addresses.ts'

/** As agents see a tab: by its id, for the browser's own number tells them nothing. */
export const shownTab = ({ id, session, url, title, current }: TabInfo) => ({
  ...{ tab: id, session, url, title },
  ...(current ? { current } : {}),
})

const ofOne = z.strictObject({ tab: TabId.optional().describe('default: the current one') })
const oneTab = z.union([z.string().transform(tab => ofOne.parse({ tab })), ofOne])
/** Only what is given: else the tab of the run's own options counts. */
const given = (tab: string | undefined): { tab?: string } => (tab === undefined ? {} : { tab })

export const tabs = defineStep({
  name: 'tabs',
  doc: 'List the tabs that the session owns, with their ids, addresses and titles.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({}),
  example: {},
  run: async ctx => (await ctx.browser.call('session.tabs', {}, ctx)).map(shownTab),
})

const NewTab = z.strictObject({
  url: z.string().min(1).default('about:blank').describe('address'),
  until: z.enum(['commit', 'domcontentloaded', 'load']).default('load'),
})

export const tabNew = defineStep({
  name: 'tab_new',
  doc: 'Open one more tab of the session in the background; later operations act on it.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.union([z.string().transform(url => NewTab.parse({ url })), NewTab]),
  example: { url: 'https://example.com/' },
  run: async (ctx, { url, until }) => {
    const address = url === 'about:blank' ? url : addressOf({ url }, ctx.scope.base)
    return shownTab(
      await ctx.browser.call('page.navigate', { ...{ url: address, until }, new_tab: true }, ctx),
    )
  },
})

export const tabSelect = defineStep({
  name: 'tab_select',
  doc: 'Let operations that name no tab act on this one from now on; nothing is put in front.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: oneTab,
  example: { tab: 't2' },
  run: async (ctx, { tab }) => shownTab(await ctx.browser.call('session.select', given(tab), ctx)),
})

export const close = defineStep({
  name: 'close',
  doc: 'Close a tab of the session; one that the person lent is given back and stays open.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  schema: oneTab,
  example: { tab: 't2' },
  run: async (ctx, { tab }) => ctx.browser.call('session.close_tab', given(tab), ctx),
})
