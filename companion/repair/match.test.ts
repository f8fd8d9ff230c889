import { describe, expect, it } from 'vitest'
import { chainsIn, chainText, splice } from './chains.ts'
import { likenessOf, nameLikeness } from './likeness.ts'
import { fieldMatches, partMatches } from './match.ts'

const KNOWN = [
  { id: 101, title: 'Harbour light', by: 'ada', score: 31, kind: 'story' },
  { id: 102, title: 'Old mole', by: 'bob', score: 44, kind: 'story' },
]
const change = (to: (row: (typeof KNOWN)[number]) => unknown): unknown[] => KNOWN.map(to)
const found = (live: readonly unknown[], ...path: string[]) =>
  fieldMatches({ path, known: KNOWN, live }, null).map(match => match.path.join('.'))

describe('where a field is now', () => {
  it('is told by its values', () => {
    expect(
      found(
        change(({ title, ...row }) => ({ ...row, zq: title })),
        'title',
      ),
    ).toEqual(['zq'])
    expect(
      found(
        change(({ by, ...row }) => ({ ...row, who: { name: by } })),
        'by',
      ),
    ).toEqual(['who.name'])
  })

  it('is nowhere when other values stand there, whatever its name is', () => {
    expect(
      found(
        change(({ title, ...row }) => ({ ...row, titles: `About ${row.by}` })),
        'title',
      ),
    ).toEqual([])
  })

  it('is never a field that was there all along and held something else', () => {
    expect(
      found(
        change(({ title: _, ...row }) => row),
        'title',
      ),
    ).toEqual([])
  })

  it('may be a twin that held the same all along', () => {
    const twins = KNOWN.map(row => ({ ...row, name: row.title }))
    const live = twins.map(({ title: _, ...row }) => row)
    const matches = fieldMatches({ path: ['title'], known: twins, live }, null)
    expect(matches.map(({ path }) => path)).toEqual([['name']])
  })

  it('is told by name and form alone only where the site tells other things', () => {
    const fresh = (key: string) => [
      { id: 900, [key]: 'Salt and patience', by: 'cy', score: 9, kind: 'story' },
      { id: 901, [key]: 'A chip of glass', by: 'di', score: 12, kind: 'story' },
    ]
    expect(found(fresh('headline'), 'title')).toEqual(['headline'])
    expect(found(fresh('subtitle'), 'title')).toEqual([])
    expect(found(fresh('mood'), 'title')).toEqual([])
  })
})

describe('where a part of an answer is now', () => {
  const known = { data: { items: KNOWN }, ads: [{ id: 1, title: 'Buy!', by: 'ads', score: 0, kind: 'ad' }] }
  const places = (live: unknown) =>
    partMatches(['data', 'items'], KNOWN, known, live).map(({ path, isSpread }) => [path.join('.'), isSpread])

  it('is the list that tells the same', () => {
    expect(places({ payload: { rows: KNOWN }, ads: known.ads })).toEqual([['payload.rows', false]])
    expect(places(KNOWN)).toEqual([['', false]])
  })

  it('may be an object whose values are the items', () => {
    expect(places({ items: { a: KNOWN[0], b: KNOWN[1] } })[0]).toEqual(['items', true])
  })

  it('is not a list that was beside it', () => {
    expect(places({ ads: known.ads })).toEqual([])
  })
})

describe('likeness', () => {
  it('of columns of zeros tells nothing', () => {
    expect(likenessOf([0, 0], [0, 0])).toMatchObject({ overlap: 1, isTelling: false })
    expect(likenessOf(['浏览器'], ['浏览器'])).toMatchObject({ overlap: 1, isTelling: true })
  })

  it('of names looks through spelling, and knows the usual words', () => {
    expect(nameLikeness('created_at', 'createdAt')).toBe(1)
    expect(nameLikeness('title', 'headline')).toBeGreaterThanOrEqual(0.75)
    expect(nameLikeness('title', 'subtitle')).toBeLessThan(0.75)
    expect(nameLikeness('score', 'author')).toBeLessThan(0.5)
  })
})

describe('chains', () => {
  it('are found in templates and expressions, not in quoted text', () => {
    const text = "${{ item.a?.b[0] ?? 'item.c' }}/${{ data['d-e'] }}"
    expect(chainsIn(text, false).map(({ root, path }) => [root, ...path])).toEqual([
      ['item', 'a', 'b', 0],
      ['data', 'd-e'],
    ])
    expect(chainsIn('other.item != item', true).map(({ path }) => path)).toEqual([[]])
  })

  it('are replaced where they stand', () => {
    const text = '${{ item.a | upper }}'
    const [chain] = chainsIn(text, false)
    expect(chain && splice(text, chain, chainText('item', ['x', 'y-z', 0], true))).toBe(
      '${{ item.x?.["y-z"]?.[0] | upper }}',
    )
  })
})
