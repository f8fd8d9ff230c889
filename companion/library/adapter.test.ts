import { describe, expect, it } from 'vitest'
import { describeOperation } from '../kernel/description.ts'
import type { Operation } from '../kernel/operation.ts'
import { STEPS } from '../steps/index.ts'
import { readAdapter } from './adapter.ts'
import { readYaml } from './yaml-source.ts'

const place = { file: '/home/p/.unicli/adapters/demo/search.yaml', site: 'demo', command: 'search' }
/** Texts that say nothing of the effect say so at their end, where it moves no line. */
const read = (text: string): Operation => {
  const isSilent = text.startsWith('site:') && !/^effect:/m.test(text)
  return readAdapter(readYaml(isSilent ? `${text.trimEnd()}\neffect: read\n` : text), place, STEPS)
}

const HEAD = 'site: demo\nname: search\ntype: web-api\nstrategy: public\n'
const PIPELINE = 'pipeline:\n  - fetch: https://demo.example/api\n'

/** The line and the reason of the fault that a text has. */
function faultOf(text: string): { line: number; reason: string } {
  try {
    read(text)
  } catch (error) {
    if (error instanceof Error && 'line' in error) return { line: Number(error.line), reason: error.message }
    throw error
  }
  throw new Error('the adapter was accepted')
}

describe('an adapter', () => {
  it('needs six keys and nothing else', () => {
    const feed = read(`site: demo
name: search
type: web-api
strategy: public
pipeline:
  - fetch_text:
      url: https://demo.example/feed/
  - parse_rss: {}
  - limit: 10
  - map:
      title: "\${{ item.title }}"
      url: "\${{ item.link }}"
columns: [title, url]
effect: read
`)
    expect(feed).toMatchObject({
      id: 'demo.search',
      doc: 'Runs search on demo.',
      effect: 'read',
      needs: ['http'],
      strategy: 'public',
      strategies: ['public'],
      example: {},
      columns: ['title', 'url'],
      allowEmpty: false,
      verified: null,
      adapterPath: place.file,
      source: { kind: 'adapter', base: null, origins: ['https://demo.example'] },
    })
  })

  it('turns its arguments into a strict schema with defaults, choices and descriptions', () => {
    const operation = read(`${HEAD}${PIPELINE}args:
  query: {type: string, required: true, positional: true, description: What to look for, max: 10}
  limit: {type: integer, default: 5, min: 1, max: 50}
  order: {choices: [new, top], default: top}
  tags: {type: array, items: string, max: 2}
  password: {secret: true}
  since: {format: date}
  code: {pattern: "[A-Z]{2}"}
example: {query: cats}
`)
    expect(operation.args.parse({ query: 'cats' })).toEqual({ query: 'cats', limit: 5, order: 'top' })
    const bad: Record<string, unknown>[] = [
      {},
      { query: 'far too long a text' },
      { query: 'x', limit: 0 },
      { query: 'x', limit: 2.5 },
      { query: 'x', limit: '3' },
      { query: 'x', order: 'old' },
      { query: 'x', tags: ['a', 'b', 'c'] },
      { query: 'x', since: 'yesterday' },
      { query: 'x', code: 'ABC' },
      { query: 'x', extra: 1 },
    ]
    for (const args of bad) expect([args, operation.args.safeParse(args).success]).toEqual([args, false])
    expect(operation.positional).toEqual(['query'])
    expect(operation.secrets).toEqual(['password'])
    expect(describeOperation(operation).args).toMatchObject({
      required: ['query'],
      additionalProperties: false,
      properties: {
        query: { type: 'string', description: 'What to look for' },
        order: { enum: ['new', 'top'], default: 'top' },
      },
    })
  })

  it('serves public, cookie and header with one pipeline when it is auto, and others with their own', () => {
    const operation = read(`site: demo
name: search
type: browser
strategy: auto
base: https://demo.example
pipeline:
  - fetch: api
pipelines:
  ui:
    - navigate: /
    - extract: {page: true, fields: {title: h1}}
`)
    expect(operation.strategies).toEqual(['public', 'cookie', 'header', 'ui'])
    expect(operation.needs).toEqual(['browser', 'http'])
  })

  it('reaches the origins that it writes out, and none that a template makes up', () => {
    const operation = read(`site: demo
name: search
type: web-api
strategy: public
base: https://demo.example/w
origins: [https://cdn.example/some/path]
pipeline:
  - fetch: https://api.example:8443/x?u=https://evil.example/
  - fetch: "https://\${{ args.host }}/x"
  - fetch: "https://user\${{ data.x }}.example/"
`)
    expect(operation.source).toMatchObject({ origins: ['https://cdn.example', 'https://api.example:8443'] })
  })

  it('may say how long it takes', () => {
    expect(read(`${HEAD}${PIPELINE}timeout_ms: 60000\n`).timeoutMs).toBe(60_000)
    expect(read(`${HEAD}${PIPELINE}`).timeoutMs).toBeUndefined()
    expect(faultOf(`${HEAD}${PIPELINE}timeout_ms: 5\n`)).toMatchObject({ line: 7 })
  })

  it('makes an example up from required arguments when it gives none', () => {
    const operation = read(`${HEAD}${PIPELINE}args:
  query: {required: true}
  page: {type: integer, required: true, min: 3}
  kind: {choices: [a, b], required: true}
`)
    expect(operation.example).toEqual({ query: 'query', page: 3, kind: 'a' })
    expect(operation.args.safeParse(operation.example).success).toBe(true)
  })
})

describe('pagination', () => {
  const paged = (pagination: string) =>
    `${HEAD}${PIPELINE}args:\n  page: {type: integer, default: 1}\n  after: {type: string}\npagination: ${pagination}\n`

  it('names arguments that are there and can be counted with, and an expression that parses', () => {
    expect(read(paged('{ by: page, arg: page }')).pagination).toEqual({ by: 'page', arg: 'page' })
    expect(read(paged('{ by: cursor, arg: after, cursor: data | last }')).pagination?.by).toBe('cursor')
    expect(faultOf(paged('{ by: page, arg: pages }'))).toEqual({
      line: 10,
      reason: 'there is no argument "pages"; did you mean "page"?',
    })
    expect(faultOf(paged('{ by: offset, arg: after }')).reason).toContain('must be an integer')
    expect(faultOf(paged('{ by: cursor, arg: after }')).reason).toContain('add cursor')
    expect(faultOf(paged('{ by: cursor, arg: after, cursor: data | lst }')).reason).toContain('"last"')
  })
})

describe('a faulty adapter names its line and the reason', () => {
  it.each([
    [
      'an unknown key',
      `${HEAD}pipelin: []\n${PIPELINE}`,
      5,
      /unknown key "pipelin"; did you mean "pipeline"\?/,
    ],
    [
      'an unknown key inside',
      `${HEAD}args:\n  q:\n    type: string\n    requird: true\n${PIPELINE}`,
      8,
      /in args\.q; did you mean "required"/,
    ],
    [
      'an unknown step',
      `${HEAD}pipeline:\n  - fetch: https://d.example/\n  - selct: a.b\n`,
      7,
      /unknown step "selct"; did you mean "select"\?/,
    ],
    [
      'an unknown step option',
      `${HEAD}pipeline:\n  - fetch:\n      url: https://d.example/\n      mthod: GET\n`,
      8,
      /no option "mthod"; did you mean "method"\?/,
    ],
    [
      'a fault in a nested pipeline',
      `${HEAD}pipeline:\n  - each:\n      do:\n        - limt: 5\n`,
      8,
      /unknown step "limt"; did you mean "limit"\?/,
    ],
    [
      'a broken template',
      `${HEAD}pipeline:\n  - fetch:\n      url: https://d.example/\${{ args. }}\n`,
      7,
      /args\./,
    ],
    ['broken YAML', `${HEAD}pipeline:\n  - fetch: [1, 2\ncolumns: x\n`, 7, /./],
    ['a key twice', `${HEAD}site: demo\n`, 5, /unique/i],
    ['a missing key', 'site: demo\nname: search\nstrategy: public\n', 1, /^"type" is missing$/],
    [
      'a wrong strategy',
      'site: demo\nname: search\ntype: web-api\nstrategy: magic\n',
      4,
      /"strategy": .*"ui"\|"auto"/,
    ],
    ['no pipeline', HEAD, 4, /no pipeline for strategy public/],
    [
      'another site than its folder',
      `site: other\nname: search\ntype: web-api\nstrategy: public\n${PIPELINE}`,
      1,
      /its? ?.*place says "demo"/,
    ],
    [
      'another name than its file',
      `site: demo\nname: find\ntype: web-api\nstrategy: public\n${PIPELINE}`,
      2,
      /place says "search"/,
    ],
    [
      'a default of another type',
      `${HEAD}${PIPELINE}args:\n  n: {type: integer, default: many}\n`,
      8,
      /argument "n": its default/,
    ],
    [
      'a default for what is required',
      `${HEAD}${PIPELINE}args:\n  n: {required: true, default: x}\n`,
      8,
      /required and have a default/,
    ],
    ['a bad pattern', `${HEAD}${PIPELINE}args:\n  n: {pattern: "["}\n`, 8, /"\[" is no pattern/],
    [
      'an example that does not fit',
      `${HEAD}${PIPELINE}args:\n  n: {type: integer}\nexample:\n  n: x\n`,
      10,
      /example does not fit/,
    ],
    ['an example of other arguments', `${HEAD}${PIPELINE}example:\n  n: x\n`, 7, /no argument "n"/],
    ['two documents', `${HEAD}${PIPELINE}---\nsite: x\n`, 7, /document/i],
    ['a list', '- a\n- b\n', 1, /object/],
    ['nothing', '', 1, /object/],
  ])('%s', (_name, text, line, reason) => {
    const fault = faultOf(text)
    expect(fault.reason).toMatch(reason)
    expect(fault.line).toBe(line)
  })

  it('a promise to read that its steps do not keep', () => {
    const posting = `${HEAD}pipeline:\n  - fetch:\n      url: https://d.example/\n      method: POST\n`
    expect(faultOf(posting)).toEqual({
      line: 6,
      reason: 'step "fetch" may change the site, but the adapter says effect: read',
    })
    expect(read(`${posting}effect: write\n`).effect).toBe('write')
    expect(read(`${posting}      effect: read\n`).effect).toBe('read')
    const nested = 'site: demo\nname: search\ntype: browser\nstrategy: ui\npipeline:\n'
    expect(faultOf(`${nested}  - if:\n      when: args\n      then:\n        - click: text=Buy\n`).line).toBe(
      9,
    )
    expect(
      faultOf(`${nested}  - intercept:\n      match: /api\n      trigger:\n        - press: Enter\n`).line,
    ).toBe(9)
    expect(read(`${nested}  - intercept: {match: /api, method: POST}\n`).effect).toBe('read')
  })

  it('a program that it does not declare', () => {
    const exec = (more: string) =>
      `site: demo\nname: search\ntype: desktop\nstrategy: public\npipeline:\n  - exec:\n      argv: [git, log]\n      effect: read\n${more}`
    expect(faultOf(exec(''))).toEqual({
      line: 6,
      reason: 'step "exec" starts git, which the adapter does not declare: add it to executables',
    })
    expect(read(exec('executables: [git]\nenv: [GIT_DIR]\n')).source).toMatchObject({
      executables: ['git'],
      env: ['GIT_DIR'],
    })
    expect(faultOf(exec('executables: ["git log"]\n')).reason).toMatch(/name of a program/)
    const probe = `${HEAD}pipeline:\n  - media_probe: {path: x.mp4}\n`
    expect(faultOf(probe).reason).toMatch(/starts ffprobe/)
  })

  it('a retry of what may change something, in any nested pipeline', () => {
    const text = `${HEAD}effect: write\npipeline:\n  - retry:\n      do:\n        - parallel:\n            branches:\n              a:\n                - fetch: {url: "https://d.example/", method: POST}\n`
    expect(faultOf(text)).toMatchObject({ line: 8, reason: expect.stringMatching(/"fetch" may/) })
  })

  it('an alias that multiplies', () => {
    const bomb = `${HEAD}a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\npipeline: [*c,*c,*c,*c,*c,*c,*c]\n`
    expect(faultOf(bomb).reason).toMatch(/alias/i)
  })
})
