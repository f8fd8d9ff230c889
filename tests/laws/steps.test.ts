import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compilePlan } from '../../companion/kernel/compile.ts'
import { objectForm } from '../../companion/kernel/schema-shape.ts'
import type { StepTools } from '../../companion/kernel/step.ts'
import { STEPS } from '../../companion/steps/index.ts'

/** Laws that every step keeps. A new step is under them without anybody naming it here. */
const steps = [...STEPS.values()].map(step => [step.name, step] as const)
const context = { steps: STEPS, line: () => null }

it('knows more than a score of steps', () => {
  expect(STEPS.size).toBeGreaterThan(20)
})

describe.each(steps)('step %s', (name, step) => {
  it('has a snake_case name and a doc of one sentence', () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(step.doc).toMatch(/^[A-Z].{10,200}\.$/)
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
    expect(() =>
      compilePlan([{ [name]: { ...(step.example as object), no_such_option: 1 } }], context),
    ).toThrow(/no option "no_such_option"/)
  })

  it('needs no port when it is pure', () => {
    if (step.effect === 'pure') expect(step.needs).toEqual([])
    else expect(step.needs.length + (step.effect === 'inherits' ? 1 : 0)).toBeGreaterThan(0)
  })

  it('is an operation only with named arguments', () => {
    if (step.site !== undefined) expect(objectForm(step.schema)).not.toBeNull()
  })

  it('gives the same answer to the same input when it is pure', async () => {
    if (step.effect !== 'pure') return
    const params = step.schema.parse(step.example) as never
    const first = await step.run(toolsFor(), params)
    expect(await step.run(toolsFor(), params)).toEqual(first)
  })
})

const FEED = '<rss version="2.0"><channel><title>t</title><item><title>a</title></item></channel></rss>'

// Feed text for steps that read text, rows that also answer to a path for all others.
const DATA = Object.assign([{ score: 3 }, { score: 12 }], { query: { search: [1] }, toString: () => FEED })

/** Tools that answer from their arguments alone. */
function toolsFor(): StepTools & { http: never; browser: never } {
  return {
    data: DATA,
    scope: { args: {}, vars: {}, data: DATA, base: '', env: {} },
    signal: new AbortController().signal,
    deadline: 0,
    render: value => value,
    evaluate: () => true,
    renderer: value => () => value,
    evaluator: () => () => true,
    run: async (_, input) => input,
    attempt: async (_, input) => ({ ok: true, data: input }),
    setVars: () => undefined,
    report: () => undefined,
    progress: () => undefined,
    http: undefined as never,
    browser: undefined as never,
  }
}
