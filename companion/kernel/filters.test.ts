import { describe, expect, it } from 'vitest'
import { FILTER_NAMES, FILTERS, FILTERS_BY_NAME } from './filters.ts'
import { evaluateText } from './template.ts'

const value = (source: string, scope: Record<string, unknown> = {}): unknown => evaluateText(source, scope)
const reasonOf = (source: string): string => {
  try {
    value(source)
    return 'it has a value'
  } catch (error) {
    return (error as Error).message
  }
}

describe('filters', () => {
  it('are many, and no two of them have a name in common', () => {
    const named = Object.entries(FILTERS).flatMap(([name, { aliases = [] }]) => [name, ...aliases])
    expect(Object.keys(FILTERS).length).toBeGreaterThanOrEqual(40)
    expect(new Set(named).size).toBe(named.length)
    expect(FILTER_NAMES).toEqual(named)
  })

  it.each(Object.entries(FILTERS))('%s does what its example says', (_, { example: [source, expected] }) => {
    expect(value(source)).toEqual(expected)
  })

  it.each(
    'join urlencode slice replace lowercase uppercase trim default split first last length strip_html truncate slugify sanitize ext basename keys json abs round ceil floor int float str reverse unique date_iso'.split(
      ' ',
    ),
  )('has %s, which adapters of older tools call', name => {
    expect(FILTERS_BY_NAME.has(name)).toBe(true)
  })
})

describe('a filter', () => {
  it.each([
    ["'👩‍👩‍👧家庭成员' | truncate(3)", '👩‍👩‍👧家…'],
    ["'abc' | truncate(3)", 'abc'],
    ["'abcd' | truncate(2, '...')", '..'],
    ["'中文abc' | truncate_width(6)", '中文a…'],
    ["'  你好  世界 ' | squeeze", '你好 世界'],
    ["'日本' | pad_end(4, '。')", '日本。。'],
    ["'ÀÉÎ' | slugify", 'aei'],
    ["'が行' | slugify", 'が行'],
    ["'1.2万人' | parse_number", 12_000],
    ["'3.4k' | parse_number", 3400],
    ["'1亿2000万' | parse_number", 120_000_000],
    ["'3k 5 comments' | parse_number", 3000],
    ["'¥ 1,234.50' | parse_number", 1234.5],
    ["'12%' | parse_number", 0.12],
    ["'１２' | parse_number", 12],
    ["'-5' | parse_number", -5],
    ["'-1亿2000万' | parse_number", -120_000_000],
    ["'1亿2000万3456' | parse_number", 120_003_456],
    ["'1 亿 2000 万' | parse_number", 120_000_000],
    ["'3万-5万' | parse_number", 30_000],
    ["'3万 5条评论' | parse_number", 30_000],
    ["'播放3万次5评论' | parse_number", 30_000],
    ["'1万5千' | parse_number", 15_000],
    ["'😀好b' | index_of('b')", 2],
    ["'你好世界' | truncate_width(2, '....')", '..'],
    ["'你好世界' | truncate_width(0)", ''],
    ['0.285 | percent', '29%'],
    ['0.001 | percent(1)', '0.1%'],
    ['1048575 | format_bytes', '1 MB'],
    ['-2048 | format_bytes', '-2 KB'],
    ['0 | format_bytes', '0 B'],
    ["'ab' | index_of('c')", -1],
    ["'2 minutes' | parse_number", 2],
    ['1.005 | round(2)', 1.01],
    ['1234 | round(-2)', 1200],
    ["1234.5 | format_number(1, 'de')", '1.234,5'],
    ["'2024-05-01' | date_format('d LLLL yyyy')", '1 May 2024'],
    ["'2024-05-01T00:30:00+08:00' | date_iso", '2024-04-30T16:30:00.000Z'],
    ["'Tue, 14 Nov 2023 22:13:20 GMT' | date_iso", '2023-11-14T22:13:20.000Z'],
    ["'2024年5月1日' | date_iso", '2024-05-01T00:00:00.000Z'],
    ["'1700000000000' | date_iso", '2023-11-14T22:13:20.000Z'],
    ["'2024' | date_format('yyyy')", '2024'],
    ["'2024-05-01' | date_format('cccc', 'UTC', 'zh-CN')", '星期三'],
    ['\'<p>a<script>var x = "<b>"</script>b</p><!-- c -->\' | strip_html', 'ab'],
    ["'1 < 2 and a<b>c</b>' | strip_html", '1 < 2 and ac'],
    ["'<script>never closed' | strip_html", ''],
    ["'a\t/..\\\\b\n' | sanitize", 'a__.._b_'],
    ["'con' | sanitize", '_con'],
    ["'..' | sanitize", '_'],
    ["'archive.tar.gz' | ext", 'gz'],
    ["'https://example.org' | ext", ''],
    ["'/a/b.txt' | basename(true)", 'b'],
    ["'C#.txt' | ext", 'txt'],
    ["'Hello WORLD' | extract('hello (\\\\w+)', 1, 'i')", 'WORLD'],
    ["'abc' | extract('x')", null],
    ["'John Smith' | replace_regex('(\\\\w+) (\\\\w+)', '$2, $1')", 'Smith, John'],
    ["'版本 12 号' | extract('\\\\p{Han}+ ([0-9]+)')", '12'],
    ["'https://a.org/?a=1&a=2' | url_params", { a: ['1', '2'] }],
    ["[{ a: 1, b: 2 }] | omit('b')", [{ a: 1 }]],
    ["[{ n: 2 }, { n: null }, { n: 1 }] | sort('n', 'desc') | pluck('n')", [null, 2, 1]],
    ['null | length', 0],
    ['[] | max', null],
  ])('%s', (source, expected) => {
    expect(value(source)).toEqual(expected)
  })

  it.each([
    ["'a' | uper", 0, 'there is no filter "uper"; did you mean "upper"?'],
    ["'a' | pad_start", 6, "the filter pad_start takes (n, fill = ' '), and here are 0 arguments"],
    ["'a' | upper(1)", 6, 'and here are 1 arguments'],
    ["'a' | test('(?=x)')", 11, 'is no pattern'],
    ["'a' | int", 6, 'int: "a" is not a number'],
    ["'a' | pluck('x')", 6, 'the input is a text, not a list'],
    ["'x' | date_format('yyyy')", 6, '"x" is not a date'],
    ["'10:30' | date_iso", 10, '"10:30" is not a date'],
    ["1 | date_format('yyyy', 'Mars/Base')", 4, '"Mars/Base" is no time zone'],
    ["'/x' | url_part('host')", 7, 'is not a whole address'],
    ["'https://a.org' | url_part('hots')", 18, 'there is no part "hots"'],
  ])('%s is refused at %i', (source, at, reason) => {
    const place = at === 0 ? source.indexOf('|') + 2 : at
    expect(reasonOf(source)).toContain(`at character ${place}: `)
    expect(reasonOf(source)).toContain(reason)
  })

  it('works on data of any size in proportion, and on what an expression makes up only so far', () => {
    const page = `<p>${'字 <b>x</b> &amp; '.repeat(100_000)}</p>`
    expect(value('page | strip_html | squeeze | truncate(5)', { page })).toBe('字 x …')
    expect(value("page | extract('(&[a-z]+;)')", { page })).toBe('&amp;')
    expect(reasonOf("'a' | repeat(10000) | repeat(10000)")).toContain('too large a value')
  })
})
