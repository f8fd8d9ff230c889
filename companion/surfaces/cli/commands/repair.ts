import { Failure } from '../../../../shared/failures.ts'
import type { Answer } from '../answer.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { sitesOf } from './operations.ts'

/** Runs one of unicli's own operations for a command of its name; its failure is the command's. */
export async function ownOperation(
  { parts: { kernel }, signal }: CommandCall,
  operation: string,
  args: Record<string, unknown>,
): Promise<unknown> {
  const envelope = await kernel.run({ operation, args, options: {}, surface: 'cli', signal })
  if (envelope.ok) return envelope.data
  throw Failure.fromJSON({ code: envelope.error.code, params: envelope.error.details })
}

export const repair: CliCommand = {
  name: 'repair',
  doc: 'Find out why a command no longer works, and mend its adapter.',
  operands: [
    { name: 'site', doc: 'the site', required: true, complete: sitesOf },
    { name: 'command', doc: 'its command', required: true },
  ],
  options: [
    { flags: '--apply', doc: "write the verified patch as one's own copy of the adapter" },
    { flags: '--rollback', doc: 'take the last repair back' },
  ],
  examples: [
    'unicli repair hackernews top',
    'unicli repair hackernews top --apply',
    'unicli repair hackernews top --rollback',
  ],
  notes: [
    'The command is run again with the arguments of its known good runs (fixtures beside the adapter).',
    'A patch is proposed only when it gives the known rows, for every one of them. Logins, captchas and limits are told, never patched.',
  ],
  async run(call) {
    const [site = '', command = ''] = call.parsed.operands
    const isApply = call.parsed.bare('--apply') === true
    const isRollback = call.parsed.bare('--rollback') === true
    if (isApply && isRollback)
      throw new Failure('usage', {
        problem: '--apply and --rollback exclude each other.',
        hint: 'Give one of them.',
      })
    const name = isRollback ? 'rollback-repair' : isApply ? 'apply-repair' : 'repair'
    return answerOf(await ownOperation(call, `unicli.${name}`, { site, command }))
  },
}

interface Told {
  operation: string
  outcome?: string
  applied?: boolean
  changes?: readonly string[]
  verified?: { compared: number; held_out: number }
  patch?: string | null
  file?: string
  restored?: string
}

function answerOf(data: unknown): Answer {
  const told = data as Told
  if (told.restored !== undefined)
    return {
      data,
      text: `Taken back: ${told.restored === 'none' ? 'the packaged adapter counts again' : `${told.file} is as before`}.\n`,
    }
  if (told.outcome === 'healthy')
    return { data, text: `${told.operation} answers as it did: nothing to mend.\n` }
  const runs = (told.verified?.compared ?? 0) + (told.verified?.held_out ?? 0)
  const lines = [
    ...(told.changes ?? []).map(change => `  ${change}`),
    '',
    (told.patch ?? '').trimEnd(),
    '',
    `Verified against ${runs} known ${runs === 1 ? 'run' : 'runs'}.`,
    told.applied === true ? `Written to ${told.file}.` : 'Nothing is written; --apply does it.',
  ]
  return { data, text: `${told.operation} can be mended:\n${lines.join('\n')}\n` }
}
