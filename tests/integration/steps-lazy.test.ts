import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { AnyStep } from '../../companion/kernel/step.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { addAdapters } from '../support/overlay.ts'
import { type Product, startProduct } from '../support/product.ts'

/** Steps whose libraries are loaded when they are first used: in the bundle that is another matter than from source. */
const LAZY = [
  'parse_csv',
  'parse_xml',
  'select-xml',
  'html_to_md',
  'readable',
  'pdf_to_text',
  'date_parse',
  'date_format',
]
const stepOf = (name: string): AnyStep => {
  const step = STEPS.get(name)
  if (step === undefined) throw new Error(`there is no step ${name}`)
  return step
}

const adapterOf = (name: string): string =>
  stringify({
    type: 'web-api',
    strategy: 'public',
    effect: 'read',
    pipeline: [
      { set: { input: stepOf(name).exampleInput } },
      // The input of an adapter's first step is nothing; a list of one makes data of a value.
      { map: { input: '${{ vars.input }}' } },
      { select: 'input' },
      { [name]: stepOf(name).example },
      { set: { answer: '${{ data }}' } },
      { map: { answer: '${{ vars.answer }}' } },
    ],
  })

let product: Product
beforeAll(async () => {
  product = await startProduct()
  await product.cli('list')
  await addAdapters(
    product,
    'lazy',
    Object.fromEntries(LAZY.map(name => [name.replaceAll('-', '_'), adapterOf(name)])),
  )
})
afterAll(() => product?.close())

test.each(LAZY)('%s answers in the product what its example says', async name => {
  const { data, error } = await product.run(`lazy.${name.replaceAll('-', '_')}`, {})
  expect(error).toBeNull()
  const answer = Array.isArray(data)
    ? data.map(row => (row as { answer: unknown }).answer)[0]
    : (data as { answer: unknown }).answer
  expect(answer).toEqual(stepOf(name).exampleOutput)
})
