import { RunBrief } from '../../../../shared/status.ts'
import { recordOf } from '../../../kernel/replay.ts'
import { runsQueryOf } from '../../../kernel/runs-query.ts'
import type { RunRecord, RunsQuery } from '../../../ports/state.ts'
import { choice } from '../choice.ts'
import type { CliCommand } from '../command.ts'
import type { OperandSpec, OptionSpec, Parsed } from '../leaf.ts'
import { toTable } from '../output/table.ts'
import { printable } from '../output/text.ts'
import type { Stream } from '../terminal.ts'
import { countOf, sitesOf } from './operations.ts'

const DEFAULT_RUNS = 20

export const RUN_FILTERS: readonly OptionSpec[] = [
  { flags: '--limit <number>', doc: 'at most so many', default: DEFAULT_RUNS },
  { flags: '--operation <id>', doc: 'only runs of site.command' },
  { flags: '--site <name>', doc: 'only runs of this site', complete: sitesOf },
  { flags: '--state <state>', doc: 'only runs in this state', choices: RunBrief.shape.state.options },
  { flags: '--since <time>', doc: 'only runs begun since: 30m, 12h, 7d, or a date such as 2026-01-31' },
]

/** Fails with usage. */
export const runFilters = (parsed: Parsed): RunsQuery =>
  runsQueryOf({
    limit: countOf(parsed.text('--limit'), DEFAULT_RUNS),
    operation: parsed.text('--operation'),
    site: parsed.text('--site'),
    state: stateOf(parsed.text('--state')),
    since: parsed.text('--since'),
  })

const stateOf = (given: string | undefined) =>
  given === undefined ? undefined : choice(given, RunBrief.shape.state.options, '--state')

export const RUN_ID: OperandSpec = {
  name: 'run',
  doc: 'its id, from "unicli runs list"',
  required: true,
  complete: ({ ledger }) => ledger.list({ limit: DEFAULT_RUNS }).map(run => run.run_id),
}

export const runsList: CliCommand = {
  name: 'runs list',
  doc: 'List what ran lately, newest first.',
  operands: [],
  options: RUN_FILTERS,
  examples: ['unicli runs list', 'unicli runs list --site mediawiki --state failed --since 24h'],
  run({ parts: { ledger }, parsed }) {
    return {
      data: ledger
        .list(runFilters(parsed))
        .map(run => ({ ...run, started: new Date(run.started_at).toISOString() })),
      columns: ['run_id', 'operation', 'state', 'code', 'started', 'duration_ms', 'profile'],
    }
  },
}

export const runsShow: CliCommand = {
  name: 'runs show',
  doc: 'Show one run with its steps, requests and evidence.',
  operands: [RUN_ID],
  options: [],
  examples: ['unicli runs show 5f0c9d1e2a3b4c5d'],
  run({ parts: { ledger }, parsed, out }) {
    const run = recordOf(ledger, parsed.operands[0] ?? '')
    return { data: run, text: textOf(run, out) }
  },
}

function textOf(run: RunRecord, out: Stream): string {
  const { paint } = out
  const took = run.duration_ms === null ? '' : ` in ${run.duration_ms} ms`
  const facts = [
    `  started  ${new Date(run.started_at).toISOString()} by ${run.surface}`,
    `  args     ${JSON.stringify(run.args)}`,
    ...(run.profile === null ? [] : [`  profile  ${run.profile}`]),
    ...(run.shape?.count == null ? [] : [`  rows     ${run.shape.count}`]),
    ...(run.error === null
      ? []
      : [`  error    ${run.error.message} [${run.error.code}]`, `  do       ${run.error.suggestion}`]),
    ...run.evidence.map(({ kind, id }) => `  evidence ${kind} ${id}`),
  ].map(printable)
  const head = [`${paint.bold(run.operation)} ${run.state}${took} [${run.run_id}]`, ...facts].join('\n')
  return `${[head, ...tablesOf(run, out)].join('\n\n').trimEnd()}\n`
}

function tablesOf({ steps, requests }: RunRecord, { width, paint }: Stream): string[] {
  const tables = [
    {
      columns: ['path', 'step', 'ms', 'code'],
      rows: steps.map(step => [step.path, step.step, step.duration_ms, step.code ?? 'ok']),
    },
    {
      columns: ['method', 'status', 'ms', 'bytes', 'url'],
      rows: requests.map(({ method, status, code, duration_ms, response_bytes, url }) => [
        ...[method, status ?? code, duration_ms, response_bytes, url],
      ]),
    },
  ]
  return tables.flatMap(table => (table.rows.length === 0 ? [] : [toTable(table, width, paint).text]))
}
