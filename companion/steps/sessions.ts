import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { SessionInfo } from '../../shared/values.ts'
import { defineStep } from '../kernel/step.ts'
import { shownTab } from './tabs.ts'

const MINUTE_MS = 60_000

const shownSession = ({ session, tabs, lease_ms, until }: SessionInfo, profile: string) => ({
  session,
  profile,
  tabs: tabs.map(tab => {
    const { session: _, ...shown } = shownTab(tab)
    return shown
  }),
  lease_minutes: lease_ms / MINUTE_MS,
  expires: new Date(until).toISOString(),
})

export const sessions = defineStep({
  name: 'sessions',
  doc: 'List the sessions of the browser with their tabs and when each ends unless it is used.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({}),
  example: {},
  run: async ctx => {
    const all = await ctx.browser.call('session.list', {}, ctx)
    return all.map(info => shownSession(info, ctx.browser.profile.name))
  },
})

export const sessionEnd = defineStep({
  name: 'session_end',
  doc: 'End the session: its tabs are closed, those that the person lent stay open; answers how many were closed.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  schema: z.strictObject({}),
  example: {},
  run: async ctx => ctx.browser.call('session.close', {}, ctx),
})

export const sessionKeep = defineStep({
  name: 'session_keep',
  doc: 'Say after how many minutes without use the session ends; up to a day, at first 30.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({
    minutes: z
      .number()
      .min(1 / 60)
      .max(1440)
      .describe('without use'),
  }),
  example: { minutes: 120 },
  run: async (ctx, { minutes }) => {
    const ms = Math.round(minutes * MINUTE_MS)
    return shownSession(await ctx.browser.call('session.lease', { ms }, ctx), ctx.browser.profile.name)
  },
})

const LEND = 'lend it'
const KEEP = 'keep it'
/** More tabs than these fit no question. */
const MAX_CHOICES = 8

const Attach = z
  .strictObject({
    url: z.string().min(1).max(2000).optional().describe('part of the address, or a glob with *'),
    title: z.string().min(1).max(500).optional().describe('part of the title, or a glob with *'),
  })
  .refine(({ url, title }) => url !== undefined || title !== undefined, 'say which tab: by url or by title')

export const attach = defineStep({
  name: 'attach',
  doc: 'Ask the person to lend a tab of theirs to the session, by its address or title; it is never closed.',
  needs: ['browser', 'person'],
  effect: 'read',
  site: 'browser',
  schema: Attach,
  example: { url: 'https://mail.example.com/*' },
  run: async (ctx, { url = null, title = null }) => {
    const found = await ctx.browser.call('session.strangers', { url, title }, ctx)
    const offered = found.slice(0, MAX_CHOICES)
    const [first, ...others] = offered
    // In the words of a no: which tabs a person has is told to nobody.
    if (first === undefined) throw notLent()
    const named = offered.map(tab => `“${tab.title}” (${tab.url})`)
    const wanted = `Session "${ctx.browser.session}" wants to use`
    const choices = others.length === 0 ? [LEND, KEEP] : [...named, KEEP]
    const text =
      others.length === 0
        ? `${wanted} your tab ${named[0]}. It can then read and act in it until the session ends.`
        : `${wanted} one of your tabs. It can then read and act in it until the session ends. Which one?`
    const answer = await ctx.person.ask({ text, choices })
    const chosen = answer === LEND ? first : offered[named.indexOf(answer)]
    if (chosen === undefined) throw notLent()
    return shownTab(await ctx.browser.call('session.attach', { stranger: chosen.tab }, ctx))
  },
})

const notLent = (): Failure =>
  new Failure('not_found', {
    what: 'A tab that fits and that the person lends',
    hint: 'Ask the person to open it, or to put it into the group of the session; or open the page in a tab of the session.',
  })
