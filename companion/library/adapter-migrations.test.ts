import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { STEPS } from '../steps/index.ts'
import { migrateAdapter } from './adapter-migrations.ts'

const migrate = (text: string, file = '/a/adapters/demo/top.yaml') => {
  const { text: made, changes, open } = migrateAdapter(text, file, STEPS)
  return { made, changes, open, value: parse(made) }
}
/** A file of Uni-CLI's format v2 with this pipeline and these keys. */
const v2 = (pipeline: string, keys = '') => `schema_version: v2
site: demo
name: top
description: "Top stories"
type: web-api
strategy: public
base: https://demo.example
operation_effect: read
capabilities: [http]
trust: public
${keys}pipeline:
${pipeline}`

describe('migrating an adapter', () => {
  it('takes one of Uni-CLI to ours, with its comments, and finds nothing left to do', () => {
    const { made, value, open } = migrate(
      v2(
        `  # Ids first.
  - fetch:
      url: https://demo.example/ids.json # all of them
      params: { n: "\${{ args.limit }}" }
  - select: data.items[0].list[]
  - limit: "\${{ args.limit }}"
  - fetch:
      url: "https://demo.example/item/\${{ item }}.json"
      concurrency: 8
      retry: 3
      backoff: 500
  - filter: item.score > 10
  - map:
      title: "\${{ item.title | replace('a+', 'b') | uppercase | truncate(80) }}"
      url: "\${{ item.url | default('') }}"
  - sort: { by: title, order: desc }
`,
        `minimum_capability: http.fetch
args:
  limit: { type: int, default: 20, minimum: 1, maximum: 50, description: how many }
  since: { type: str, format: uri, x-unicli-kind: id }
columns: [title, url]
`,
      ),
    )
    expect(open).toEqual([])
    expect(made).toContain('# Ids first.')
    expect(made).toContain('# all of them')
    expect(made.startsWith('# yaml-language-server: $schema=')).toBe(true)
    expect(value).toEqual({
      site: 'demo',
      name: 'top',
      description: 'Top stories',
      type: 'web-api',
      strategy: 'public',
      base: 'https://demo.example',
      effect: 'read',
      args: {
        limit: { type: 'integer', default: 20, min: 1, max: 50, description: 'how many' },
        since: { type: 'string', format: 'url' },
      },
      columns: ['title', 'url'],
      pipeline: [
        { fetch: { url: 'https://demo.example/ids.json', query: { n: '${{ args.limit }}' } } },
        { select: 'data.items.0.list' },
        { limit: '${{ args.limit }}' },
        {
          fetch: {
            url: 'https://demo.example/item/${{ item }}.json',
            concurrency: 8,
            retry: { attempts: 3, backoff_ms: 500 },
            for_each: '${{ data }}',
          },
        },
        { filter: 'item.score > 10' },
        {
          map: {
            title: "${{ item.title | replace_regex('a+', 'b') | uppercase | truncate(80) }}",
            url: "${{ item.url | default('') }}",
          },
        },
        { sort: { by: 'title', order: 'desc' } },
      ],
    })
  })

  it.each([
    [
      'navigate and its settling',
      '  - navigate: { url: /, settleMs: 500, waitUntil: networkidle }\n',
      [{ navigate: { url: '/', until: 'load' } }, { wait: { ms: 500 } }],
    ],
    [
      'a branch',
      '  - if: args.x\n    then:\n      - limit: 1\n',
      parse('[{ if: { when: args.x, then: [{ limit: 1 }] } }]'),
    ],
    [
      'a loop',
      '  - each: { do: [{ limit: 1 }], max: 3, until: "data.done" }\n',
      [{ while: { do: [{ limit: 1 }], max: 3, until: 'data.done', at_max: 'stop' } }],
    ],
    [
      'parallel requests',
      '  - parallel:\n      - fetch: { url: /a, params: { x: 1 } }\n      - fetch: { url: /b }\n    merge: concat\n',
      [
        {
          parallel: {
            merge: 'concat',
            branches: {
              branch_1: [{ fetch: { url: '/a', query: { x: 1 } } }],
              branch_2: [{ fetch: { url: '/b' } }],
            },
          },
        },
      ],
    ],
    [
      'an interception',
      '  - intercept: { capture: /api, trigger: "navigate:/x", select: "a[1]", timeout: 5000 }\n',
      [{ intercept: { match: '/api', timeout_ms: 5000, navigate: '/x' } }, { select: 'a.1' }],
    ],
    [
      'XML',
      '  - select-xml: { xpath: //a, unwrap_single: true }\n',
      [{ select_xml: { xpath: '//a', single: true } }],
    ],
    [
      'a program',
      '  - exec: { command: git, args: [log, "-5"], timeout: 5000 }\n',
      [{ exec: { argv: ['git', 'log', '-5'], parse: 'lines', effect: 'read' } }],
    ],
    [
      'a condition',
      '  - assert: { condition: data.ok }\n',
      [{ assert: { that: 'data.ok', message: 'what was to hold does not' } }],
    ],
    [
      'a pace',
      '  - rate_limit: { domain: demo.example, rpm: 30 }\n',
      [{ rate_limit: { name: 'demo.example', per_minute: 30 } }],
    ],
  ])('brings over %s', (_, pipeline, expected) => {
    const { value, open } = migrate(v2(pipeline))
    expect(value.pipeline).toEqual(expected)
    expect(open).toEqual([])
  })

  it('turns effects into effect and risk, and one request into a pipeline', () => {
    const { value } = migrate(
      'schema_version: v2\nstrategy: cookie\noperation_effect: send_message\ndomain: demo.example\nurl: /send\nmethod: POST\nbody: { text: "${{ args.text }}" }\nargs:\n  text: { type: str, required: true }\n',
    )
    expect(value).toMatchObject({
      ...{ site: 'demo', name: 'top', type: 'web-api', strategy: 'cookie', effect: 'write', risk: 'send' },
      base: 'https://demo.example',
      pipeline: [{ fetch: { url: '/send', method: 'POST', json: { text: '${{ args.text }}' } } }],
    })
  })

  it('says what it cannot decide: steps without counterpart, options, and what then does not compile', () => {
    const { open } = migrate(
      v2('  - tap: { store: a, action: b }\n  - fetch: { url: /, rotate_urls: [a] }\n'),
    )
    expect(open).toEqual([
      'there is no step like "tap"',
      'rotate_urls of fetch has no counterpart',
      expect.stringMatching(/^line \d+: unknown step "tap"/),
    ])
  })

  it('writes down the effect of an adapter of ours that did not say it', () => {
    const head =
      'site: demo\nname: top\ntype: web-api\nstrategy: public # plain\nbase: https://demo.example\n'
    expect(migrate(`${head}pipeline:\n  - fetch: /a\n`).value.effect).toBe('read')
    const posting = migrate(`${head}pipeline:\n  - fetch: { url: /a, method: POST }\n`)
    expect(posting.value.effect).toBe('write')
    expect(posting.made).toContain('# plain')
  })

  it('leaves alone what is of today, and what is no adapter', () => {
    const today =
      'site: demo\nname: top\ntype: web-api\nstrategy: public\neffect: read\npipeline: [{ fetch: https://a.org }]\n'
    expect(migrate(today)).toMatchObject({ made: today, changes: [] })
    expect(migrateAdapter('a: [', '/a/b/c.yaml', STEPS)).toMatchObject({ text: 'a: [', changes: [] })
  })
})
