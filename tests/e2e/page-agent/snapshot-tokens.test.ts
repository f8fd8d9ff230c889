import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

/**
 * The smallest full snapshot of three peers of the same pages, in tokens of o200k (agent-browser 0.41.2 for form and
 * feed, chrome-devtools-mcp 1.11.0 for the table); `npm run bench snapshots` measures them anew.
 */
test.each([
  ['form', 285, 17],
  ['table-200', 18_779, 600],
  ['feed-60', 6095, 240],
])(
  'the whole %s takes less than the smallest of its peers, with a ref for all that acts',
  async (page, peer, acting) => {
    await rig.open(page)
    const { text, refs } = await rig.call('snapshot', { max_tokens: 100_000 })
    expect(refs).toBe(acting)
    // What is written into JSON on its way to a model takes a little more.
    expect(encode(JSON.stringify(text)).length).toBeLessThan(peer)
  },
)

test('rows of a table and cards of a feed keep to a line each', async () => {
  await rig.open('table-200')
  const rows = (await rig.snapshot({ max_tokens: 100_000 })).split('\n').filter(line => /^ +row\b/.test(line))
  expect(rows).toHaveLength(201)
  expect(rows[1]).toBe(
    '  row: link "#1200" [d1e1] -> /orders/1200 | Customer 1 | Berlin | open | 19.90 | button "Edit" [d1e2], button "Delete" [d1e3]',
  )
  await rig.open('feed-60')
  const cards = (await rig.snapshot({ max_tokens: 100_000 }))
    .split('\n')
    .filter(line => /^ +clickable/.test(line))
  expect(cards).toHaveLength(60)
  expect(cards[0]).toMatch(
    /^ {2}clickable \[d1e1\]: image "Photo 1", heading "Tea story 1" level=2, "Why tea .*", button "Like" \[d1e2\], /,
  )
})
