import { Failure } from '../../../../shared/failures.ts'
import { RunBrief } from '../../../../shared/status.ts'
import type { RunRecord } from '../../../ports/state.ts'
import type { CliCommand } from '../command.ts'
import { toTable } from '../output/table.ts'
import { printable } from '../output/text.ts'
import type { Stream } from '../terminal.ts'
import { countOf } from './operations.ts'

const DEFAULT_RUNS = 20
const State = RunBrief.shape.state

export const runsList: CliCommand = {
  name: 'runs list',
  doc: 'List what ran lately, newest first.',
  operands: [],
  options: [
    { flags: '--limit <number>', doc: 'at most so many', default: DEFAULT_RUNS },
    { flags: '--operation <id>', doc: 'only runs of site.command' },
    { flags: '--state <state>', doc: 'only runs in this state', choices: State.options },
  ],
  examples: ['unicli runs list', 'unicli runs list --state failed --limit 5'],
  run({ parts: { ledger }, parsed }) {
    const runs = ledger.list({
      limit: countOf(parsed.text('--limit'), DEFAULT_RUNS),
      operation: parsed.text('--operation'),
      state: State.optional().parse(parsed.text('--state')),
    })
    return {
      data: runs.map(run => ({ ...run, started: new Date(run.started_at).toISOString() })),
      columns: ['run_id', 'operation', 'state', 'code', 'started', 'duration_ms', 'profile'],
    }
  },
}

export const runsShow: CliCommand = {
  name: 'runs show',
  doc: 'Show one run with its steps.',
  operands: [
    {
      name: 'run',
      doc: 'its id, from "unicli runs list"',
      required: true,
      complete: ({ ledger }) => ledger.list({ limit: DEFAULT_RUNS }).map(run => run.run_id),
    },
  ],
  options: [],
  examples: ['unicli runs show 5f0c9d1e2a3b4c5d'],
  run({ parts: { ledger }, parsed, out }) {
    const id = parsed.operands[0] ?? ''
    const run = ledger.get(id)
    if (run === null)
      throw new Failure('not_found', {
        what: `The run "${id}"`,
        hint: 'Run "unicli runs list" for their ids.',
      })
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
    ...(run.error === null
      ? []
      : [`  error    ${run.error.message} [${run.error.code}]`, `  do       ${run.error.suggestion}`]),
  ].map(printable)
  const head = [`${paint.bold(run.operation)} ${run.state}${took} [${run.run_id}]`, ...facts].join('\n')
  if (run.steps.length === 0) return `${head}\n`
  const rows = run.steps.map(step => [step.path, step.step, step.duration_ms, step.code ?? 'ok'])
  return `${head}\n\n${toTable({ columns: ['path', 'step', 'ms', 'code'], rows }, out.width, paint).text}`
}
