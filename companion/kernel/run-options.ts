import { z } from 'zod'
import { STRATEGIES } from '../../shared/envelope.ts'
import { Scope } from '../../shared/policy.ts'
import { TabId } from '../../shared/values.ts'
import type { RunOptions } from './operation.ts'

const HOUR_MS = 3_600_000

const SessionName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^(?!.*\/t\d+$)/s, 'the option tab says which tab is meant')
  .regex(/^(?!\s)[^\p{Cc}]*(?<!\s)$/u, 'a name has neither control characters nor spaces around it')
  // No record can hold it.
  .refine(name => name !== '__proto__', 'this name is not possible')

/** What a caller may say about one run, as every surface that takes JSON checks it. Unknown keys are refused. */
export const RunOptionsSchema: z.ZodType<RunOptions> = z.strictObject({
  strategy: z
    .enum([...STRATEGIES, 'auto'])
    .optional()
    .describe('Use this strategy instead of the declared one.'),
  profile: z.string().min(1).max(200).optional().describe('Browser profile, by id or name.'),
  timeout_ms: z.int().min(1).max(HOUR_MS).optional().describe('Give up after this many milliseconds.'),
  dry_run: z.boolean().optional().describe('Check everything, then stop before anything is sent.'),
  select: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Dot path or JSONPath of what is wanted of the data.'),
  fields: z.array(z.string().min(1).max(200)).max(200).optional().describe('Only these fields of each row.'),
  pluck: z.string().min(1).max(200).optional().describe('Only this value of each row.'),
  brief: z.boolean().optional().describe('Only the declared columns of each row.'),
  full: z.boolean().optional().describe('Cut no long text, and give bytes as base64.'),
  session: SessionName.optional().describe('Browser session whose tabs are used.'),
  tab: TabId.optional().describe('Which tab of the session, such as t2; by default its current one.'),
  images: z.boolean().optional().describe('Show pictures of the answer, where a surface can (MCP).'),
  scope: Scope.optional().describe('What the call may at most do; it only narrows what the policy allows.'),
})
