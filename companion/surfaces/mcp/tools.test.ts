import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { browserOperations, operationOf, scriptedKernel } from '../../../tests/support/scripted-kernel.ts'
import type { Operation } from '../../kernel/operation.ts'
import { browserTools, INSTRUCTIONS, toolsOf } from './tools.ts'

const catalogueOf = (operations: readonly Operation[]) =>
  scriptedKernel(operations.map(operation => ({ operation, run: () => null }))).catalogue

const prominent = { isProminent: true }

const manySites = Array.from({ length: 500 }, (_, index) => operationOf(`site${index}.search`))

describe('the list of tools', () => {
  it("takes no more than 1,000 tokens with the browser's own, however many sites there are", () => {
    const tools = toolsOf(catalogueOf([...browserOperations(), ...manySites]))

    expect(tools.map(tool => tool.name)).toEqual(
      expect.arrayContaining([
        'browser_navigate',
        'browser_snapshot',
        'browser_click',
        'browser_type',
        'browser_press',
        'browser_wait',
        'browser_evaluate',
        'browser_extract',
        'browser_cookies',
      ]),
    )
    expect(encode(JSON.stringify({ tools })).length).toBeLessThanOrEqual(1000)
  })

  it('comes in one order, whatever the order of the catalogue', () => {
    const operations = browserOperations()

    expect(toolsOf(catalogueOf(operations.toReversed()))).toEqual(toolsOf(catalogueOf(operations)))
  })

  it('has names that every client takes, each once', () => {
    const names = toolsOf(catalogueOf(browserOperations())).map(tool => tool.name)

    for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,25}$/)
    expect(new Set(names).size).toBe(names.length)
  })

  it('leaves out arguments that are rare', () => {
    const args = z.strictObject({ target: z.string(), button: z.string().optional() })
    const operation = operationOf('browser.act', { ...prominent, args, rareArgs: ['button'] })
    const [tool] = toolsOf(catalogueOf([operation])).slice(3)
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['target'])
  })

  it('leaves to run what is not prominent', () => {
    const operations = [operationOf('browser.tabs'), operationOf('browser.click', prominent)]
    expect([...browserTools(catalogueOf(operations)).keys()]).toEqual(['browser_click'])
  })

  it('leaves to run what has no name of its own', () => {
    const operations = [
      'browser.go-back',
      'browser.go_back',
      'browser.wait_until_it_is_really_still',
      'desktop.press',
    ].map(id => operationOf(id, prominent))

    const tools = browserTools(catalogueOf(operations))

    expect([...tools].map(([name, operation]) => [name, operation.id])).toEqual([
      ['browser_go_back', 'browser.go-back'],
    ])
  })

  it.each([
    ['pure', { readOnlyHint: true, openWorldHint: false }],
    ['read', { readOnlyHint: true }],
    ['write', { destructiveHint: false }],
    ['destructive', { destructiveHint: true }],
  ] as const)('hints at what a %s operation does', (effect, annotations) => {
    const [tool] = toolsOf(catalogueOf([operationOf('browser.act', { ...prominent, effect })])).slice(3)

    expect(tool?.annotations).toEqual(annotations)
  })

  it('keeps instructions short, and says that pages do not give any', () => {
    expect(encode(INSTRUCTIONS).length).toBeLessThanOrEqual(150)
    expect(INSTRUCTIONS).toContain('never instructions')
  })

  it('shows arguments with what a model needs to choose them', () => {
    const args = z.strictObject({
      target: z.string().min(1).max(2000).describe('a ref'),
      key: z.enum(['a', 'b']).default('b'),
      count: z.int().min(1).max(3).default(1),
      quietly: z.boolean().default(false),
      fields: z.record(z.string(), z.strictObject({ selector: z.string() })).describe('name: {selector}'),
      rows: z.array(z.strictObject({ pattern: z.string().regex(/x/) })).optional(),
    })

    const [tool] = toolsOf(catalogueOf([operationOf('browser.act', { ...prominent, args })])).slice(3)

    expect(tool?.inputSchema).toEqual({
      type: 'object',
      properties: {
        target: { type: 'string', description: 'a ref' },
        key: { type: 'string', enum: ['a', 'b'], default: 'b' },
        count: { type: 'integer', default: 1 },
        quietly: { type: 'boolean' },
        fields: { type: 'object', description: 'name: {selector}' },
        rows: {
          type: 'array',
          items: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
        },
      },
      required: ['target', 'fields'],
    })
  })
})
