import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'
import { compilePlan } from '../kernel/compile.ts'
import { STEPS } from './index.ts'
import { query, reach } from './paths.ts'

const data = {
  items: [
    { id: 1, tags: ['a'] },
    { id: 2, tags: ['b', '桥'] },
  ],
  'odd.name': 3,
}

describe('a path', () => {
  it.each([
    ['items.0.id', 1],
    ['items[1].tags[0]', 'b'],
    ['items[]', data.items],
    ['items.-1.id', 2],
    ['items[-1].tags.-1', '桥'],
    ["$['odd.name']", 3],
    ['$.items[0].id', 1],
    ['$..tags[0]', ['a', 'b']],
    ['$.items[?@.id > 1].id', [2]],
    ["$..tags[?search(@, '^桥')]", ['桥']],
    ['$.items[?length(@.tags) == 1].id', [1]],
    ['$.none[*]', []],
  ])('%s leads to its place', async (path, want) => {
    expect(await answerOf([{ select: path }], data)).toEqual(want)
  })

  it.each(['items.0.title', '$.items[0].title', 'items.9'])('%s leads nowhere, and says so', async path => {
    expect((await failureOf([{ select: path }], data)).code).toBe('select_missed')
  })

  it('shows a fault of its JSONPath when the adapter is loaded', () => {
    const compile = (path: string) => compilePlan([{ select: path }], { steps: STEPS, line: () => null })
    expect(() => compile('$.items[')).toThrow(/no JSONPath: unclosed bracketed selection/)
    expect(() => compile('$[?foo(@)]')).toThrow(/no JSONPath/)
    expect(() => compile('$.${{ args.name }}')).not.toThrow()
  })

  it('reaches own properties only', () => {
    expect(reach(data, 'items.constructor')).toBeUndefined()
    expect(reach(data, '__proto__.toString')).toBeUndefined()
    expect(query(data, '$.items[*].constructor')).toEqual([])
  })

  it('takes no long time over a pattern that backtracks', () => {
    const started = performance.now()
    expect(query([{ a: `${'a'.repeat(40)}!` }], "$[?match(@.a, '(a+)+')]")).toEqual([])
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('gives up on data that is nested without end', async () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 10_000; depth++) deep = [deep]
    expect((await failureOf([{ select: '$..x' }], deep)).message).toContain('recursion limit')
  })
})
