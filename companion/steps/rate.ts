import { z } from 'zod'
import { defineStep } from '../kernel/step.ts'

export const rateLimit = defineStep({
  name: 'rate_limit',
  doc: 'Wait for a turn, so that no more than so many a minute pass here over all runs; the data passes on unchanged.',
  needs: ['rates'],
  effect: 'read',
  schema: z.strictObject({
    per_minute: z.number().int().min(1).max(60_000),
    name: z.string().min(1).optional().describe('what is counted together; default: the host of base'),
    burst: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('what may pass at once; default: a sixth of per_minute'),
  }),
  example: { per_minute: 30, name: 'api.example.com' },
  run: async (ctx, { per_minute: perMinute, name, burst }) => {
    await ctx.rates.take({ name: name ?? hostOf(ctx.scope.base), perMinute, burst }, ctx)
    return ctx.data
  },
})

const hostOf = (base: string): string => (URL.canParse(base) ? new URL(base).host : 'everything')
