import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compilePlan } from '../../companion/kernel/compile.ts'
import type { Operation, RunOptions, Surface } from '../../companion/kernel/operation.ts'
import type { AnyStep } from '../../companion/kernel/step.ts'
import { policyOf } from '../../companion/library/policy-file.ts'
import type { Profile } from '../../shared/policy.ts'
import { governorOf, HOME } from '../support/governor.ts'
import { judgedPorts } from '../support/judged-ports.ts'
import { operation, setUp, step } from '../support/kernel-world.ts'

const STEPS = new Map<string, AnyStep>(
  [
    step('give', async (_, params) => params),
    step('get', async (ctx, url) => {
      const asked = { url, method: 'GET', headers: {}, body: null, read: true }
      return (await ctx.http.request(asked, ctx)).text
    }),
    step(
      'start',
      async (ctx, argv) => {
        await ctx.process.run(
          { commands: [argv], cwd: HOME, env: {}, stdin: '', maxBytes: 1, read: true },
          ctx,
        )
        return 'started'
      },
      { needs: ['process'] },
    ),
    step('load', async (ctx, path) => (await ctx.files.read(path, 1)).length, { needs: ['files'] }),
    step('save', async (ctx, path) => (await ctx.files.write(path, new Uint8Array(), 'create')).bytes, {
      needs: ['files'],
    }),
  ].map(each => [each.name, each]),
)

const KINDS = {
  read: { id: 'wiki.search', effect: 'read' },
  note: { id: 'wiki.watch', effect: 'write', risk: 'none' },
  publish: { id: 'wiki.edit', effect: 'write', risk: 'publish', secrets: ['password'] },
  send: { id: 'mail.send', effect: 'write', risk: 'send' },
  pay: { id: 'shop.buy', effect: 'write', risk: 'pay' },
  remove: { id: 'wiki.delete', effect: 'destructive', risk: 'delete' },
  unsaid: { id: 'odd.write', effect: 'write', risk: 'unknown' },
  pure: { id: 'text.count', effect: 'pure' },
} as const satisfies Record<string, Partial<Operation>>
type Kind = keyof typeof KINDS

const args = z.strictObject({
  title: z.string().optional(),
  amount: z.number().optional(),
  text: z.string().optional(),
  password: z.string().optional(),
})

interface Case {
  kind: Kind
  profile: Profile | undefined
  /** Rules, as the person writes them. */
  rules?: string
  given?: Record<string, unknown>
  /** Of the plan; without one it answers at once. */
  plan?: unknown[]
  options?: RunOptions
  surface?: Surface
  want: 'allow' | 'ask' | 'deny' | 'invalid'
}

/** Runs the case through the kernel with a person who says no: what was asked for is denied by nobody else. */
async function verdictOf({ kind, profile, rules, given, plan, options, surface = 'http' }: Case) {
  const [site = '', command = ''] = KINDS[kind].id.split('.')
  const op = operation({ ...KINDS[kind], site, command, args, allowEmpty: true })
  if (op.source.kind !== 'adapter') throw new Error('it is an adapter')
  const public_ = compilePlan(plan ?? [{ give: 'done' }], { steps: STEPS, line: () => 1 })
  op.source.plans.public = public_
  const config: Record<string, unknown> = profile === undefined ? {} : { 'policy.profile': profile }
  const governor = governorOf(config, {
    policy: { path: () => 'policy.yaml', read: () => policyOf(rules ?? '', 'policy.yaml', HOME) },
  })
  const { run, kernel } = setUp(op, { ...judgedPorts(op), governor })
  const asked: string[] = []
  const envelope = await run({
    args: given ?? {},
    options: options ?? {},
    surface,
    onEvent: event => {
      if (event.type !== 'waiting') return
      asked.push(event.approval.text)
      queueMicrotask(() => kernel.answer(event.approval.id, false))
    },
  })
  const verdict =
    envelope.error === null ? 'allow' : (VERDICTS[envelope.error.code] ?? `failed: ${envelope.error.message}`)
  return { verdict, exit: envelope.exit_code, asked, message: envelope.error?.message ?? '' }
}

const VERDICTS: Record<string, Case['want']> = {
  approval_denied: 'ask',
  policy_denied: 'deny',
  config_invalid: 'invalid',
}

const DENY_PAY = 'rules: [{decision: deny, risk: pay, reason: no money}]'
const get = (url: string) => [{ get: url }]
const start = (...argv: string[]) => [{ start: argv }]

const CASES: [title: string, case_: Case][] = [
  // what the profiles ask
  ['a read by default', { kind: 'read', profile: undefined, want: 'allow' }],
  ['a write that can be taken back, by default', { kind: 'note', profile: undefined, want: 'allow' }],
  ['publishing by default', { kind: 'publish', profile: undefined, want: 'ask' }],
  ['sending by default', { kind: 'send', profile: undefined, want: 'ask' }],
  ['paying by default', { kind: 'pay', profile: undefined, want: 'ask' }],
  ['deleting by default', { kind: 'remove', profile: undefined, want: 'ask' }],
  ['a write whose risk nobody said, by default', { kind: 'unsaid', profile: undefined, want: 'ask' }],
  ['paying when open', { kind: 'pay', profile: 'open', want: 'allow' }],
  ['deleting when open', { kind: 'remove', profile: 'open', want: 'allow' }],
  ['any write when it is to be confirmed', { kind: 'note', profile: 'confirm', want: 'ask' }],
  ['a read when writes are to be confirmed', { kind: 'read', profile: 'confirm', want: 'allow' }],
  ['a read when locked', { kind: 'read', profile: 'locked', want: 'ask' }],
  ['what only computes when locked', { kind: 'pure', profile: 'locked', want: 'allow' }],
  // rules over operations
  ['what a rule denies, when open', { kind: 'pay', profile: 'open', rules: DENY_PAY, want: 'deny' }],
  [
    'what one rule allows and another denies',
    {
      kind: 'pay',
      profile: 'open',
      rules: 'rules: [{decision: allow, site: shop}, {decision: deny, operation: "shop.*"}]',
      want: 'deny',
    },
  ],
  [
    'what one rule allows and another asks for',
    {
      kind: 'read',
      profile: 'open',
      rules: 'rules: [{decision: allow, site: wiki}, {decision: ask, command: search}]',
      want: 'ask',
    },
  ],
  [
    'publishing that a rule allows',
    {
      kind: 'publish',
      profile: undefined,
      rules: 'rules: [{decision: allow, operation: wiki.edit}]',
      want: 'allow',
    },
  ],
  [
    'another site than the one that a rule is about',
    { kind: 'send', profile: 'open', rules: 'rules: [{decision: deny, site: [wiki, shop]}]', want: 'allow' },
  ],
  [
    'a value that a rule denies, with a line break in it',
    {
      kind: 'publish',
      profile: 'open',
      given: { text: 'a\nBUY now' },
      rules: 'rules: [{decision: deny, args: {text: "*buy*"}}]',
      want: 'deny',
    },
  ],
  [
    'an amount above what a rule allows',
    {
      kind: 'pay',
      profile: undefined,
      given: { amount: 30 },
      rules: 'rules: [{decision: allow, risk: pay, args: {amount: {max: 20}}}]',
      want: 'ask',
    },
  ],
  [
    'an amount within what a rule allows',
    {
      kind: 'pay',
      profile: undefined,
      given: { amount: 20 },
      rules: 'rules: [{decision: allow, risk: pay, args: {amount: {max: 20}}}]',
      want: 'allow',
    },
  ],
  [
    'a bound on an argument that was not given',
    {
      kind: 'pay',
      profile: undefined,
      rules: 'rules: [{decision: allow, risk: pay, args: {amount: {max: 20}}}]',
      want: 'ask',
    },
  ],
  [
    'every title but one',
    {
      kind: 'publish',
      profile: undefined,
      given: { title: '东京' },
      rules: 'rules: [{decision: deny, args: {title: {not: [东京, 大阪]}}}]',
      want: 'ask',
    },
  ],
  [
    'an agent over MCP where a rule is about HTTP',
    {
      kind: 'read',
      profile: 'open',
      surface: 'mcp',
      rules: 'rules: [{decision: deny, surface: http}]',
      want: 'allow',
    },
  ],
  [
    'what no rule names where all else is denied',
    {
      kind: 'read',
      profile: 'open',
      rules: 'otherwise: deny\nrules: [{decision: allow, site: mail}]',
      want: 'deny',
    },
  ],
  [
    'what a rule names where all else is denied',
    {
      kind: 'send',
      profile: 'locked',
      rules: 'otherwise: deny\nrules: [{decision: allow, site: mail}]',
      want: 'allow',
    },
  ],
  // a policy that is broken
  [
    'a write under a broken policy',
    { kind: 'note', profile: 'open', rules: 'rules: [{decison: deny}]', want: 'invalid' },
  ],
  [
    'a read under a broken policy',
    { kind: 'read', profile: 'open', rules: 'rules: [{decison: deny}]', want: 'allow' },
  ],
  // accesses of a run
  [
    'a domain that a rule denies',
    {
      kind: 'read',
      profile: 'open',
      plan: get('https://demo.example/x'),
      rules: 'rules: [{decision: deny, domain: "*.EXAMPLE"}]',
      want: 'deny',
    },
  ],
  [
    'a domain that a rule asks for',
    {
      kind: 'read',
      profile: 'open',
      plan: get('https://demo.example/x'),
      rules: 'rules: [{decision: ask, domain: demo.example}]',
      want: 'ask',
    },
  ],
  [
    'a program that a rule denies by its name',
    {
      kind: 'read',
      profile: 'open',
      plan: start('/usr/bin/curl', '-s'),
      rules: 'rules: [{decision: deny, executable: curl}]',
      want: 'deny',
    },
  ],
  [
    'a folder that a rule denies',
    {
      kind: 'read',
      profile: 'open',
      plan: [{ load: `${HOME}/Private/a/b.txt` }],
      rules: 'rules: [{decision: deny, path: ~/Private/**}]',
      want: 'deny',
    },
  ],
  [
    'a key in an argument after =',
    {
      kind: 'read',
      profile: 'open',
      plan: start('tool', '--key=~/.ssh/id_rsa'),
      rules: 'rules: [{decision: allow, executable: tool}]',
      want: 'deny',
    },
  ],
  [
    'a key in an argument after @',
    { kind: 'read', profile: 'open', plan: start('curl', '-d', '@.ssh/id_rsa'), want: 'deny' },
  ],
  [
    'a secret by way of ..',
    { kind: 'read', profile: 'open', plan: start('cat', 'a/../.aws/credentials'), want: 'deny' },
  ],
  [
    'a secret as a file URL',
    { kind: 'read', profile: 'open', plan: start('open', 'file:///etc/sh%61dow'), want: 'deny' },
  ],
  [
    'the token of unicli itself',
    { kind: 'read', profile: 'open', plan: [{ load: `${HOME}/.unicli/token` }], want: 'deny' },
  ],
  [
    'a file that starts programs, to write',
    { kind: 'note', profile: 'open', plan: [{ save: `${HOME}/.bashrc` }], want: 'deny' },
  ],
  [
    'an ordinary file',
    { kind: 'note', profile: undefined, plan: [{ save: `${HOME}/Downloads/a.txt` }], want: 'allow' },
  ],
  // scopes
  [
    'a write outside of the scope',
    { kind: 'note', profile: 'open', options: { scope: { effects: ['read'] } }, want: 'deny' },
  ],
  [
    'a read within the scope',
    {
      kind: 'read',
      profile: 'open',
      options: { scope: { effects: ['read'], sites: ['wiki'] } },
      want: 'allow',
    },
  ],
  [
    'a scope that names what the profile asks for',
    {
      kind: 'pay',
      profile: undefined,
      options: { scope: { operations: ['shop.*'], risks: ['pay'] } },
      want: 'ask',
    },
  ],
  [
    'a domain outside of the scope',
    {
      kind: 'read',
      profile: 'open',
      plan: get('https://demo.example/x'),
      options: { scope: { domains: ['other.example'] } },
      want: 'deny',
    },
  ],
]

describe('the verdict on', () => {
  it.each(CASES)('%s', async (_, asked) => {
    const { verdict, exit, message } = await verdictOf(asked)
    expect({ verdict, message: verdict === asked.want ? '' : message }).toEqual({
      verdict: asked.want,
      message: '',
    })
    expect(exit).toBe({ allow: 0, ask: 77, deny: 77, invalid: 78 }[asked.want])
  })
})

describe('a session', () => {
  it('that was narrowed is never widened again', async () => {
    const { run } = setUp(operation({ effect: 'write' }), {
      governor: governorOf({ 'policy.profile': 'open' }),
    })
    const asked = (options: RunOptions) => run({ options }).then(({ error }) => error?.code ?? 'done')
    expect(await asked({ session: 's' })).toBe('done')
    expect(await asked({ session: 's', scope: { effects: ['read'] } })).toBe('policy_denied')
    expect(await asked({ session: 's' })).toBe('policy_denied')
    expect(await asked({ session: 's', scope: { effects: ['read', 'write'] } })).toBe('policy_denied')
    expect(await asked({ session: 'other' })).toBe('done')
  })

  it('keeps a yes that was given for it, until that is revoked', async () => {
    const governor = governorOf({})
    const { run, kernel } = setUp(operation({ effect: 'write', risk: 'send' }), { governor })
    let questions = 0
    const asked = (session: string, n = 1) =>
      run({
        args: { n },
        options: { session },
        onEvent: event => {
          if (event.type !== 'waiting') return
          questions += 1
          queueMicrotask(() => kernel.answer(event.approval.id, true, 'session'))
        },
      })
    for (const n of [1, 1, 2]) expect((await asked('s', n)).ok).toBe(true)
    expect(questions).toBe(2)
    await asked('t')
    expect(questions).toBe(3)
    expect(governor.grants().map(({ covers }) => covers)).toContain(
      'demo.list at https://demo.example with n 1 (s)',
    )
    expect(governor.revoke()).toBe(3)
    await asked('s')
    expect(questions).toBe(4)
  })
})
