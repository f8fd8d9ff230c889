import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { addressOf } from './addresses.ts'
import { failOnStatus, jsonOf } from './answers.ts'
import { Retry, withRetry } from './attempts.ts'
import { isRow } from './fields.ts'
import { misused } from './http-request.ts'
import { walk } from './paths.ts'

const Graphql = z.strictObject({
  url: z.string().min(1).default('graphql').describe('absolute, or relative to base'),
  query: z.string().min(1).describe('the document: a query or a mutation'),
  variables: z.record(z.string(), z.unknown()).default({}),
  operation: z.string().min(1).optional().describe('which of several in the document'),
  headers: z.record(z.string(), z.string()).default({}),
  select: z.string().default('').describe('path below data; empty for all of it'),
  partial: z.boolean().default(false).describe('take data that came beside errors'),
  retry: Retry.optional().describe('of a query: how often it is asked, or {attempts, backoff_ms}'),
  effect: z.enum(['read']).optional().describe('says that this changes nothing, whatever the document says'),
})

export const graphql = defineStep({
  name: 'graphql',
  doc: 'Ask a GraphQL endpoint; errors that it tells are failures.',
  needs: ['http'],
  effect: 'inherits',
  effectOf: ({ query, effect }) => (effect === 'read' || isQuery(query) ? 'read' : 'write'),
  schema: Graphql,
  example: {
    url: '/graphql',
    query: 'query ($login: String!) { user(login: $login) { name } }',
    variables: { login: '${{ args.login }}' },
    select: 'user',
  },
  run: async (ctx, params) => {
    const read = params.effect === 'read' || isQuery(params.query)
    if (params.retry !== undefined && !read) throw misused('retry is for queries, not for mutations')
    const { query, variables, operation } = params
    const body = JSON.stringify({
      query,
      variables,
      ...(operation === undefined ? {} : { operationName: operation }),
    })
    const headers = {
      accept: 'application/graphql-response+json, application/json;q=0.9',
      'content-type': 'application/json',
      ...params.headers,
    }
    const url = addressOf({ url: params.url }, ctx.scope.base)
    return withRetry(ctx, params.retry ?? { attempts: 1, backoff_ms: 0 }, async () => {
      const response = await ctx.http.request({ url, method: 'POST', headers, body, read }, ctx)
      // An endpoint tells its errors in JSON with any status.
      const isAnswer = /graphql-response\+json/i.test(response.headers['content-type'] ?? '')
      if (!isAnswer && response.status !== 400) failOnStatus(response)
      return dataOf(jsonOf(response, read), params, url)
    })
  },
})

/** A document that holds no mutation. What a template fills in is not known, and not taken for harmless. */
const isQuery = (query: unknown): boolean =>
  typeof query === 'string' && !query.includes('${{') && !/\bmutation\b/.test(query)

function dataOf(answer: unknown, { select, partial }: z.output<typeof Graphql>, url: string): unknown {
  const { data, errors } = isRow(answer) ? answer : {}
  if (Array.isArray(errors) && errors.length > 0 && !(partial && isRow(data)))
    throw new Failure('remote_error', { what: url, reason: errors.map(messageOf).join('; ') })
  if (!isRow(data)) throw new Failure('not_data', { url, what: 'no GraphQL data', excerpt: '' })
  return walk(data, select)
}

function messageOf(error: unknown): string {
  if (!isRow(error)) return String(error)
  const path = Array.isArray(error.path) ? ` (${error.path.join('.')})` : ''
  return `${String(error.message)}${path}`
}
