import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operationOf } from '../../tests/support/scripted-kernel.ts'
import type { Operation } from '../kernel/operation.ts'
import { nearestIds, SearchIndex } from './search.ts'
import { tokensOf } from './tokens.ts'

const operation = (id: string, doc: string, aliases: string[] = [], args: string[] = []): Operation =>
  operationOf(id, {
    doc,
    aliases,
    args: z.strictObject(Object.fromEntries(args.map(name => [name, z.string()]))),
  })

const operations = [
  operation(
    'hackernews.top',
    'Lists the top stories of Hacker News.',
    ['front page', 'news', '新闻', '热门'],
    ['limit'],
  ),
  operation(
    'wikipedia.search',
    'Searches articles of the encyclopedia.',
    ['find', '搜索', '百科'],
    ['query', 'lang'],
  ),
  operation(
    'wikipedia.page',
    'Gives the text of one article.',
    ['read', 'summary', '阅读', '词条'],
    ['title'],
  ),
  operation(
    'npm.search',
    'Searches packages of the npm registry.',
    ['node modules', '搜索', '软件包'],
    ['query'],
  ),
  operation('mediawiki.watchlist', 'Lists changes of the pages that the person watches.', ['监视列表'], []),
  operation(
    'browser.click',
    'Click the element that a snapshot named.',
    ['press button', '点击'],
    ['target'],
  ),
]
const index = new SearchIndex(operations)
const first = (query: string): string | undefined => index.search(query, 5)[0]?.operation.id

describe('tokens', () => {
  it('split identifiers and drop what tells nothing', () => {
    expect(tokensOf('getHTTPResponse_code from the API')).toEqual(['http', 'respons', 'code', 'api'])
  })

  it('bring the forms of an English word together', () => {
    for (const forms of [
      ['package', 'packages'],
      ['search', 'searches', 'searched', 'searching'],
      ['story', 'stories'],
      ['change', 'changes', 'changed', 'changing'],
      ['stop', 'stops', 'stopped', 'stopping'],
      ['article', 'articles'],
      ['class', 'classes'],
    ])
      expect(new Set(forms.flatMap(tokensOf)).size, forms.join(' ')).toBe(1)
  })

  it('keep words apart that only end alike', () => {
    for (const [a, b] of [
      ['status', 'state'],
      ['news', 'new'],
      ['string', 'str'],
      ['bus', 'bu'],
    ] as const)
      expect(tokensOf(a)).not.toEqual(tokensOf(b))
  })

  it('cut Chinese into characters and pairs', () => {
    expect(tokensOf('搜索wiki')).toEqual(['搜', '索', '搜索', 'wiki'])
  })
})

describe('the search', () => {
  it.each([
    ['top stories on hacker news', 'hackernews.top'],
    ['search an encyclopedia article', 'wikipedia.search'],
    ['find npm package', 'npm.search'],
    ['what pages am I watching', 'mediawiki.watchlist'],
    ['press the button', 'browser.click'],
    ['百科 搜索', 'wikipedia.search'],
    ['搜索软件包', 'npm.search'],
    ['今天的热门新闻', 'hackernews.top'],
    ['wikipedia page', 'wikipedia.page'],
    ['wikipediaPage', 'wikipedia.page'],
  ])('finds for "%s" first %s', (query, id) => {
    expect(first(query)).toBe(id)
  })

  it('finds nothing where nothing is shared, and no more than asked', () => {
    expect(index.search('quantum chromodynamics', 5)).toEqual([])
    expect(index.search('', 5)).toEqual([])
    expect(index.search('the of and', 5)).toEqual([])
    expect(index.search('search', 1)).toHaveLength(1)
  })

  it('orders equals by name, so that the same question has the same answer', () => {
    const twins = new SearchIndex([operation('b.x', 'Same.'), operation('a.x', 'Same.')])
    expect(twins.search('same', 5).map(hit => hit.operation.id)).toEqual(['a.x', 'b.x'])
  })
})

describe('did you mean', () => {
  const ids = operations.map(({ id }) => id)
  it.each([
    ['hackernews.tpo', 'hackernews.top'],
    ['hackernws.top', 'hackernews.top'],
    ['wikipedia/serach', 'wikipedia.search'],
    ['wikipedia search', 'wikipedia.search'],
    ['watchlst', 'mediawiki.watchlist'],
    ['clik', 'browser.click'],
    ['npm', 'npm.search'],
    ['npm.find', 'npm.search'],
  ])('takes "%s" for %s', (name, id) => {
    expect(nearestIds(name, ids)[0]).toBe(id)
  })

  it('lists the commands of a site that has no such one', () => {
    expect(nearestIds('wikipedia.history', ids).toSorted()).toEqual(['wikipedia.page', 'wikipedia.search'])
  })

  it('has no guess for what is like nothing', () => {
    expect(nearestIds('completely.different', ids)).toEqual([])
    expect(nearestIds('', ids)).toEqual([])
  })
})
