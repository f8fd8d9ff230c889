import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

describe('html_to_md', () => {
  it.each([
    [
      'code with its language',
      '<pre><code class="language-js">a &lt; 1\n  b</code></pre>',
      '```js\na < 1\n  b\n```',
    ],
    ['lists within lists', '<ul><li>甲<ul><li>乙</li></ul></li></ul>', '-   甲\n    -   乙'],
    [
      'tables',
      '<table><tr><th>名</th><th>n</th></tr><tr><td>a|b</td><td><b>1</b></td></tr></table>',
      '| 名   | n   |\n| --- | --- |\n| a\\|b | **1** |',
    ],
    ['struck text', '<p>a <del>b</del></p>', 'a ~~b~~'],
    ['text that looks like Markdown', '<p>1. a *b* [c]</p>', '1\\. a \\*b\\* \\[c\\]'],
  ])('keeps %s', async (_, html, want) => {
    expect(await answerOf([{ html_to_md: {} }], html)).toBe(want)
  })

  it('leaves out scripts, styles, navigation, forms and what is hidden', async () => {
    const html =
      '<style>x</style><nav>n</nav><script>s()</script><form>f<button>b</button></form><p hidden>h</p><p>桥</p><svg><text>v</text></svg>'
    expect(await answerOf([{ html_to_md: {} }], html)).toBe('桥')
  })

  it('takes a part, makes addresses whole and leaves pictures out', async () => {
    const options = { from: 'main', url: 'https://e.example/a/', images: false }
    const html =
      '<p>no</p><main><a href="../b?x=1">b</a><img src="i.png" alt="i"> <a href="javascript:void 0">j</a></main>'
    expect(await answerOf([{ html_to_md: options }], html)).toContain('[b](https://e.example/b?x=1)')
    expect(await answerOf([{ html_to_md: options }], html)).not.toContain('i.png')
  })

  it('fails when the part is not there', async () => {
    expect((await failureOf([{ html_to_md: { from: '#none' } }], '<p>x')).code).toBe('parse_failed')
  })

  it('turns a field of every row', async () => {
    expect(await answerOf([{ html_to_md: { field: 'h' } }], [{ h: '<b>x</b>' }])).toEqual([{ h: '**x**' }])
  })
})

describe('readable', () => {
  const words = 'Bridges carry people over rivers, valleys and roads, and have done so for long. '.repeat(6)
  const page = `<html lang="en"><head><title>Bridges - The Daily</title><meta name="author" content="Ann Bell">
    <meta property="article:published_time" content="2024-03-05T00:30:00Z"></head><body>
    <header><nav><a href="/">Home</a> <a href="/n">News</a></nav></header><div class="sidebar">Buy now</div>
    <article><h1>Bridges</h1><p>${words}</p><p>See <a href="/old">the old one</a>. ${words}</p></article>
    <footer>Imprint</footer></body></html>`

  it('finds the article and what is told of it', async () => {
    const answer = await answerOf([{ readable: { as: 'markdown', url: 'https://e.example/' } }], page)
    expect(answer).toMatchObject({ author: 'Ann Bell', language: 'en', published: '2024-03-05T00:30:00Z' })
    const { text } = answer as { text: string }
    expect(text).toContain('[the old one](https://e.example/old)')
    expect(text).not.toMatch(/Home|Buy now|Imprint/)
  })

  it('gives plain text a line for each paragraph', async () => {
    const { text } = (await answerOf([{ readable: {} }], page)) as { text: string }
    expect(text.split('\n').filter(line => line.startsWith('Bridges carry'))).toHaveLength(1)
    expect(text).not.toContain('<p>')
  })

  it('fails where there is no article', async () => {
    expect((await failureOf([{ readable: {} }], '<body><nav>Home</nav></body>')).message).toContain(
      'no article',
    )
  })
})
