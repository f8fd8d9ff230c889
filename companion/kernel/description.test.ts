import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  argsSchema,
  briefOf,
  describeOperation,
  hitOf,
  OperationBrief,
  OperationDescription,
  OperationHit,
} from './description.ts'
import type { Operation } from './operation.ts'

const operation: Operation = {
  id: 'wiki.search',
  site: 'wiki',
  command: 'search',
  doc: 'Search the pages.',
  args: z.strictObject({
    query: z.string().min(1).describe('words to look for'),
    limit: z.int().min(1).max(50).default(10),
    offset: z.int().optional(),
    space: z.string().nullable(),
  }),
  positional: ['query'],
  secrets: [],
  effect: 'read',
  needs: ['http'],
  strategy: 'public',
  strategies: ['public'],
  example: { query: 'cats', space: null },
  columns: ['title'],
  aliases: [],
  adapterPath: 'adapters/wiki/search.yaml',
  verified: { how: 'replay', date: '2026-11-29' },
  alternatives: [],
  allowEmpty: true,
  source: { kind: 'step', step: 'search' },
}

describe('description of an operation', () => {
  it('marks the arguments that a caller may leave out', () => {
    const brief = briefOf(operation)

    expect(OperationBrief.parse(brief)).toEqual(brief)
    expect(brief.args).toEqual(['query', 'limit?', 'offset?', 'space'])
  })

  it.each([
    [['public'], 'none'],
    [['public', 'cookie'], 'optional'],
    [['header'], 'login'],
    [[], 'none'],
  ] as const)('says of strategies %j whether a login is used', (strategies, auth) => {
    const hit = hitOf({ ...operation, strategies })

    expect(OperationHit.parse(hit)).toEqual(hit)
    expect(hit).toMatchObject({ auth, needs: ['http'], example: { query: 'cats' } })
  })

  it('writes the schema of what a caller sends, without the noise of safe integers', () => {
    expect(argsSchema(operation)).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, description: 'words to look for' },
        limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
        offset: { type: 'integer' },
        space: { type: ['string', 'null'] },
      },
      required: ['query', 'space'],
      additionalProperties: false,
    })
  })

  it('fits its own schema', () => {
    const description = describeOperation(operation)

    expect(OperationDescription.parse(description)).toEqual(description)
    expect(description.args).toEqual(argsSchema(operation))
  })
})
