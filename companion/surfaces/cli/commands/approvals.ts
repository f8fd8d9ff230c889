import { Failure } from '../../../../shared/failures.ts'
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
  doc: 'List what waits for a person to allow it.',
  operands: [],
  options: [],
  examples: ['unicli approvals list'],
  run: ({ parts: { kernel } }) => ({
    data: kernel.approvals().map(each => ({
      ...each,
      seconds_left: Math.max(0, Math.round((each.expires_at - Date.now()) / 1000)),
    })),
    columns: ['id', 'operation', 'effect', 'text', 'seconds_left'],
  }),
}

export const approvalsAllow: CliCommand = {
  name: 'approvals allow',
  doc: 'Allow what waits.',
  operands: [APPROVAL],
  options: [],
  examples: ['unicli approvals allow 1f2e3d4c'],
  run: call => answer(call, true),
}

export const approvalsDeny: CliCommand = {
  name: 'approvals deny',
  doc: 'Refuse what waits.',
  operands: [APPROVAL],
  options: [],
  examples: ['unicli approvals deny 1f2e3d4c'],
  run: call => answer(call, false),
}

function answer({ parts: { kernel }, parsed }: CommandCall, allow: boolean) {
  const id = parsed.operands[0] ?? ''
  if (!kernel.answer(id, allow))
    throw new Failure('not_found', {
      what: `An open question "${id}"`,
      hint: 'It may have been answered or have expired: see "unicli approvals list".',
    })
  return { data: { id, allowed: allow }, text: `${allow ? 'Allowed' : 'Refused'}: ${id}\n` }
}
