import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import pc from 'picocolors'
import { written } from '../companion/kernel/written.ts'
import { FixtureAnswers } from '../companion/library/fixture-answers.ts'
import { Fixture, readFixtures } from '../companion/library/fixtures.ts'
import { FORMATS, type Format, present } from '../companion/surfaces/cli/output/present.ts'
import type { Envelope } from '../shared/envelope.ts'
import { makeKernelRig } from '../tests/support/kernel-rig.ts'
import { ADAPTERS } from '../tests/support/shipped-adapters.ts'
import { p50 } from './sampling.ts'

export const title =
  'Tokens (o200k) of a list of five, call and answer together, over the shipped list commands'

/** Where stdout goes when an agent runs it: no terminal. */
const PIPE = { tty: false, redraws: false, paint: pc.createColors(false), width: null }
const ROWS = 5

/** `cli` and `mcp` are what an agent gets when it says nothing of the form; the rest has to be asked for. */
const WAYS = ['cli', 'mcp', 'http', ...FORMATS] as const
type Way = (typeof WAYS)[number]

interface List {
  operation: string
  args: Record<string, unknown>
  /** As a model gets it. */
  brief: Envelope
  whole: Envelope
}

export async function measure() {
  const lists = await answeredLists()
  const rows = lists.map(list => ({
    what: list.operation,
    rows: list.brief.meta.count ?? 0,
    ...tokensOf(list),
  }))
  const medians = Object.fromEntries(
    WAYS.map(way => [way, p50(rows.map(row => (row as Record<string, unknown>)[way] as number))]),
  )
  return [...rows, { what: 'median', rows: ROWS, ...medians }]
}

/** What an agent writes and reads: the command line and stdout, or the JSON of an HTTP or MCP call both ways. */
function tokensOf({ operation, args, brief, whole }: List): Record<Way, number> {
  const words = Object.entries(args).map(([name, value]) =>
    name === 'limit' ? `--limit ${value}` : JSON.stringify(value),
  )
  const typed = `unicli ${operation.replace('.', ' ')} ${words.join(' ')}`
  const printed = (envelope: Envelope, format: Format) => present(envelope, { format, out: PIPE }).out
  const count = (...texts: string[]) => encode(texts.join('\n')).length
  const formats = FORMATS.map(format => [format, count(`${typed} -f ${format}`, printed(whole, format))])
  return {
    cli: count(typed, printed(brief, 'json')),
    mcp: count(
      JSON.stringify({ name: 'run', arguments: { operation, args } }),
      JSON.stringify(written(brief)),
    ),
    http: count(
      `POST /v1/operations/${operation.replace('.', '/')}`,
      JSON.stringify({ args }),
      JSON.stringify(written(whole)),
    ),
    ...(Object.fromEntries(formats) as Record<Format, number>),
  }
}

/**
 * The shipped commands that take a limit, on five rows: from their fixtures where those are recorded, else from
 * answers of bench/answers, whose texts are as long as the sites' own.
 */
async function answeredLists(): Promise<List[]> {
  let site = new FixtureAnswers([])
  const rig = await makeKernelRig({ http: () => ({ open: () => site }) })
  try {
    const lists: List[] = []
    for (const [operation, fixture] of fixtures()) {
      const { args, strategy = 'public' } = fixture
      const ask = (brief: boolean) => {
        site = new FixtureAnswers(fixture.answers)
        return rig.run(operation, args, { strategy, brief })
      }
      const [brief, whole] = [await ask(true), await ask(false)]
      if (!brief.ok) throw new Error(`${operation}: ${brief.error.message}`)
      lists.push({ operation, args, brief, whole })
    }
    return lists
  } finally {
    await rig.close()
  }
}

function fixtures(): [operation: string, fixture: Fixture][] {
  const folder = join(import.meta.dirname, '../../bench/answers')
  const written = readdirSync(folder).map((name): [string, Fixture] => [
    name.replace(/\.json$/, ''),
    Fixture.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
  ])
  const recorded = readFixtures(ADAPTERS, 'mediawiki', 'recent-changes').find(
    ({ args }) => args.limit === ROWS,
  )
  return [
    ...written,
    ...(recorded === undefined ? [] : [['mediawiki.recent-changes', recorded] as [string, Fixture]]),
  ]
}
