import { type CheerioAPI, load } from 'cheerio'
import { z } from 'zod'
import { defineStep } from '../kernel/step.ts'
import { atField, changeAt, parseFailure, textOf } from './fields.ts'

const BaseUrl = z.url().optional().describe('where the page is from; makes its links whole')

export const htmlToMd = defineStep({
  name: 'html_to_md',
  aliases: ['html-to-md'],
  doc: 'Turn HTML into Markdown; headings, lists, tables, links and code stay, scripts, styles and navigation go.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({
    from: z.string().min(1).optional().describe('CSS of the part to take; default: all of it'),
    url: BaseUrl,
    images: z.boolean().default(true),
    ...atField,
  }),
  example: { url: 'https://example.com/' },
  exampleInput:
    '<nav>Home</nav><h1>桥</h1><p>See <a href="/b">the <b>bridge</b></a>.</p><table><tr><th>a</th></tr><tr><td>1</td></tr></table>',
  exampleOutput: '# 桥\n\nSee [the **bridge**](https://example.com/b).\n\n| a   |\n| --- |\n| 1   |',
  run: async ({ data }, { from, url, images, ...place }) => {
    const { toMarkdown } = await import('./markdown-writer.ts')
    return changeAt(data, place, value =>
      toMarkdown(cleanHtml(textOf(value, 'html_to_md'), { from, url, images })),
    )
  },
})

/** What is no content of the page it stands on. */
const CHROME =
  'script, style, noscript, template, iframe, svg, canvas, nav, form, button, [hidden], [aria-hidden="true"]'

interface Cleaning {
  from?: string | undefined
  url?: string | undefined
  images: boolean
  links?: boolean
}

/** The content of a page, or of a part of it, without what is around it. Fails with parse_failed. */
export function cleanHtml(html: string, { from, url, images, links = true }: Cleaning): string {
  const $ = load(html)
  const part = from === undefined ? $('body') : $(from)
  // Only a page of frames has no body; then there is nothing to read in it.
  if (part.length === 0 && from !== undefined) throw parseFailure('The page', `nothing in it matches ${from}`)
  part.find(CHROME).remove()
  if (!images) part.find('img, picture').remove()
  if (!links) part.find('a').each((_, link) => void $(link).replaceWith($(link).contents()))
  if (url !== undefined) completeLinks($, url)
  return part
    .toArray()
    .map(element => $(element).html() ?? '')
    .join('\n')
}

function completeLinks($: CheerioAPI, base: string): void {
  for (const [tag, attribute] of [
    ['a', 'href'],
    ['img', 'src'],
  ] as const)
    $(`${tag}[${attribute}]`).attr(attribute, (_, value) => absolute(value, base))
}

const absolute = (address: string, base: string): string =>
  URL.canParse(address, base) ? new URL(address, base).href : address

const Readable = z.strictObject({
  as: z.enum(['text', 'markdown', 'html']).default('text').describe('what the article is given as'),
  url: BaseUrl,
  min_chars: z.number().int().min(0).default(140).describe('shorter text is no article'),
})

export const readable = defineStep({
  name: 'readable',
  doc: 'Find the article in a page of HTML: its title, author, date, language, excerpt and text, without what is around it.',
  needs: [],
  effect: 'pure',
  schema: Readable,
  example: { as: 'markdown', min_chars: 10 },
  exampleInput:
    '<html lang="zh"><head><title>桥的历史</title></head><body><nav>首页 关于</nav><article><h1>桥的历史</h1>' +
    '<p>桥是一种<b>跨越</b>障碍的建筑，人们用它走过河流、山谷和道路。</p></article></body></html>',
  exampleOutput: {
    title: '桥的历史',
    author: null,
    published: null,
    language: 'zh',
    excerpt: '桥是一种跨越障碍的建筑，人们用它走过河流、山谷和道路。',
    text: '## 桥的历史\n\n桥是一种**跨越**障碍的建筑，人们用它走过河流、山谷和道路。',
  },
  run: async ({ data }, params) => {
    const article = await articleOf(textOf(data, 'readable'), params)
    const html = article.content ?? ''
    return {
      title: article.title ?? null,
      author: article.byline ?? null,
      published: article.publishedTime ?? null,
      language: article.lang ?? null,
      excerpt: article.excerpt ?? null,
      text:
        params.as === 'text'
          ? lines(article.textContent ?? '')
          : params.as === 'html'
            ? html
            : (await import('./markdown-writer.ts')).toMarkdown(html),
    }
  },
})

/** The article of a page, as Readability finds it. Fails with parse_failed when there is none. */
export async function articleOf(html: string, { url, min_chars }: z.output<typeof Readable>) {
  const { readArticle } = await import('./article-reader.ts')
  const $ = load(html)
  if (url !== undefined) completeLinks($, url)
  try {
    const article = readArticle($.html(), min_chars)
    if (article !== null) return article
  } catch (cause) {
    throw parseFailure('The page', cause)
  }
  throw parseFailure('The page', 'no article was found in it')
}

/** Paragraphs as lines; the text of a DOM keeps the white space of the source. */
const lines = (text: string): string =>
  text
    .split('\n')
    .map(line => line.replaceAll(/\s+/g, ' ').trim())
    .filter(line => line !== '')
    .join('\n')
