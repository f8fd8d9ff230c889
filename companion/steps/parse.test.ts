import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

describe('parse_json', () => {
  it.each([
    ['a mark of the byte order', '\uFEFF{"a":1}', { a: 1 }],
    ['a guard against inclusion', ")]}',\n[1]", [1]],
    ['a call of JSONP', 'cb_1({"名":"桥"});', { 名: '桥' }],
    ['a bare value', '3', 3],
  ])('reads past %s', async (_, text, want) => {
    expect(await answerOf([{ parse_json: {} }], text)).toEqual(want)
  })

  it('reads a field of every row, into another one when asked', async () => {
    expect(await answerOf([{ parse_json: { field: 'raw', to: 'value' } }], [{ raw: '[1]' }])).toEqual([
      { raw: '[1]', value: [1] },
    ])
  })

  it.each([
    ['<html>', 'it is not JSON but "<html>"'],
    [null, 'text is needed, this is nothing'],
    [{ a: 1 }, 'text is needed, this is an object'],
  ])('says what is there instead: %j', async (data, text) => {
    expect((await failureOf([{ parse_json: {} }], data)).message).toContain(text)
  })
})

describe('parse_csv', () => {
  it.each([
    [
      'leaves the names of columns text where cells become numbers',
      { numbers: true },
      'name,2023,2024\n桥,1,2',
      [{ name: '桥', '2023': 1, '2024': 2 }],
    ],
    [
      'names columns that have no name or one name twice',
      {},
      'a,,a\n1,2,3',
      [{ a: '1', column_2: '2', a_2: '3' }],
    ],
    [
      'gives lists without a header',
      { header: false },
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['takes names from the adapter', { header: ['x', 'y'], delimiter: ';' }, '1;2', [{ x: '1', y: '2' }]],
    [
      'makes numbers of what is one',
      { numbers: true },
      'n\n12\n-0.5\n007\n1e3\n6222021234567890123',
      [{ n: 12 }, { n: -0.5 }, { n: '007' }, { n: 1000 }, { n: '6222021234567890123' }],
    ],
    ['keeps line ends within quotes', {}, 'a,b\n"x\ny","say ""hi"""', [{ a: 'x\ny', b: 'say "hi"' }]],
    ['skips lines and comments', { skip_lines: 1, comment: '#' }, 'Report\na\n# no\n1', [{ a: '1' }]],
    ['takes ragged rows when asked', { ragged: true }, 'a,b\n1\n1,2,3', [{ a: '1' }, { a: '1', b: '2' }]],
  ])('%s', async (_, options, text, want) => {
    expect(await answerOf([{ parse_csv: options }], text)).toEqual(want)
  })

  it('fails on a row of another length', async () => {
    expect((await failureOf([{ parse_csv: {} }], 'a,b\n1')).code).toBe('parse_failed')
  })
})

describe('parse_rss', () => {
  const atom =
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><id>u</id><updated>2024-03-05T00:00:00Z</updated>' +
    '<entry><id>urn:1</id><title>桥</title><link href="https://e.example/1"/><updated>2024-03-05T00:00:00Z</updated></entry></feed>'

  it('reads Atom under its other name', async () => {
    expect(await answerOf([{ parse_atom: {} }], atom)).toEqual([
      {
        title: '桥',
        link: 'https://e.example/1',
        published: '2024-03-05T00:00:00Z',
        description: null,
        author: null,
      },
    ])
  })

  it('takes the link of Atom that leads to the page, not the first', async () => {
    const links =
      '<link rel="replies" href="https://e.example/c"/><link rel="alternate" href="https://e.example/p"/>'
    const text = atom.replace('<link href="https://e.example/1"/>', links)
    expect(await answerOf([{ parse_atom: {} }], text)).toMatchObject([{ link: 'https://e.example/p' }])
  })

  it('takes the whole text where there is no summary, and the guid where there is no link', async () => {
    const rss =
      '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>N</title><item>' +
      '<title>桥</title><guid>https://e.example/1</guid><content:encoded>text</content:encoded></item></channel></rss>'
    const json =
      '{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{"id":"1","url":"https://e.example/1","content_text":"text"}]}'
    for (const feed of [rss, json])
      expect(await answerOf([{ parse_rss: {} }], feed)).toMatchObject([
        { link: 'https://e.example/1', description: 'text' },
      ])
  })

  it('gives the fields that are named', async () => {
    const fields = { id: 'id', url: 'links[0].href', none: 'no.such' }
    expect(await answerOf([{ parse_rss: { fields } }], atom)).toEqual([
      { id: 'urn:1', url: 'https://e.example/1', none: null },
    ])
  })

  it('tells a page from a feed', async () => {
    expect((await failureOf([{ parse_rss: {} }], '<!doctype html><title>Home</title><p>hello')).code).toBe(
      'not_data',
    )
  })
})
