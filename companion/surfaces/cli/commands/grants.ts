import { Failure } from '../../../../shared/failures.ts'
import { siteNamed } from '../../../kernel/policy/site-of.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import type { OperandSpec } from '../leaf.ts'

const SITE: OperandSpec = {
  name: 'site',
  doc: 'its domain or any address of it',
  required: true,
  complete: ({ governor }) => governor.sites().map(({ site }) => site),
}

export const grantsList: CliCommand = {
  name: 'grants list',
  doc: 'List the sites that agents may use in your browser, and those that they never may.',
  operands: [],
  options: [],
  examples: ['unicli grants list'],
  run: ({ parts: { governor } }) => ({
    data: governor.sites().map(grant => ({ ...grant })),
    columns: ['site', 'word', 'session', 'granted_at', 'expires_at'],
  }),
}

export const grantsAllow: CliCommand = {
  name: 'grants allow',
  doc: 'Let agents use a site in your browser. Only a person can: it wants a terminal.',
  operands: [SITE],
  options: [{ flags: '--for <session>', doc: 'this session alone, 8 hours at most; else all, for 90 days' }],
  examples: ['unicli grants allow example.com', 'unicli grants allow 127.0.0.1:8080 --for work'],
  run(call) {
    const { parts, parsed, interactive } = call
    const site = siteOf(call)
    // Who speaks for the person without a terminal may be the program that wants the site.
    if (!interactive && parts.config.get('approvals.over_http') !== true)
      throw new Failure('grant_person_required', { site })
    const session = parsed.text('--for') ?? null
    parts.kernel.putSite(site, session === null ? 'always' : 'session', session)
    return { data: { site, word: session === null ? 'always' : 'session' }, text: `Granted: ${site}\n` }
  },
}

export const grantsDeny: CliCommand = {
  name: 'grants deny',
  doc: 'Let no agent ever use a site in your browser, whatever is granted otherwise. What runs there stops.',
  operands: [SITE],
  options: [],
  examples: ['unicli grants deny bank.example'],
  run(call) {
    const site = siteOf(call)
    call.parts.kernel.putSite(site, 'never')
    return { data: { site, word: 'never' }, text: `Never: ${site}\n` }
  },
}

export const grantsForget: CliCommand = {
  name: 'grants forget',
  doc: 'Take back what was said of a site: the next agent there has to ask. What runs there stops.',
  operands: [{ ...SITE, required: false }],
  options: [{ flags: '--all', doc: 'of every site' }],
  examples: ['unicli grants forget example.com', 'unicli grants forget --all'],
  run(call) {
    const { parts, parsed, interactive } = call
    const all = parsed.bare('--all') ?? false
    if ((parsed.operands[0] === undefined) !== all)
      throw new Failure('usage', {
        problem: 'Name one site, or give --all.',
        hint: '"unicli grants list" shows them.',
      })
    const site = all ? undefined : siteOf(call)
    const lifts = parts.governor.sites().some(each => each.word === 'never' && (all || each.site === site))
    if (lifts && !interactive && parts.config.get('approvals.over_http') !== true)
      throw new Failure('grant_person_required', { site: site ?? 'a site that is never to be used' })
    const forgotten = parts.kernel.forgetSite(site)
    if (site !== undefined && forgotten === 0)
      throw new Failure('not_found', {
        what: `A word on ${site}`,
        hint: 'It may have expired: see "unicli grants list".',
      })
    return { data: { forgotten }, text: `Forgotten: ${forgotten}\n` }
  },
}

function siteOf({ parsed }: CommandCall): string {
  const [text = ''] = parsed.operands
  const site = siteNamed(text)
  if (site !== null) return site
  throw new Failure('usage', {
    problem: `"${text}" names no site.`,
    hint: 'For example: unicli grants allow example.com',
  })
}
