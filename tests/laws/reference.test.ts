import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { STEPS } from '../../companion/steps/index.ts'
import { Envelope } from '../../shared/envelope.ts'
import { FAILURES } from '../../shared/failures.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const validatorOf = (file: string) =>
  // Formats such as uri are annotations here: zod itself is what checks them.
  new Ajv2020({ validateFormats: false, allowUnionTypes: true }).compile(
    JSON.parse(read(`docs/reference/${file}`)),
  )

describe('the published schema of adapters', () => {
  const isAdapter = validatorOf('adapter.schema.json')
  const adapterWith = (...pipeline: unknown[]) => ({
    site: 'example',
    name: 'list',
    type: 'web-api',
    strategy: 'public',
    effect: 'read',
    pipeline,
  })

  test.each([...STEPS].map(([name, step]) => [name, step.example]))(
    'takes the example of the step %s and refuses an option that the step does not know',
    (name, example) => {
      expect(isAdapter(adapterWith({ [name]: example })), JSON.stringify(isAdapter.errors)).toBe(true)
      const isFreeForm = ['set', 'map'].includes(name)
      expect(isAdapter(adapterWith({ [name]: { no_such_option: 1 } }))).toBe(isFreeForm)
    },
  )

  test('takes a template wherever a value is filled in before the step runs, and no other text for a number', () => {
    expect(isAdapter(adapterWith({ limit: '${{ args.limit }}' }))).toBe(true)
    expect(isAdapter(adapterWith({ each: { do: [{ limit: '${{ index }}' }] } }))).toBe(true)
    expect(isAdapter(adapterWith({ limit: 'five' }))).toBe(false)
    expect(isAdapter(adapterWith({ fetch: { url: '/', headers: { a: 1 } } }))).toBe(false)
  })

  test('checks nested pipelines, takes a bare step name only where nothing must be said, and one key a step', () => {
    expect(isAdapter(adapterWith({ each: { do: [{ no_such_step: {} }] } }))).toBe(false)
    expect(isAdapter(adapterWith({ parse_rss: null }))).toBe(true)
    expect(isAdapter(adapterWith({ fetch: null }))).toBe(false)
    expect(isAdapter(adapterWith({ limit: 1, select: 'a' }))).toBe(false)
    expect(isAdapter({ ...adapterWith({ limit: 1 }), no_such_key: 1 })).toBe(false)
  })

  const adapters = readdirSync(join(ROOT, 'adapters'), { recursive: true, encoding: 'utf8' }).filter(file =>
    /(^|[/\\])[^_/\\][^/\\]*\.yaml$/.test(file),
  )
  test('takes every adapter that is shipped', () => {
    expect(adapters.length).toBeGreaterThan(0)
    const refused = adapters.flatMap(file =>
      isAdapter(parse(read(`adapters/${file}`))) ? [] : [`${file}: ${JSON.stringify(isAdapter.errors)}`],
    )
    expect(refused).toEqual([])
  })
})

describe('the published schema of the envelope', () => {
  const isEnvelope = validatorOf('envelope.schema.json')
  const meta = {
    site: 'example',
    command: 'list',
    strategy: 'cookie',
    strategy_source: 'declared',
    duration_ms: 12,
    count: 0,
    adapter_path: null,
    run_id: 'r1',
    effect: 'read',
    verdict: null,
    profile: null,
    session: null,
  }
  const success = { ok: true, version: 'v2', data: [], meta, evidence: [], error: null, exit_code: 0 }
  const failure = (code: string) => ({
    ...success,
    ok: false,
    data: null,
    exit_code: 69,
    error: {
      code,
      message: 'No browser is linked.',
      class: 'environment',
      adapter_path: null,
      step: null,
      step_index: null,
      action: null,
      suggestion: 'Run "unicli doctor".',
      retryable: false,
      alternatives: [],
      details: {},
    },
  })

  test('says of successes and failures what the product itself says of them', () => {
    for (const envelope of [
      success,
      ...Object.keys(FAILURES).map(failure),
      failure('no_such_code'),
      { ...success, exit_code: 1 },
      { ...success, error: {} },
      { ...success, version: 'v1' },
      { ...failure('no_browser'), data: [] },
      { ...failure('no_browser'), exit_code: 3 },
    ])
      expect(isEnvelope(envelope), JSON.stringify(envelope)).toBe(Envelope.safeParse(envelope).success)
    expect(isEnvelope(success)).toBe(true)
    expect(isEnvelope(failure('no_browser'))).toBe(true)
  })
})

test('every failure code and every step has its place in the reference', () => {
  const [failures, steps] = [read('docs/reference/failures.md'), read('docs/reference/steps.md')]
  for (const code of Object.keys(FAILURES)) expect(failures).toContain(`| \`${code}\` |`)
  for (const { name } of STEPS.values()) expect(steps).toContain(`\n## ${name}\n`)
})
