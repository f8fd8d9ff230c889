import { Failure } from '../../../../shared/failures.ts'
import { PROFILE_DOCS, PROFILES } from '../../../../shared/policy.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Explanation } from '../../../kernel/policy/governor.ts'
import type { Access } from '../../../ports/access.ts'
import type { PolicyRule } from '../../../ports/policy.ts'
import { argumentValues } from '../argument-values.ts'
import { choice } from '../choice.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import type { LeafSpec, OptionSpec } from '../leaf.ts'
import { givenFlags, type OperationLeaf, operationLeaf } from '../operation-leaf.ts'
import type { CliParts } from '../parts.ts'

export const policyShow: CliCommand = {
  name: 'policy show',
  doc: 'Show the profile and the rules in force.',
  operands: [],
  options: [],
  examples: ['unicli policy show'],
  run({ parts: { governor } }) {
    const { otherwise, rules } = governor.policy()
    const profile = governor.profile()
    const data = { profile, asks: PROFILE_DOCS[profile], otherwise, path: governor.policyPath(), rules }
    const lines = rules.map(rule => `  ${rule.decision.padEnd(5)} ${conditionsOf(rule)}`)
    const head = [`profile ${profile}: ${data.asks}`, `otherwise ${otherwise}`, `rules of ${data.path}:`]
    return { data, text: `${[...head, ...(lines.length > 0 ? lines : ['  none'])].join('\n')}\n` }
  },
}

/** The rule in one line, as it is written. */
function conditionsOf({ decision: _, reason, id, line, ...conditions }: PolicyRule): string {
  const parts = Object.entries(conditions).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
  const name = id ?? `line ${line}`
  return `${parts.length === 0 ? 'everything' : parts.join(', ')} (${name})${reason === undefined ? '' : `: ${reason}`}`
}

export const policyCheck: CliCommand = {
  name: 'policy check',
  doc: 'Check the file with the rules.',
  operands: [],
  options: [],
  examples: ['unicli policy check'],
  run({ parts: { governor } }) {
    const { rules } = governor.policy()
    const path = governor.policyPath()
    return {
      data: { path, ok: true, rules: rules.length },
      text: `${path}: ${rules.length} rules, all right\n`,
    }
  },
}

export const policyPath: CliCommand = {
  name: 'policy path',
  doc: 'Print where the file with the rules lies.',
  operands: [],
  options: [],
  examples: ['unicli policy path'],
  run({ parts: { governor } }) {
    const path = governor.policyPath()
    return { data: { path }, text: `${path}\n` }
  },
}

const OPERATION = { name: 'operation', doc: 'site.command', required: true } as const

const TEST_OPTIONS: readonly OptionSpec[] = [
  { flags: '--policy-profile <name>', doc: 'as if this were policy.profile', choices: PROFILES },
  { flags: '--access-url <url>', doc: 'judge reaching this address in such a run' },
  { flags: '--access-read <path>', doc: 'judge reading this file in such a run' },
  { flags: '--access-write <path>', doc: 'judge writing this file in such a run' },
  { flags: '--access-run <program>', doc: 'judge running this; repeated for each argument', repeats: true },
  { flags: '--args <json>', doc: 'all arguments as one JSON object' },
]

const BASE: LeafSpec = {
  name: 'policy test',
  doc: 'Explain what the policy says to a call or to an access of its run. Nothing is done, nobody is asked.',
  operands: [OPERATION],
  options: TEST_OPTIONS,
  examples: [
    'unicli policy test mediawiki.edit "Main Page" Hello',
    'unicli policy test browser.navigate --access-url https://bank.example/',
    'unicli policy test media.convert --access-run ffmpeg --access-run ~/.ssh/id_rsa',
  ],
}

export const policyTest: CliCommand = {
  ...BASE,
  /** With the arguments of the operation that is named first. */
  shape(parts, argv) {
    const [first = '-'] = argv
    if (first.startsWith('-')) return BASE
    const leaf = leafOf(parts, first)
    const own = leaf.options.filter(option => option.isArgument)
    return {
      ...BASE,
      // What is missing is no fault here: a rule may not even ask for it.
      operands: [OPERATION, ...leaf.operands.map(operand => ({ ...operand, required: false }))],
      options: [...own, ...TEST_OPTIONS],
    }
  },
  async run(call) {
    const { parts, parsed } = call
    const leaf = leafOf(parts, parsed.operands[0] ?? '')
    const { operation } = leaf
    const profile = parsed.text('--policy-profile')
    const explanation = await parts.governor.explain(
      { operation, args: await argsOf(call, leaf), surface: 'cli', access: accessOf(call) },
      profile === undefined ? {} : { profile: choice(profile, PROFILES, '--policy-profile') },
    )
    return {
      data: {
        operation: operation.id,
        effect: operation.effect,
        risk: operation.risk ?? 'none',
        ...explanation,
      },
      text: textOf(operation, explanation),
    }
  },
}

function leafOf({ kernel: { catalogue } }: CliParts, name: string): OperationLeaf {
  const operation = catalogue.get(name)
  if (operation === null) throw new Failure('unknown_operation', { name, nearest: catalogue.nearest(name) })
  return operationLeaf(operation)
}

async function argsOf({ parsed }: CommandCall, { operation, specs }: OperationLeaf) {
  const given = await argumentValues({
    operation: operation.id,
    specs,
    flags: givenFlags(specs, parsed),
    operands: parsed.operands.slice(1),
    json: parsed.text('--args') ?? null,
    // A value of - is judged as it stands.
    readStdin: async () => '-',
  })
  const whole = operation.args.safeParse(given)
  return whole.success ? whole.data : given
}

function accessOf({ parsed }: CommandCall): Access | null {
  const url = parsed.text('--access-url')
  if (url !== undefined) {
    if (URL.canParse(url)) return { kind: 'network', url, method: 'GET' }
    throw new Failure('usage', {
      problem: `--access-url takes an address, not "${url}".`,
      hint: 'For example: --access-url https://bank.example/',
    })
  }
  const read = parsed.text('--access-read')
  if (read !== undefined) return { kind: 'read_file', path: read }
  const write = parsed.text('--access-write')
  if (write !== undefined) return { kind: 'write_file', path: write }
  const argv = parsed.texts('--access-run')
  return argv.length === 0 ? null : { kind: 'execute', argv }
}

const WORDS = {
  allow: 'It would go on',
  ask: 'A person would be asked',
  deny: 'It would be refused',
} as const

function textOf(
  { id }: Operation,
  { decision, by, rule, reason, question, covers, grant }: Explanation,
): string {
  const lines = [
    `${decision}: ${id}`,
    `${WORDS[decision]}: ${reason}.`,
    `decided by ${by}${rule === null ? '' : ` ${rule}`}`,
    ...(question === null
      ? []
      : ['the person would read:', ...question.split('\n').map(line => `  ${line}`)]),
    ...(decision === 'ask' ? [`a lasting yes would cover: ${covers}`] : []),
    ...(grant === null ? [] : [`already allowed (${grant.id}, ${grant.lasts}): nobody would be asked`]),
  ]
  return `${lines.join('\n')}\n`
}
