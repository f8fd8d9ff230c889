import { z } from 'zod'
import { Effect } from '../../../shared/envelope.ts'
import { Decision, Risk } from '../../../shared/policy.ts'

const glob = z.string().min(1).max(500)

/** One or several; several are alternatives. */
const some = <S extends z.ZodType>(schema: S) => z.union([schema, z.array(schema).min(1).max(1000)])
const globs = (doc: string) => some(glob).optional().describe(doc)

const scalar = z.union([z.string(), z.number(), z.boolean()])
const bounds = z.strictObject({
  min: z.number().optional().describe('of a number'),
  max: z.number().optional().describe('of a number'),
  max_length: z.int().min(0).optional().describe('of a text or list'),
  not: some(scalar).optional().describe('fits every other value'),
})

const Rule = z.strictObject({
  id: z.string().min(1).max(100).optional().describe('its name in verdicts; the line stands in for it'),
  decision: Decision,
  reason: z.string().max(500).optional().describe('told to whoever is refused or asked'),
  operation: globs('site.command'),
  site: globs('of the operation'),
  command: globs('of the operation'),
  effect: some(Effect).optional(),
  risk: some(Risk).optional(),
  surface: some(z.enum(['cli', 'http', 'mcp'])).optional(),
  args: z
    .record(z.string(), z.union([scalar, z.array(scalar).min(1), bounds]))
    .optional()
    .describe('values of arguments: a value, a glob, a list of them, or bounds'),
  domain: globs('host of an address that is reached'),
  path: globs('of a file that is read or written'),
  executable: globs('program that is run: its path or its name'),
})

/** The policy file as a person writes it. */
export const PolicyFile = z.strictObject({
  version: z.literal(1).default(1),
  otherwise: z
    .enum(['profile', 'deny', 'ask', 'allow'])
    .default('profile')
    .describe('what happens where no rule fits: as policy.profile says, or always the same'),
  rules: z.array(Rule).max(10_000).default([]),
})
export type PolicyFile = z.infer<typeof PolicyFile>
