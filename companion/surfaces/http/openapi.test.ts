import { validate } from '@readme/openapi-parser'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { browserOperations, operationOf, scriptedKernel } from '../../../tests/support/scripted-kernel.ts'
import type { Operation } from '../../kernel/operation.ts'
import { createOpenApi } from './openapi.ts'

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>
  components: { schemas: Record<string, object> }
}

function documentOf(operations: readonly Operation[]): Document {
  const { catalogue } = scriptedKernel(operations.map(operation => ({ operation, run: () => null })))
  return createOpenApi(catalogue, '1.2.3')() as Document
}

const problems = async (document: Document): Promise<unknown> => {
  // The parser changes what it is given.
  const result = await validate(structuredClone(document) as never)
  return result.valid ? [] : result.errors
}

interface Tree {
  name: string
  kids: Tree[]
}
const TreeSchema: z.ZodType<Tree> = z.lazy(() =>
  z.strictObject({ name: z.string(), kids: z.array(TreeSchema) }),
)
const Shared = z.string().meta({ id: 'openapi-test-shared', description: 'used twice' })
const Whole = z.strictObject({
  value: z.string(),
  get next() {
    return Whole.optional()
  },
})

/** Arguments that schemas of real adapters may grow to. */
const AWKWARD: Record<string, z.ZodObject> = {
  nested: z.strictObject({ tree: TreeSchema, first: Shared, second: Shared.optional() }),
  itself: Whole,
  named: z.strictObject({
    $ref: z.string(),
    default: z.int().default(3),
    enum: z.enum(['a', 'b']),
    properties: TreeSchema,
  }),
  loose: z.strictObject({ any: z.unknown(), record: z.record(z.string(), z.json()), nothing: z.null() }),
  foreign: z.strictObject({
    date: z.date().optional(),
    big: z.bigint().optional(),
    upper: z.string().transform(s => s.length),
  }),
  tuple: z.strictObject({
    pair: z.tuple([z.string(), z.number()]),
    either: z.union([z.string(), z.int()]).nullable(),
  }),
  data: z.strictObject({ config: z.record(z.string(), z.unknown()).default({ $ref: '#/not/a/reference' }) }),
}

describe('the OpenAPI document', () => {
  it('is valid for an empty catalogue', async () => {
    expect(await problems(documentOf([]))).toEqual([])
  })

  it('is valid for the operations of the browser', async () => {
    const document = documentOf(browserOperations())

    expect(await problems(document)).toEqual([])
    expect(document.paths['/v1/operations/browser/click']?.post?.operationId).toBe('browser.click')
  })

  it.each(Object.entries(AWKWARD))('is valid with %s arguments', async (name, args) => {
    const doc = 'Quotes " and \\ and {braces} and # and a "$ref".'
    const document = documentOf([operationOf(`odd-site_1.${name}`, { args, doc, example: { $ref: '#/x' } })])

    expect(await problems(document)).toEqual([])
  })

  it('keeps what its references point at within reach', () => {
    const document = documentOf(
      Object.entries(AWKWARD).map(([name, args]) => operationOf(`odd.${name}`, { args })),
    )
    const ajv = new Ajv2020({ strict: false, validateSchema: false })
    ajv.addSchema({ $id: 'http://test/', ...document })
    const argsOf = (name: string) =>
      ajv.compile({ $ref: `http://test/#/components/schemas/args.odd.${name}` })

    expect(argsOf('nested')({ tree: { name: 'a', kids: [{ name: 'b', kids: [] }] }, first: 'x' })).toBe(true)
    expect(argsOf('nested')({ tree: { name: 'a', kids: [{ name: 1, kids: [] }] }, first: 'x' })).toBe(false)
    expect(argsOf('itself')({ value: 'a', next: { value: 'b' } })).toBe(true)
    expect(argsOf('itself')({ value: 'a', next: { value: 1 } })).toBe(false)
    expect(argsOf('named')({ $ref: 'x', enum: 'a', properties: { name: 'p', kids: [] } })).toBe(true)
    expect(argsOf('named')({ $ref: 5, enum: 'a', properties: { name: 'p', kids: [] } })).toBe(false)
  })

  it('has one path for each operation and no operation id twice', () => {
    const operations = browserOperations()
    const document = documentOf(operations)

    const ids = Object.values(document.paths).flatMap(path =>
      Object.values(path).map(route => route.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const { id } of operations) expect(ids).toContain(id)
  })

  it('does not change when nothing changed', () => {
    expect(JSON.stringify(documentOf(browserOperations()))).toBe(
      JSON.stringify(documentOf(browserOperations())),
    )
  })
})
