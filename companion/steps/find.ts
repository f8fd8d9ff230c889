import { z } from 'zod'
import { Target } from '../../shared/values.ts'
import { defineStep } from '../kernel/step.ts'

const Find = z
  .strictObject({
    text: z.string().min(1).optional().describe('in its text'),
    role: z.string().min(1).optional(),
    name: z.string().min(1).optional().describe('accessible name, or a part of it'),
    label: z.string().min(1).optional(),
    testid: z.string().min(1).optional(),
    regex: z.string().min(1).max(500).optional().describe('for its text; no lookaround, no backreference'),
    target: Target.optional(),
    limit: z.number().int().min(1).max(200).default(20),
  })
  .refine(
    ({ limit: _, ...asked }) => Object.values(asked).some(value => value !== undefined),
    'say what to find: text, role, name, label, testid, regex or target',
  )

export const find = defineStep({
  name: 'find',
  doc: 'Find elements in all frames of the page, with refs, what is around them and whether they can be seen.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.union([z.string().transform(text => Find.parse({ text })), Find]),
  example: { role: 'button', name: 'Save' },
  run: async (ctx, { limit, ...asked }) => {
    const { text = null, role = null, name = null, label = null } = asked
    const { testid = null, regex = null, target = null } = asked
    const params = { text, role, name, label, testid, regex, target, limit }
    return ctx.browser.call('page.find', params, ctx)
  },
})
