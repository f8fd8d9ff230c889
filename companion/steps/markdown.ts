import { z } from 'zod'
import { Target } from '../../shared/values.ts'
import { defineStep } from '../kernel/step.ts'
import { articleOf, cleanHtml } from './articles.ts'
import { withinTokens } from './token-cut.ts'

export const markdown = defineStep({
  name: 'markdown',
  doc: 'Give the page, one element of it, or its article alone as Markdown, links kept and cut to a budget.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({
    target: Target.optional().describe('only this part'),
    article: z.boolean().default(false).describe('the text that the page is there for, alone'),
    links: z.boolean().default(true),
    images: z.boolean().default(false),
    max_tokens: z.number().int().min(50).max(200_000).default(4000).describe('roughly'),
    skip_tokens: z.number().int().min(0).default(0).describe('begin after so many'),
  }),
  example: { article: true, max_tokens: 2000 },
  run: async (ctx, { target = null, article, links, images, max_tokens, skip_tokens }) => {
    const { html, url, title } = await ctx.browser.call('page.html', { target }, ctx)
    const { toMarkdown } = await import('./markdown-writer.ts')
    const page = article ? await articleIn(html, url) : html
    const { text, tokens, more } = withinTokens(
      toMarkdown(cleanHtml(page, { url, images, links })),
      skip_tokens,
      max_tokens,
    )
    return { url, title, markdown: text, tokens, ...(more === 0 ? {} : { more_tokens: more }) }
  },
})

const articleIn = async (html: string, url: string): Promise<string> =>
  (await articleOf(html, { as: 'html', url, min_chars: 140 })).content ?? ''
