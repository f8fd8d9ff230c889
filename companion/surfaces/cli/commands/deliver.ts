import { absolutePaths } from '../../../library/adapter-folders.ts'
import { readGoalFile } from '../../../library/goal-file.ts'
import type { CliCommand } from '../command.ts'
import { ownOperation } from './repair.ts'

export const deliver: CliCommand = {
  name: 'deliver',
  doc: 'Work on the goal in a file until its checks hold, or say what is in the way.',
  operands: [{ name: 'goal', doc: 'YAML file with goal, checks and attempts', required: true }],
  options: [{ flags: '--restart', doc: 'forget what earlier calls have tried for it' }],
  examples: ['unicli deliver goal.yaml', 'unicli deliver goal.yaml --restart'],
  notes: [
    'Exit codes: 0 reached, 75 call again to go on, 77 a person has to do something, 69 nothing is left to try.',
    'A write whose outcome is unknown is never repeated: the checks alone tell what came of it.',
  ],
  async run(call) {
    const [file = ''] = absolutePaths([call.parsed.operands[0] ?? ''], call.cwd)
    const restart = call.parsed.bare('--restart') === true
    return { data: await ownOperation(call, 'unicli.deliver', { ...readGoalFile(file), restart }) }
  },
}
