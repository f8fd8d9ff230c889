import { z } from 'zod'
import { STRATEGIES, Strategy } from '../../shared/envelope.ts'

/** Names of sites and commands: they are also file names, routes and tool names. */
export const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** A name that is looked up on the PATH, or one program alone. */
const EXECUTABLE = /^([A-Za-z0-9][A-Za-z0-9._+-]*|(\/|[A-Za-z]:\\).+)$/

export const ARG_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const
export const ARG_FORMATS = ['url', 'date', 'date-time', 'email', 'uuid', 'hostname', 'ipv4', 'ipv6'] as const
const scalar = z.union([z.string(), z.number(), z.boolean()])

export const ArgSpec = z.strictObject({
  type: z.enum(ARG_TYPES).default('string'),
  items: z
    .enum(['string', 'integer', 'number', 'boolean'])
    .optional()
    .describe('of an array; default string'),
  description: z.string().optional(),
  required: z.boolean().default(false),
  default: z.union([scalar, z.array(scalar), z.record(z.string(), z.unknown())]).optional(),
  choices: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .optional(),
  positional: z.boolean().default(false).describe('also taken by place on the command line, in this order'),
  secret: z.boolean().default(false).describe('its value never reaches log, ledger or answer'),
  target: z
    .boolean()
    .default(false)
    .describe('names what is acted on: a lasting allowance holds for the values of the targets alone'),
  min: z.number().optional().describe('of a number; of a text or list, its least length'),
  max: z.number().optional().describe('of a number; of a text or list, its greatest length'),
  pattern: z
    .string()
    .optional()
    .describe('regular expression that a text must match as a whole, in the syntax of RE2'),
  format: z.enum(ARG_FORMATS).optional(),
})
export type ArgSpec = z.infer<typeof ArgSpec>

const CsrfKeys = z.strictObject({
  cookie: z.string().optional().describe('cookie whose value is the token'),
  endpoint: z.string().optional().describe('address whose JSON answer holds the token at select'),
  select: z.string().optional(),
  page: z.string().optional().describe('page whose meta tag or hidden field holds the token'),
  storage: z.string().optional().describe('storage key that holds a bearer'),
  storage_select: z.string().optional(),
  header: z.string().optional().describe('header that carries the token'),
  field: z.string().optional().describe('form, JSON or query field that carries the token'),
})

const AuthKeys = z.strictObject({
  service: z
    .string()
    .regex(NAME, 'must match [a-z0-9][a-z0-9_-]*')
    .optional()
    .describe('service whose token strategy header sends, to the origins that the service names alone'),
  probe: z
    .string()
    .regex(/^[a-z0-9_-]+\.[a-z0-9_-]+$/, 'must be site.command')
    .optional()
    .describe('operation that answers while somebody is logged in'),
  expect: z
    .string()
    .min(1)
    .optional()
    .describe('expression on its data that holds while somebody is logged in'),
  login: z.string().optional().describe('page to log in at; relative to base'),
  cookies: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('cookies that are all there while logged in'),
})

/** A pipeline's steps are checked by the compiler, which knows them; here it is only a list. */
const Pipeline = z.array(z.unknown()).min(1)

const httpUrl = z.url({ protocol: /^https?$/ })

/** An adapter file as its author writes it. */
export const AdapterFile = z.strictObject({
  schema_version: z.literal(1).default(1),
  site: z.string().regex(NAME, 'must match [a-z0-9][a-z0-9_-]*'),
  name: z.string().regex(NAME, 'must match [a-z0-9][a-z0-9_-]*').describe('the command'),
  description: z.string().min(1).optional().describe('one sentence'),
  type: z.enum(['web-api', 'browser', 'desktop', 'bridge', 'service']),
  strategy: z.enum([...STRATEGIES, 'auto']),
  effect: z
    .enum(['read', 'write', 'destructive'])
    .describe('what it may do to the site; its steps may do no more'),
  risk: z
    .enum(['none', 'send', 'publish', 'pay', 'delete', 'account'])
    .optional()
    .describe(
      'what is at stake; none for a write that can be taken back, which is else asked for as any other',
    ),
  base: httpUrl
    .optional()
    .describe('where relative addresses begin; the setting sites.<site>.base replaces it'),
  origins: z.array(httpUrl).default([]).describe('further origins that it may reach'),
  executables: z
    .array(z.string().regex(EXECUTABLE, 'must be the name of a program, or an absolute path'))
    .default([])
    .describe('programs that it may start'),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must match [A-Za-z_][A-Za-z0-9_]*'))
    .default([])
    .describe('environment names that its expressions (env.NAME) and programs may see'),
  args: z
    .record(z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]*$/, 'must match [a-zA-Z][a-zA-Z0-9_]*'), ArgSpec)
    .default({}),
  rate: z.int().min(1).max(60_000).optional().describe('requests per minute to the site, over all runs'),
  pipeline: Pipeline.optional(),
  pipelines: z.partialRecord(Strategy, Pipeline).optional().describe('a pipeline of its own for a strategy'),
  columns: z.array(z.string()).default([]),
  pagination: z
    .strictObject({
      by: z
        .enum(['page', 'offset', 'cursor'])
        .describe('page counts pages, offset counts rows, cursor is what the site gave with the page before'),
      arg: z.string().describe('the argument that says which page'),
      size: z.string().optional().describe('the argument that says how many rows a page has'),
      cursor: z
        .string()
        .optional()
        .describe('of cursor: an expression on data (the rows) and args; null when there is no more'),
    })
    .optional()
    .describe('how the list goes on; answers then say in meta.next which arguments ask for more'),
  csrf: CsrfKeys.default({}),
  auth: AuthKeys.optional().describe('how to tell whether the person is logged in, and where to log in'),
  verified: z
    .strictObject({ how: z.enum(['live', 'contract', 'replay']), date: z.iso.date() })
    .optional()
    .describe('how it was shown to work, and when'),
  alternatives: z
    .array(z.string().regex(/^[a-z0-9_-]+\.[a-z0-9_-]+$/, 'must be site.command'))
    .default([])
    .describe('operations to try when this one fails'),
  timeout_ms: z
    .int()
    .min(1000)
    .max(600_000)
    .optional()
    .describe('how long it may take; default: the setting'),
  allow_empty: z.boolean().default(false),
  aliases: z.array(z.string().min(1)).default([]).describe('words to find it by, in any language'),
  example: z.record(z.string(), z.unknown()).optional(),
})
export type AdapterFile = z.infer<typeof AdapterFile>
