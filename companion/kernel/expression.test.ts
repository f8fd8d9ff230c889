import { describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { evaluateText, renderValue } from './template.ts'

const scope = {
  item: { id: 7, title: '你好世界', tags: ['b', 'a'], author: null, nested: { deep: { x: 1 } } },
  args: { query: 'a b&c', limit: 5 },
  data: [{ n: 2 }, { n: 1 }],
  index: 3,
}

describe('an expression', () => {
  it.each([
    ['item.id + 1', 8],
    ["item.id + ' points'", '7 points'],
    ['item.nested.deep.x', 1],
    ["item['title']", '你好世界'],
    ['item.tags[0]', 'b'],
    ['item.tags[-1]', 'a'],
    ['item.missing', null],
    ['item.author?.name', null],
    ['item.author?.name.first', null],
    ["item.missing ?? 'none'", 'none'],
    ["item.author?.name ?? 'anonymous' | upper", 'ANONYMOUS'],
    ['item.id > 5 && args.limit <= 5', true],
    ["item.id == '7'", false],
    ["item.id === 7 ? 'seven' : 'other'", 'seven'],
    ['!item.author', true],
    ['{ a: [1, 2], b: { c: item.id } }', { a: [1, 2], b: { c: 7 } }],
    ['item.tags | sort | join("-")', 'a-b'],
    ['item.title | truncate(3)', '你好…'],
    ['args.query | urlencode', 'a%20b%26c'],
    ['data | pluck("n") | sort', [1, 2]],
    ['data | length', 2],
    ['"<b>x &amp; y</b>" | strip_html', 'x & y'],
    ['1700000000 | date_iso', '2023-11-14T22:13:20.000Z'],
    ['10 % 4 * 2 - 1', 3],
    ['data | length > 1 && item.tags | length == 2', true],
    ['item.id + item.title | truncate(2)', '7…'],
    ['"" || "fallback"', 'fallback'],
  ])('%s gives its value', (source, value) => {
    expect(evaluateText(source, scope)).toEqual(value)
  })

  it.each([
    ['item.author.name', '"name" is asked of nothing'],
    ['nobody', 'there is no "nobody" here'],
    ['item.title.slice(1)', 'only filters can be called'],
    ['item.id = 3', 'Unexpected "="'],
    ['item.id | explode', 'no filter "explode"'],
    ['"abc" | int', 'is not a number'],
    ['(() => 1)()', 'Unexpected "="'],
    ['this', 'ThisExpression is not allowed'],
    ['a; b', 'one expression'],
    ['1 +', 'Expected'],
  ])('%s is refused with its place', (source, reason) => {
    try {
      evaluateText(source, scope)
      expect.unreachable('it was accepted')
    } catch (error) {
      expect(Failure.is(error, 'expression_error')).toBe(true)
      expect((error as Error).message).toContain(reason)
    }
  })

  it.each([
    'item.constructor',
    "item['__proto__']",
    "item['con' + 'structor']",
    'item.title.constructor',
    'item.tags.constructor',
    'item.tags.map',
    'item.toString',
    '"x".__proto__',
    'args.hasOwnProperty',
    '{}.constructor',
    'item.id.constructor',
  ])('%s reaches no host object', source => {
    expect(evaluateText(source, scope)).toBeNull()
  })

  it('reads own keys that only look like host properties as data', () => {
    const data = JSON.parse('{"constructor": "a site word", "__proto__": {"x": 1}}')
    expect(evaluateText('data.constructor', { data })).toBe('a site word')
    expect(evaluateText("{ '__proto__': 1 } | keys", {})).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})

it('an expression that is too long or nested too deeply is refused, and quoted in part only', () => {
  for (const [source, reason] of [
    ['x'.repeat(5000), 'longer than'],
    [`${'('.repeat(1900)}1${')'.repeat(1900)}`, 'nested too deeply'],
  ] as const) {
    expect(() => evaluateText(source, scope)).toThrow(reason)
    expect(() => evaluateText(source, scope)).not.toThrow(/.{400}/)
  }
})

describe('a template', () => {
  it('keeps the type of a value that is one template', () => {
    expect(renderValue('${{ item.id }}', scope)).toBe(7)
    expect(renderValue('${{ item.tags }}', scope)).toEqual(['b', 'a'])
    expect(renderValue({ a: ['${{ args.limit }}'], b: true }, scope)).toEqual({ a: [5], b: true })
  })

  it('becomes text within text, with nothing for null', () => {
    expect(renderValue('#${{ item.id }} ${{ item.author }}!', scope)).toBe('#7 !')
    expect(renderValue('${{ item.tags }} ', scope)).toBe('["b","a"] ')
  })

  it('ends at the braces that belong to it, over several lines', () => {
    expect(renderValue('${{ { a: { b: "}}" } } }}', scope)).toEqual({ a: { b: '}}' } })
    expect(renderValue('x ${{\n  item.id\n  + 1\n}} y', scope)).toBe('x 8 y')
  })

  it('is not rendered twice: a value that holds a template stays text', () => {
    expect(renderValue('${{ args.evil }}', { args: { evil: '${{ secret }}' } })).toBe('${{ secret }}')
  })

  it('without its end is refused', () => {
    expect(() => renderValue('${{ item.id', scope)).toThrow('}} is missing')
  })
})
