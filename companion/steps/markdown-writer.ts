/// <reference path="./turndown-plugin-gfm.d.ts" />
import { gfm } from '@joplin/turndown-plugin-gfm'
import Turndown from 'turndown'

// The library brings a DOM of its own: import this file lazily.
const service = new Turndown({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
  hr: '---',
})
service.use(gfm)

/** HTML as Markdown with the tables, task lists and struck text of GitHub. */
export const toMarkdown = (html: string): string => service.turndown(html)
