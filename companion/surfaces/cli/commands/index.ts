import type { CliCommand } from '../command.ts'
import type { LeafSpec } from '../leaf.ts'
import { withOutputOptions } from '../run-flags.ts'
import {
  adapterDiff,
  adapterEject,
  adapterLint,
  adapterList,
  adapterMigrate,
  adapterNew,
  adapterReset,
} from './adapter.ts'
import { approvalsAllow, approvalsDeny, approvalsList, approvalsRevoke } from './approvals.ts'
import { completion } from './completion.ts'
import { configGet, configList, configPath, configSet, configUnset } from './config.ts'
import { deliver } from './deliver.ts'
import { doctor } from './doctor.ts'
import { grantsAllow, grantsDeny, grantsForget, grantsList } from './grants.ts'
import { LOCAL_COMMANDS } from './local.ts'
import { describe, list, propose, search } from './operations.ts'
import { policyCheck, policyPath, policyShow, policyTest } from './policy.ts'
import { repair } from './repair.ts'
import { runsEvidence, runsExport, runsReplay } from './run-records.ts'
import { runsList, runsShow } from './runs.ts'
import { steps } from './steps.ts'

const OWN: readonly CliCommand[] = [
  list,
  search,
  propose,
  describe,
  steps,
  adapterList,
  adapterLint,
  adapterNew,
  adapterEject,
  adapterDiff,
  adapterReset,
  adapterMigrate,
  doctor,
  repair,
  deliver,
  runsList,
  runsShow,
  runsReplay,
  runsExport,
  runsEvidence,
  approvalsList,
  approvalsAllow,
  approvalsDeny,
  approvalsRevoke,
  grantsList,
  grantsAllow,
  grantsDeny,
  grantsForget,
  policyShow,
  policyCheck,
  policyTest,
  policyPath,
  configList,
  configGet,
  configSet,
  configUnset,
  configPath,
  completion,
]

/** Commands that the companion answers. */
export const COMMANDS = OWN.map(withOutputOptions)

export const ALL_COMMANDS: readonly LeafSpec[] = [...COMMANDS, ...LOCAL_COMMANDS]

/** First words of commands, each once. */
export const COMMAND_WORDS: readonly string[] = [
  ...new Set([...ALL_COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''), 'help']),
]

export interface FoundCommand<C> {
  command: C
  /** How many words named it. */
  words: 1 | 2
}

export const findCommand = <C extends LeafSpec>(
  commands: readonly C[],
  first: string,
  second: string | null,
): FoundCommand<C> | null => {
  const two = commands.find(({ name }) => name === `${first} ${second}`)
  if (two) return { command: two, words: 2 }
  const one = commands.find(({ name }) => name === first)
  return one ? { command: one, words: 1 } : null
}

/** `runs` alone is `runs list`; null for a word that is no such group. */
export const defaultOf = (first: string): CliCommand | null =>
  COMMANDS.find(({ name }) => name === `${first} list`) ?? null

/** Second words of a group such as `config`. */
export const subcommandsOf = (first: string): string[] =>
  ALL_COMMANDS.flatMap(({ name }) => {
    const [group, word] = name.split(' ')
    return group === first && word !== undefined ? [word] : []
  })
