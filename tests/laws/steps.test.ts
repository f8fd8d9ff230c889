import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compilePlan } from '../../companion/kernel/compile.ts'
import { objectForm } from '../../companion/kernel/schema-shape.ts'
import type { AnyStep } from '../../companion/kernel/step.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { answerOf } from '../support/step-answer.ts'
import { RUNS_IN } from '../support/step-runs.ts'

/** Laws that every step keeps. A new step is under them without anybody naming it here. */
const all = [...new Set(STEPS.values())]
const steps = all.map(step => [step.name, step] as const)
const context = { steps: STEPS, line: () => null }
const FREE_FORM = ['set', 'map', 'rename', 'parallel']

it('knows more than three score and ten steps', () => {
  expect(all.length).toBeGreaterThan(70)
})

it('finds a step by its aliases', () => {
  expect(STEPS.get('select-xml')?.name).toBe('select_xml')
  const plan = compilePlan([{ 'to-entries': { key_name: 'k' } }], context)
  expect(plan[0]?.step.name).toBe('to_entries')
})

describe.each(steps)('step %s', (name, step) => {
  it('has a snake_case name and a doc of one sentence', () => {
    expect(name).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/)
    expect(step.doc).toMatch(/^[A-Z].{10,240}\.$/)
  })

  it('has an example that compiles', () => {
    expect(() => compilePlan([{ [name]: step.example }], context)).not.toThrow()
  })

  it('has a schema that an editor can use', () => {
    expect(() => z.toJSONSchema(step.schema, { io: 'input' })).not.toThrow()
  })

  it('refuses an option that it does not know', () => {
    const form = objectForm(step.schema)
    if (form === null) return expect(step.schema.safeParse(Symbol('no option')).success).toBe(false)
    if (FREE_FORM.includes(name)) return
    const example = typeof step.example === 'object' ? step.example : {}
    expect(() => compilePlan([{ [name]: { ...example, no_such_option: 1 } }], context)).toThrow(
      /no option "no_such_option"/,
    )
  })

  it('needs no port when it is pure', () => {
    if (step.effect === 'pure') expect(step.needs).toEqual([])
    else expect(step.needs.length + (step.effect === 'inherits' ? 1 : 0)).toBeGreaterThan(0)
  })

  it('is an operation only with named arguments', () => {
    if (step.site !== undefined) expect(objectForm(step.schema)).not.toBeNull()
  })

  it('has an example that runs: here, or in a test that is known to run it', async () => {
    if ('exampleOutput' in step) return expect(await runExample(step)).toEqual(step.exampleOutput)
    const [file, called = name] = (RUNS_IN[name] ?? '').split('#')
    const path = join(ROOT, file ?? '')
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
    expect(isFile, `tests/support/step-runs.ts says which test runs ${name}`).toBe(true)
    expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`\\b${called}\\b`))
  })

  it('gives the same answer to the same input, and leaves that input alone, when it is pure', async () => {
    if (step.effect !== 'pure') return
    expect(Object.keys(step), 'a pure step shows what it answers').toContain('exampleOutput')
    const input = deepFrozen(structuredClone(step.exampleInput))
    const first = await runExample(step, input)
    expect(await runExample(step, input)).toEqual(first)
    expect(input).toEqual(step.exampleInput)
  })
})

const ROOT = join(import.meta.dirname, '../..')

const EXAMPLE_ARGS = { query: '桥', key: 'Jefe', limit: 10, all: false }

/** Runs an example as an adapter would, with arguments that examples may name, and no port at all. */
const runExample = (step: AnyStep, data: unknown = step.exampleInput): Promise<unknown> =>
  answerOf([{ [step.name]: step.example }], data, EXAMPLE_ARGS)

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFrozen)
    Object.freeze(value)
  }
  return value
}
