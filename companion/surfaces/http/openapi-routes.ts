import { z } from 'zod'
import { RunsFilter } from '../../kernel/runs-query.ts'
import { ListQuery } from './call-routes.ts'
import { ApprovalBody } from './record-routes.ts'
import { ReplayBody } from './run-routes.ts'

/** The routes that do not depend on the catalogue. */
export const fixedPaths = (): Record<string, object> => ({
  '/v1/health': {
    get: route('health', 'The state of the companion, its browsers and its runs.', { ok: ref('Status') }),
  },
  '/v1/operations': {
    get: route('operations', 'List the operations, or search them.', {
      parameters: queryParameters(ListQuery),
      ok: object({
        operations: list({ anyOf: [ref('OperationBrief'), ref('OperationHit')] }),
        total: { type: 'integer' },
      }),
    }),
  },
  '/v1/operations/{site}/{command}': {
    get: route('describe', 'Describe one operation.', {
      parameters: [pathParameter('site'), pathParameter('command')],
      ok: ref('OperationDescription'),
    }),
  },
  ...runPaths(),
  '/v1/evidence/{id}': {
    get: {
      ...route('evidence', 'What a run left behind: a screenshot, a snapshot, a capture.', {
        parameters: [pathParameter('id')],
        ok: {},
      }),
      responses: { 200: { description: 'The bytes as they are.', content: { '*/*': {} } }, ...REFUSED },
    },
  },
  ...approvalPaths(),
  '/v1/events': {
    get: {
      ...route(
        'events',
        'The live stream: the state at once and at each change, and the events of every run.',
        {
          ok: {},
        },
      ),
      responses: { 200: streamOf('A stream that ends when either side closes it.'), ...REFUSED },
    },
  },
})

const runPaths = (): Record<string, object> => ({
  '/v1/runs': {
    get: route('runs', 'List the latest runs, newest first.', {
      parameters: queryParameters(RunsFilter),
      ok: object({ runs: list(ref('RunBrief')) }),
    }),
  },
  '/v1/runs/{id}': {
    get: route('run', 'One run with its steps and what came of it, without its data.', {
      parameters: [pathParameter('id')],
      ok: RUN_RECORD,
    }),
  },
  '/v1/runs/{id}/har': {
    get: route('har', 'What a run asked, as HTTP Archive 1.2, without headers and bodies.', {
      parameters: [pathParameter('id')],
      ok: { type: 'object' },
    }),
  },
  '/v1/runs/{id}/replay': {
    post: {
      ...route('replay', 'Run it once more with the same arguments, and tell what is different.', {
        parameters: [pathParameter('id')],
        ok: REPLAY,
      }),
      requestBody: { required: false, content: { 'application/json': { schema: input(ReplayBody) } } },
    },
  },
})

const approvalPaths = (): Record<string, object> => ({
  '/v1/approvals': {
    get: route('approvals', "What waits for a person's answer.", {
      ok: object({ approvals: list(ref('ApprovalBrief')) }),
    }),
  },
  '/v1/approvals/{id}': {
    get: route('approval', 'One thing that waits.', {
      parameters: [pathParameter('id')],
      ok: ref('ApprovalBrief'),
    }),
    post: {
      ...route('answer', 'Refuse it; or allow it, where the setting approvals.over_http lets HTTP do so.', {
        parameters: [pathParameter('id')],
        ok: object({ id: { type: 'string' }, allow: { type: 'boolean' }, lasts: { type: 'string' } }),
      }),
      requestBody: { required: true, content: { 'application/json': { schema: input(ApprovalBody) } } },
    },
  },
})

const REFUSED = {
  default: {
    description: 'It was refused.',
    content: { 'application/json': { schema: ref('Refusal') } },
  },
}

const RUN_RECORD = {
  allOf: [ref('RunBrief')],
  type: 'object',
  properties: {
    surface: { type: 'string' },
    args: { type: 'object', description: 'Values of secret arguments are replaced.' },
    options: { type: 'object', description: 'What its caller said of the run.' },
    meta: { description: 'The meta of its envelope; null while it runs.' },
    error: { description: 'The error of its envelope; null when it worked.' },
    steps: {
      type: 'array',
      items: object({
        run_id: { type: 'string' },
        index: { type: 'integer' },
        path: { type: 'string' },
        step: { type: 'string' },
        started_at: { type: 'number' },
        duration_ms: { type: 'number' },
        code: { type: ['string', 'null'] },
      }),
    },
    requests: { type: 'array', items: { type: 'object' }, description: 'Without headers and bodies.' },
    evidence: { type: 'array', items: { type: 'object' } },
    shape: { type: ['object', 'null'], description: 'What its data looked like; null when it failed.' },
  },
}

const ENDING = object({
  run_id: { type: 'string' },
  state: { type: 'string' },
  code: { type: ['string', 'null'] },
  count: { type: ['integer', 'null'] },
  duration_ms: { type: ['number', 'null'] },
})

const REPLAY = object({
  operation: { type: 'string' },
  was: ENDING,
  is: ENDING,
  change: { type: ['object', 'null'], description: 'Null when one of both has no data.' },
})

function route(operationId: string, summary: string, of: { parameters?: object[]; ok: object }): object {
  return {
    operationId,
    summary,
    tags: ['companion'],
    ...(of.parameters === undefined ? {} : { parameters: of.parameters }),
    responses: {
      200: { description: 'The answer.', content: { 'application/json': { schema: of.ok } } },
      ...REFUSED,
    },
  }
}

const streamOf = (description: string): object => ({
  description,
  content: {
    'text/event-stream': { schema: { type: 'string' } },
    'application/x-ndjson': { schema: { type: 'string' } },
  },
})

const pathParameter = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', pattern: name === 'id' ? '^[A-Za-z0-9_-]{1,128}$' : '^[a-z0-9_-]{1,64}$' },
})

const queryParameters = (schema: z.ZodObject): object[] =>
  Object.entries(input(schema).properties ?? {}).map(([name, of]) => ({ name, in: 'query', schema: of }))

function input(schema: z.ZodType): Record<string, object> {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return plain as Record<string, object>
}

function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` }
}

const list = (items: object): object => ({ type: 'array', items })

function object(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties) }
}
