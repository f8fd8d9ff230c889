import { Failure } from '../../../../shared/failures.ts'
import { LASTINGS, type Lasting } from '../../../../shared/policy.ts'
import { choice } from '../choice.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import type { OperandSpec } from '../leaf.ts'

const APPROVAL: OperandSpec = {
  name: 'approval',
  doc: 'its id, from "unicli approvals list"',
  required: true,
  complete: ({ kernel }) => kernel.approvals().map(each => each.id),
}

export const approvalsList: CliCommand = {
  name: 'approvals list',
  doc: 'List what waits for a person to allow it, and what a person has allowed for longer.',
  operands: [],
  options: [],
  examples: ['unicli approvals list'],
  run: ({ parts: { kernel, governor } }) => ({
    data: [
      ...kernel
        .approvals()
        .map(each => ({ ...each, state: 'waiting', seconds_left: secondsTo(each.expires_at) })),
      ...governor.grants().map(({ id, operation, covers, lasts, granted_at, expires_at }) => ({
        ...{ id, operation, state: lasts, text: covers, covers, granted_at, expires_at },
        seconds_left: secondsTo(expires_at),
      })),
    ],
    columns: ['id', 'state', 'operation', 'text', 'seconds_left'],
  }),
}

const secondsTo = (at: number): number => Math.max(0, Math.round((at - Date.now()) / 1000))

export const approvalsAllow: CliCommand = {
  name: 'approvals allow',
  doc: 'Allow what waits. Only a person can: it wants a terminal.',
  operands: [APPROVAL],
  options: [
    {
      flags: '--lasts <time>',
      doc: 'once; for the session, 8 hours at most; or always, which is 90 days or until it is revoked',
      choices: LASTINGS,
      default: 'once',
    },
    { flags: '--reply <text>', doc: 'the answer, where a question waits instead of something to allow' },
  ],
  examples: [
    'unicli approvals allow 1f2e3d4c',
    'unicli approvals allow 1f2e3d4c --lasts always',
    'unicli approvals allow 1f2e3d4c --reply work',
  ],
  run(call) {
    const { parts, parsed, interactive } = call
    const [id = ''] = parsed.operands
    const waits = parts.kernel.approvals().some(each => each.id === id)
    // Who speaks for the person without a terminal may be the program that asked.
    if (waits && !interactive && parts.config.get('approvals.over_http') !== true)
      throw new Failure('person_required', { id, how: 'a command without a terminal' })
    return answer(
      call,
      true,
      choice(parsed.text('--lasts') ?? 'once', LASTINGS, '--lasts'),
      parsed.text('--reply'),
    )
  },
}

export const approvalsDeny: CliCommand = {
  name: 'approvals deny',
  doc: 'Refuse what waits.',
  operands: [APPROVAL],
  options: [],
  examples: ['unicli approvals deny 1f2e3d4c'],
  run: call => answer(call, false, 'once'),
}

export const approvalsRevoke: CliCommand = {
  name: 'approvals revoke',
  doc: 'End an allowance that was given for the session or for always.',
  operands: [
    {
      name: 'allowance',
      doc: 'its id, from "unicli approvals list"',
      required: false,
      complete: ({ governor }) => governor.grants().map(each => each.id),
    },
  ],
  options: [{ flags: '--all', doc: 'end every one' }],
  examples: ['unicli approvals revoke 5d6e7f80', 'unicli approvals revoke --all'],
  run({ parts: { governor }, parsed }) {
    const [id] = parsed.operands
    const all = parsed.bare('--all') ?? false
    if ((id === undefined) !== all)
      throw new Failure('usage', {
        problem: 'Name one allowance by its id, or give --all.',
        hint: '"unicli approvals list" shows them.',
      })
    const revoked = governor.revoke(id)
    if (id !== undefined && revoked === 0)
      throw new Failure('not_found', {
        what: `An allowance "${id}"`,
        hint: 'It may have been revoked or have expired: see "unicli approvals list".',
      })
    return { data: { revoked }, text: `Revoked: ${revoked}\n` }
  },
}

function answer({ parts: { kernel }, parsed }: CommandCall, allow: boolean, lasts: Lasting, reply?: string) {
  const id = parsed.operands[0] ?? ''
  if (!kernel.answer(id, allow, lasts, reply))
    throw new Failure('not_found', {
      what: `An open question "${id}"`,
      hint: 'It may have been answered or have expired: see "unicli approvals list".',
    })
  return { data: { id, allowed: allow, lasts }, text: `${allow ? 'Allowed' : 'Refused'}: ${id}\n` }
}
