import { bodyOf, type FixtureAnswer } from '../../companion/library/fixtures.ts'
import type { Diagnosis } from '../../companion/repair/diagnosis.ts'

type Json = unknown
type Rec = Record<string, Json>
type Path = readonly string[]

/** Where an adapter's rows are in what its site answers, so that drifts can be planted there. */
export interface Ground {
  operation: string
  strategy?: 'public' | 'ui' | 'header'
  /** Answers that hold the list of rows, and where. Null: an answer is a row. */
  list: { in: RegExp; at: Path } | null
  /** Answers that hold rows, and how to reach them from the whole. */
  rows: { in: RegExp; at: (json: Json) => Rec[] }
  /** Fields of a row: a text that tells rows apart, its new name, a number. */
  text: Path
  newName: string
  number: Path | null
  /** Of the page of an adapter that reads HTML. */
  page?: { selector: [was: RegExp, is: string]; tag: [was: RegExp, is: string] }
}

export interface Planted {
  kind: string
  /** What repair shall say of it. */
  expect: { kind: Diagnosis['kind']; detail?: RegExp }
  isRepairable: boolean
  /** The site's answers as they are now; null where this drift has no ground in them. */
  plant(answers: readonly FixtureAnswer[], ground: Ground): FixtureAnswer[] | null
}

const at = (json: Json, path: Path): Json =>
  path.reduce<Json>((value, key) => (value as Rec | undefined)?.[key], json)

function without(json: Json, path: Path): Json {
  const [key = '', ...rest] = path
  const copy = { ...(json as Rec) }
  if (rest.length === 0) delete copy[key]
  else copy[key] = without(copy[key], rest)
  return copy
}

function put(json: Json, path: Path, value: Json): Json {
  const [key, ...rest] = path
  if (key === undefined) return value
  return { ...(json as Rec), [key]: put((json as Rec | undefined)?.[key], rest, value) }
}

/** Changes the JSON of answers that match. */
const onJson = (
  answers: readonly FixtureAnswer[],
  pattern: RegExp,
  change: (json: Json) => Json,
): FixtureAnswer[] =>
  answers.map(answer =>
    answer.json === undefined || !pattern.test(answer.url)
      ? answer
      : { ...answer, json: change(structuredClone(answer.json)) },
  )

/** Changes every row, wherever it lies. */
function onRows(answers: readonly FixtureAnswer[], { rows }: Ground, change: (row: Rec) => Rec) {
  return onJson(answers, rows.in, json => {
    for (const row of rows.at(json).filter(each => each !== null)) {
      const next = change({ ...row })
      for (const key of Object.keys(row)) delete row[key]
      Object.assign(row, next)
    }
    return json
  })
}

const isJsonGround = (answers: readonly FixtureAnswer[]): boolean =>
  answers.some(answer => answer.json !== undefined)

/** Lists that become objects are keyed by what the items are, never by their place. */
const keyFor = (item: unknown): string =>
  `k${[...JSON.stringify(item)].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 99_991, 7)}`

/** A drift of data: needs JSON. */
const data = (
  kind: string,
  plant: (answers: readonly FixtureAnswer[], ground: Ground) => FixtureAnswer[] | null,
  isRepairable = true,
  detail?: RegExp,
): Planted => ({
  kind,
  isRepairable,
  expect: { kind: 'drift', ...(detail && { detail }) },
  plant: (answers, ground) => (isJsonGround(answers) ? plant(answers, ground) : null),
})

/** What stands in place of every answer. */
const wall = (kind: string, expect: Planted['expect'], over: Partial<FixtureAnswer>): Planted => ({
  kind,
  isRepairable: false,
  expect,
  // A page in a browser shows its text, whatever its status is.
  plant: (answers, { page }) =>
    page !== undefined && (over.status ?? 200) !== 200
      ? null
      : answers.map(({ method, url }) => ({
          method,
          url,
          status: 200,
          headers: { 'content-type': 'text/html; charset=utf-8' },
          body: '',
          ...over,
        })),
})

const html = (title: string, body: string): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`

const walls: readonly Planted[] = [
  wall(
    'login page served as 200',
    { kind: 'login' },
    {
      body: html(
        'Sign in',
        '<form action="/session"><input name="user"><input type="password" name="p"></form>',
      ),
    },
  ),
  wall(
    'browser check',
    { kind: 'challenge', detail: /browser check/ },
    {
      body: html('Just a moment...', '<script>window._cf_chl_opt={cvId:"3"}</script>'),
    },
  ),
  wall(
    'captcha page',
    { kind: 'challenge', detail: /captcha/ },
    {
      body: html('One more thing', '<form><div class="g-recaptcha" data-sitekey="k"></div></form>'),
    },
  ),
  wall(
    'consent page',
    { kind: 'challenge', detail: /consent/ },
    {
      body: html('Before you continue', '<form action="/save-consent"><button>Accept all</button></form>'),
    },
  ),
  wall('soft rate limit', { kind: 'rate limit' }, { body: html('Too many requests', '<p>Slow down.</p>') }),
  wall('429 with Retry-After', { kind: 'rate limit' }, { status: 429, headers: { 'retry-after': '30' } }),
  wall(
    'not-found page served as 200',
    { kind: 'drift', detail: /not found/ },
    {
      body: html('Page not found', '<p>What you look for is not here.</p>'),
    },
  ),
  wall('404 endpoint', { kind: 'drift', detail: /endpoint gone/ }, { status: 404, body: 'no' }),
  wall('410 endpoint', { kind: 'drift', detail: /endpoint gone/ }, { status: 410, body: 'gone' }),
  wall('a fault of the site', { kind: 'outage' }, { status: 500, body: 'oops' }),
]

const listed =
  (
    change: (list: Json[], json: Json, path: Path) => Json,
  ): ((answers: readonly FixtureAnswer[], ground: Ground) => FixtureAnswer[] | null) =>
  (answers, { list }) =>
    list === null
      ? null
      : onJson(answers, list.in, json => change(at(json, list.at) as Json[], json, list.at))

export const DRIFTS: readonly Planted[] = [
  data('renamed key', (answers, ground) =>
    onRows(
      answers,
      ground,
      row =>
        put(
          without(row, ground.text),
          [...ground.text.slice(0, -1), ground.newName],
          at(row, ground.text),
        ) as Rec,
    ),
  ),
  data('field nested deeper', (answers, ground) =>
    onRows(
      answers,
      ground,
      row =>
        put(without(row, ground.text), ['attributes', ground.text.at(-1) ?? ''], at(row, ground.text)) as Rec,
    ),
  ),
  data('rows nested deeper', (answers, ground) => onRows(answers, ground, row => ({ node: row }))),
  data(
    'moved list',
    listed((list, json, path) =>
      put(path.length === 0 ? {} : without(json, path), ['payload', 'records'], list),
    ),
  ),
  data('answer wrapped', (answers, ground) => onJson(answers, ground.rows.in, json => ({ data: json }))),
  data('answer unwrapped', listed((list, _, path) => (path.length === 0 ? null : list)).bind(null)),
  data(
    'list became an object',
    listed((list, json, path) =>
      path.length === 0 || typeof list[0] !== 'object'
        ? null
        : put(json, path, Object.fromEntries(list.map(item => [keyFor(item), item]))),
    ),
  ),
  data('number became text', (answers, ground) =>
    ground.number === null
      ? null
      : onRows(
          answers,
          ground,
          row => put(row, ground.number ?? [], String(at(row, ground.number ?? []))) as Rec,
        ),
  ),
  data('text became an object', (answers, ground) =>
    onRows(answers, ground, row => put(row, ground.text, { value: at(row, ground.text), lang: 'en' }) as Rec),
  ),
  data('endpoint moved, and says where', answers =>
    answers.flatMap(answer => {
      const moved = new URL(answer.url)
      moved.pathname = `/next${moved.pathname}`
      const link = `<${moved.href}>; rel="successor-version"`
      return [
        { method: 'GET', url: answer.url, status: 410, headers: { link }, body: 'moved' },
        { ...answer, url: moved.href },
      ]
    }),
  ),
  data(
    'field gone',
    (answers, ground) => onRows(answers, ground, row => without(row, ground.text) as Rec),
    false,
  ),
  data(
    'field gone, another that looks like it came',
    (answers, ground) =>
      onRows(
        answers,
        ground,
        row =>
          put(
            without(row, ground.text),
            [...ground.text.slice(0, -1), `sub${ground.text.at(-1)}`],
            'Something else',
          ) as Rec,
      ),
    false,
  ),
  data(
    'empty list',
    listed((_, json, path) => put(json, path, [])),
    false,
  ),
  ...walls,
  {
    kind: 'HTML instead of JSON',
    isRepairable: false,
    expect: { kind: 'drift', detail: /HTML page/ },
    plant: answers =>
      answers.every(answer => answer.json === undefined)
        ? null
        : answers.map(({ method, url }) => ({
            method,
            url,
            status: 200,
            headers: { 'content-type': 'text/html' },
            body: html('Welcome', '<p>Hello there.</p>'),
          })),
  },
  {
    kind: 'empty body',
    isRepairable: false,
    expect: { kind: 'drift' },
    plant: answers =>
      answers.map(answer => ({
        method: answer.method,
        url: answer.url,
        status: 200,
        headers: answer.headers,
        body: '',
      })),
  },
  {
    kind: 'changed selector',
    isRepairable: true,
    expect: { kind: 'drift', detail: /selector/ },
    plant: (answers, { page }) => (page === undefined ? null : replaced(answers, ...page.selector)),
  },
  {
    kind: 'renamed tag',
    isRepairable: true,
    expect: { kind: 'drift', detail: /selector/ },
    plant: (answers, { page }) => (page === undefined ? null : replaced(answers, ...page.tag)),
  },
]

function replaced(answers: readonly FixtureAnswer[], was: RegExp, is: string): FixtureAnswer[] {
  return answers.map(answer => ({ ...answer, body: bodyOf(answer).replaceAll(was, is) }))
}
