import { Failure } from '../../../../shared/failures.ts'
import { harOf } from '../../../kernel/har.ts'
import { recordOf, replay } from '../../../kernel/replay.ts'
import type { RunRecord } from '../../../ports/state.ts'
import type { CliCommand } from '../command.ts'
import { RUN_FILTERS, RUN_ID, runFilters } from './runs.ts'

export const runsReplay: CliCommand = {
  name: 'runs replay',
  doc: 'Run it once more with the same arguments, and tell what is different.',
  operands: [RUN_ID],
  options: [{ flags: '--yes', doc: 'also when it changes something; the policy is asked all the same' }],
  examples: ['unicli runs replay 5f0c9d1e2a3b4c5d'],
  async run({ parts, parsed, signal }) {
    const data = await replay({
      ...parts,
      runId: parsed.operands[0] ?? '',
      yes: parsed.bare('--yes') ?? false,
      surface: 'cli',
      signal,
    })
    return { data }
  },
}

const KINDS = ['json', 'ndjson', 'har'] as const

export const runsExport: CliCommand = {
  name: 'runs export',
  doc: 'Write runs with all that is kept of them as JSON, one JSON a line, or HTTP Archive.',
  operands: [{ ...RUN_ID, doc: `${RUN_ID.doc}; without it, the latest that fit`, required: false }],
  options: [
    { flags: '--as <kind>', doc: 'how it is written', choices: KINDS, default: 'json' },
    ...RUN_FILTERS,
  ],
  examples: [
    'unicli runs export --as ndjson --since 7d > runs.ndjson',
    'unicli runs export 5f0c9d1e2a3b4c5d --as har > run.har',
  ],
  run({ parts: { ledger, version }, parsed }) {
    const [id] = parsed.operands
    const runs =
      id === undefined
        ? ledger.list(runFilters(parsed)).flatMap(({ run_id }) => ledger.get(run_id) ?? [])
        : [recordOf(ledger, id)]
    const as = KINDS.find(kind => kind === parsed.text('--as')) ?? 'json'
    return { data: runs, text: written(runs, as, version), raw: true }
  },
}

function written(runs: readonly RunRecord[], as: (typeof KINDS)[number], version: string): string {
  if (as === 'ndjson') return runs.map(run => `${JSON.stringify(run)}\n`).join('')
  return `${JSON.stringify(as === 'har' ? harOf(runs, version) : runs, null, 2)}\n`
}

export const runsEvidence: CliCommand = {
  name: 'runs evidence',
  doc: 'Give what a run left behind: text as it is, anything else as base64.',
  operands: [{ name: 'id', doc: 'from the evidence of an answer or of "unicli runs show"', required: true }],
  options: [],
  examples: [
    'unicli runs evidence 7208794c984ea1c75d13877c7427336fe98722c41a056eeee4f37360ec367123',
    'unicli runs evidence 7208794c984ea1c75d13877c7427336fe98722c41a056eeee4f37360ec367123 --pluck base64 | base64 -d > shot.png',
  ],
  run({ parts: { evidence }, parsed }) {
    const id = parsed.operands[0] ?? ''
    const found = evidence.get(id)
    if (found === null)
      throw new Failure('not_found', {
        what: `The evidence "${id}"`,
        hint: 'Evidence is kept for a while only: run it again.',
      })
    const { media_type } = found
    const content = Buffer.from(found.content)
    const facts = { id, media_type, bytes: content.byteLength }
    if (!/^text\/|json|xml/.test(media_type))
      return { data: { ...facts, base64: content.toString('base64') } }
    return { data: facts, text: content.toString('utf8'), raw: true }
  },
}
