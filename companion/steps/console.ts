import { z } from 'zod'
import { ConsoleLevel } from '../../shared/traffic.ts'
import { defineStep } from '../kernel/step.ts'
import { consoleLine } from './traffic-texts.ts'

export const consoleList = defineStep({
  name: 'console_list',
  command: 'list',
  doc: "List what the session's page wrote to its console, and its errors, from the first line on.",
  needs: ['browser', 'traffic'],
  effect: 'read',
  site: 'console',
  schema: z.strictObject({
    level: ConsoleLevel.default('info').describe('this one and graver ones'),
    text: z.string().min(1).optional().describe('part of it, glob with *, or /regular expression/'),
    since: z.number().int().min(0).optional().describe('cursor of an earlier list: only later ones'),
    limit: z.number().int().min(1).max(2000).default(50),
    stacks: z.boolean().default(false),
  }),
  example: { level: 'error' },
  run: async (ctx, { limit, stacks, ...query }) => {
    const { lines } = await ctx.browser.call('console.read', {}, ctx)
    ctx.traffic.addLines(lines)
    const { found, cursor, dropped } = ctx.traffic.lines(query)
    const shown = found.slice(-limit)
    const earlier = found.length - shown.length
    return {
      lines: shown.map(line => consoleLine(line) + (stacks && line.stack !== '' ? `\n${line.stack}` : '')),
      cursor,
      ...(earlier === 0 ? {} : { earlier }),
      ...(dropped === 0 ? {} : { dropped }),
    }
  },
})
