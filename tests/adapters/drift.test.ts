import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FixtureAnswer, type NamedFixture, readFixtures } from '../../companion/library/fixtures.ts'
import { draftOf } from '../../companion/repair/draft.ts'
import { fixtureBrowser } from '../../companion/repair/fixture-browser.ts'
import { rehearsalKernels, rehearseKnown, rehearseLive } from '../../companion/repair/rehearsal.ts'
import { type RepairParts, type RepairReport, repair } from '../../companion/repair/repair.ts'
import { leavesOf } from '../../companion/repair/spots.ts'
import { Tape } from '../../companion/repair/tape.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { type DriftSite, startDriftSite } from '../support/drift-site.ts'
import { type KernelRig, makeKernelRig, noBrowser } from '../support/kernel-rig.ts'
import { ADAPTERS } from '../support/shipped-adapters.ts'
import { DRIFTS, type Ground, type Planted } from './drifts.ts'

type Rec = Record<string, unknown>
const list = (json: unknown): Rec[] => json as Rec[]
const query = (json: unknown): Rec => (json as { query: Rec }).query

/** Five sites, MediaWiki and Node-RED, each by the answers of its fixtures. */
const GROUNDS: readonly Ground[] = [
  {
    operation: 'hackernews.top',
    list: { in: /topstories/, at: [] },
    rows: { in: /\/item\//, at: json => [json as Rec] },
    text: ['title'],
    newName: 'headline',
    number: ['score'],
  },
  {
    operation: 'wikipedia.search',
    list: { in: /./, at: ['query', 'search'] },
    rows: { in: /./, at: json => list(query(json).search) },
    text: ['title'],
    newName: 'displaytitle',
    number: ['wordcount'],
  },
  {
    operation: 'wikipedia.page',
    list: { in: /./, at: ['query', 'pages'] },
    rows: { in: /./, at: json => list(query(json).pages) },
    text: ['extract'],
    newName: 'plain_text',
    number: null,
  },
  {
    operation: 'npm.search',
    list: { in: /./, at: ['results'] },
    rows: { in: /./, at: json => list((json as Rec).results) },
    text: ['package', 'name'],
    newName: 'slug',
    number: null,
  },
  {
    operation: 'github.repo',
    list: null,
    rows: { in: /./, at: json => [json as Rec] },
    text: ['full_name'],
    newName: 'name_with_owner',
    number: ['stargazers_count'],
  },
  {
    operation: 'techcrunch.latest',
    list: null,
    rows: { in: /./, at: () => [] },
    text: [],
    newName: '',
    number: null,
  },
  {
    operation: 'mediawiki.search',
    list: { in: /./, at: ['query', 'search'] },
    rows: { in: /./, at: json => list(query(json).search) },
    text: ['title'],
    newName: 'page_title',
    number: ['wordcount'],
  },
  {
    operation: 'mediawiki.recent-changes',
    list: { in: /./, at: ['query', 'recentchanges'] },
    rows: { in: /./, at: json => list(query(json).recentchanges) },
    text: ['title'],
    newName: 'page_title',
    number: ['revid'],
  },
  {
    operation: 'mediawiki.page',
    strategy: 'ui',
    list: null,
    rows: { in: /./, at: () => [] },
    text: [],
    newName: '',
    number: null,
    page: {
      selector: [/firstHeading/g, 'pageHeading'],
      tag: [/class="mw-parser-output"/g, 'class="mw-rendered"'],
    },
  },
  {
    operation: 'node-red.flows',
    list: { in: /\/flows$/, at: ['flows'] },
    rows: { in: /\/flow\//, at: json => [json as Rec] },
    text: ['label'],
    newName: 'caption',
    number: null,
  },
  {
    operation: 'node-red.login-state',
    list: null,
    rows: { in: /./, at: json => [json as Rec] },
    text: ['version'],
    newName: 'release',
    number: null,
  },
]

let rig: KernelRig
let site: DriftSite
beforeAll(async () => {
  site = await startDriftSite()
  rig = await makeKernelRig({ http: () => site.http })
})
afterAll(async () => {
  await rig?.close()
  await site?.close()
})

interface Outcome {
  operation: string
  kind: string
  isRepairable: boolean
  isRight: boolean
  isMended: boolean
  isWrong: boolean
  report: RepairReport
}

it('classifies planted drifts, mends what can be mended, and never mends wrongly', async () => {
  const outcomes: Outcome[] = []
  for (const ground of GROUNDS)
    for (const planted of DRIFTS) {
      const outcome = await drill(ground, planted)
      if (outcome !== null) outcomes.push(outcome)
    }
  print(outcomes)
  const repairable = outcomes.filter(({ isRepairable }) => isRepairable)
  const failed = outcomes.filter(({ isRight }) => !isRight)
  expect(failed.map(({ operation, kind, report }) => [operation, kind, report.diagnosis])).toEqual([])
  expect(outcomes.filter(({ isWrong }) => isWrong).map(({ operation, kind }) => [operation, kind])).toEqual(
    [],
  )
  expect(repairable.filter(({ isMended }) => isMended).length / repairable.length).toBeGreaterThanOrEqual(0.8)
})

/** The site goes on: it tells other things than the fixture does, so that no value can be compared. */
it.each([
  ['renamed key', 'mended'],
  ['field nested deeper', 'mended'],
  ['rows nested deeper', 'mended'],
  ['answer wrapped', 'mended'],
  ['moved list', 'mended'],
  ['number became text', 'mended'],
  ['field gone', 'refused'],
  ['field gone, another that looks like it came', 'refused'],
])('mends "%s" by names and forms alone where the site tells other things: %s', async (kind, outcome) => {
  const planted = DRIFTS.find(drift => drift.kind === kind)
  const [ground] = GROUNDS
  if (planted === undefined || ground === undefined) throw new Error('there is no such drift')
  const all = readFixtures(ADAPTERS, 'hackernews', 'top')
  const [known, fresh] = ['other-stories', 'several-stories'].map(name =>
    all.find(({ file }) => file.includes(name)),
  )
  if (known === undefined || fresh === undefined) throw new Error('the fixtures are not there')
  const task = taskOf('hackernews', 'top')
  const report = await repair(partsFor([planted.plant(fresh.answers, ground) ?? []]), {
    ...task,
    fixtures: [known],
  })
  expect([report.outcome, report.reason, report.patch]).toMatchObject([
    outcome,
    ...(outcome === 'mended' ? [null, expect.any(String)] : [expect.any(String), null]),
  ])
})

const PAGED = `site: paged
name: rows
type: web-api
strategy: public
effect: read
base: https://paged.example
pipeline:
  - fetch:
      url: rows
      paginate: { by: cursor, param: after, items: rows, next: next }
  - map: { name: "\${{ item.name }}", size: "\${{ item.size }}" }
`

/** Two pages of three rows, with the names under which a page holds its rows and the way to the next. */
const pages = (rows: string, next: string): FixtureAnswer[] => {
  const row = (n: number) => ({ name: `Bridge number ${n} of the river`, size: n * 137 })
  const page = (url: string, numbers: number[], cursor: string | null): FixtureAnswer => {
    const json = { [rows]: numbers.map(row), ...(cursor !== null && { [next]: cursor }), took: '12 ms' }
    return { method: 'GET', url, status: 200, headers: { 'content-type': 'application/json' }, json }
  }
  const first = 'https://paged.example/rows'
  return [page(first, [1, 2, 3], 'c-7f31'), page(`${first}?after=c-7f31`, [4, 5, 6], null)]
}

it.each([
  ['the key of the cursor', pages('rows', 'continue_after'), 'next: continue_after'],
  ['the list of a page', pages('records', 'next'), 'items: records'],
  ['both', pages('records', 'next_token'), 'items: records, next: next_token'],
])('mends pagination where %s changed', async (_, served, mended) => {
  const place = { file: '/paged/rows.yaml', site: 'paged', command: 'rows' }
  const fixture: NamedFixture = {
    ...{ file: 'two-pages.json', title: 'two pages', kind: 'contract', after: 'this test', args: {} },
    answers: pages('rows', 'next'),
    expect: { rows_min: 6, columns: ['name', 'size'] },
  }
  const { signal, progress } = taskOf('hackernews', 'top')
  const report = await repair(partsFor([served]), {
    place,
    text: PAGED,
    fixtures: [fixture],
    signal,
    progress,
  })
  expect(report).toMatchObject({ outcome: 'mended', diagnosis: { detail: 'pagination changed' } })
  expect(report.text).toContain(mended)
})

function taskOf(name: string, command: string) {
  const file = join(ADAPTERS, name, `${command}.yaml`)
  const { signal } = new AbortController()
  return {
    place: { file, site: name, command },
    text: readFileSync(file, 'utf8'),
    signal,
    progress: () => undefined,
  }
}

async function drill(ground: Ground, planted: Planted): Promise<Outcome | null> {
  const [name = '', command = ''] = ground.operation.split('.')
  const fixtures = readFixtures(ADAPTERS, name, command)
    .filter(({ expect: { code } }) => code === undefined)
    .filter(({ strategy }) => (strategy === 'ui') === (ground.strategy === 'ui'))
    .toSorted((a, b) => leavesOf(b.answers).size - leavesOf(a.answers).size)
  const served = fixtures.map(({ answers }) => planted.plant(answers, ground))
  if (served.some(answers => answers === null || answers.some(({ json }) => json === null))) return null
  const parts = partsFor(served as FixtureAnswer[][])
  const task = taskOf(name, command)
  const { place, text } = task
  const report = await repair(parts, { ...task, fixtures })
  const isMended = report.outcome === 'mended'
  const { kind, detail } = planted.expect
  return {
    operation: ground.operation,
    kind: planted.kind,
    isRepairable: planted.isRepairable,
    isRight:
      report.diagnosis.kind === kind && (detail === undefined || detail.test(report.diagnosis.detail ?? '')),
    isMended,
    isWrong: isMended && !(await givesKnownRows(parts, place, report, fixtures, text)),
    report,
  }
}

/** First come, first served: fixtures that ask the same address were recorded at different times. */
function partsFor(served: readonly FixtureAnswer[][]): RepairParts {
  const all = served.toReversed().flat()
  site.serve(all)
  return {
    steps: STEPS,
    kernelOf: rehearsalKernels(rig.parts),
    http: site.http,
    browser: { ...noBrowser, ...fixtureBrowser(served.flat()) },
  }
}

/** A planted drift takes nothing away: a right repair gives the very rows that were known. */
async function givesKnownRows(
  parts: RepairParts,
  place: { file: string; site: string; command: string },
  report: RepairReport,
  fixtures: readonly NamedFixture[],
  before: string,
): Promise<boolean> {
  const [fixture] = fixtures
  if (fixture === undefined || report.strategy === null) return false
  const { signal } = new AbortController()
  const cue = { args: fixture.args, strategy: report.strategy, signal }
  const known = await rehearseKnown(
    parts,
    { ...cue, operation: draftOf(before, place, STEPS).operation },
    fixture,
  )
  const mended = draftOf(report.text ?? '', place, STEPS)
  const live = await rehearseLive(parts, { ...cue, operation: mended.operation }, new Tape())
  return JSON.stringify(live.rows) === JSON.stringify(known.rows)
}

function print(outcomes: readonly Outcome[]): void {
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))]
  const lines = kinds.map(kind => {
    const of = outcomes.filter(outcome => outcome.kind === kind)
    const count = (test: (outcome: Outcome) => boolean): number => of.filter(test).length
    const mended =
      count(({ isRepairable }) => isRepairable) === 0
        ? '–'
        : `${count(({ isMended }) => isMended)}/${of.length}`
    return `${kind.padEnd(46)} ${String(of.length).padStart(2)}  right ${count(({ isRight }) => isRight)}/${of.length}  mended ${mended}  wrong ${count(({ isWrong }) => isWrong)}`
  })
  console.log(lines.join('\n'))
  for (const { operation, kind, isRepairable, isMended, isRight, isWrong, report } of outcomes)
    if (!isRight || isWrong || isRepairable !== isMended)
      console.log(
        `${operation} · ${kind}: ${JSON.stringify(report.diagnosis)} ${report.outcome} ${report.reason} ${report.patch ?? ''}`,
      )
}
