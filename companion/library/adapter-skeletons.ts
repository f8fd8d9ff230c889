import type { AdapterId } from './adapter-layers.ts'

/** The strategies that a skeleton is written for. */
export const SKELETON_STRATEGIES = ['public', 'cookie', 'header', 'auto', 'intercept', 'ui'] as const
export type SkeletonStrategy = (typeof SKELETON_STRATEGIES)[number]

/** The line by which editors find the schema; it is kept at the top of each folder of adapters. */
export const SCHEMA_FILE = 'adapter.schema.json'
export const SCHEMA_LINE = `# yaml-language-server: $schema=../${SCHEMA_FILE}\n`

const LIST_ARGS = `args:
  query: { required: true, positional: true, description: words to look for }
  limit: { type: integer, default: 10, min: 1, max: 50, description: how many rows }
`
const LIST_END = `columns: [title, url]
aliases: [find, 搜索]
example: { query: cat, limit: 3 }
`

/** Rows of an address that answers with JSON. */
const FETCH = `pipeline:
  # Relative addresses begin at base. "unicli steps fetch" shows what else it takes.
  - fetch: { url: /api/search, query: { q: "\${{ args.query }}", limit: "\${{ args.limit }}" } }
  # Where in the answer the rows are.
  - select: items
  - limit: "\${{ args.limit }}"
  - map:
      title: \${{ item.title | strip_html | truncate(200) }}
      url: \${{ base | url_join(item.url ?? '/') }}
`

const BODIES: Readonly<Record<SkeletonStrategy, (id: AdapterId) => string>> = {
  public: () => `${LIST_ARGS}${FETCH}${LIST_END}`,
  cookie: () => `# Asked inside the person's browser, with its cookies.\n${LIST_ARGS}${FETCH}${LIST_END}`,
  header: () => `# Where the token is that the site wants: an address, a cookie, the page, or its storage.
csrf: { cookie: csrftoken, header: x-csrftoken }
${LIST_ARGS}${FETCH}${LIST_END}`,
  auto: () => `# public, cookie and header are tried in this order; the one that answers is remembered.
${LIST_ARGS}${FETCH}${LIST_END}`,
  intercept: () => `${LIST_ARGS}pipeline:
  # Opens the page and takes the answer that the page itself asks for.
  - intercept:
      navigate: /search?q=\${{ args.query | urlencode }}
      match: /api/search
      timeout_ms: 20000
  - select: items
  - limit: "\${{ args.limit }}"
  - map:
      title: \${{ item.title }}
      url: \${{ base | url_join(item.url ?? '/') }}
timeout_ms: 60000
${LIST_END}`,
  ui: () => `${LIST_ARGS}pipeline:
  - navigate: /search?q=\${{ args.query | urlencode }}
  - wait: { target: css=.result }
  # A row for each element that "from" matches; fields are found inside it.
  - extract:
      page: true
      from: .result
      fields:
        title: h3
        url: { selector: a, attribute: href }
  - limit: "\${{ args.limit }}"
timeout_ms: 60000
${LIST_END}`,
}

/** A sound adapter to begin from: it passes lint as it is, and its comments say what to change. */
export function skeletonOf(id: AdapterId, strategy: SkeletonStrategy, base: string): string {
  const type = strategy === 'intercept' || strategy === 'ui' ? 'browser' : 'web-api'
  return `${SCHEMA_LINE}site: ${id.site}
name: ${id.command}
description: List what ${id.command} of ${id.site} finds.
type: ${type}
strategy: ${strategy}
# read, write or destructive: what it may do to the site. Its steps may do no more.
effect: read
base: ${base}
${BODIES[strategy](id)}`
}
