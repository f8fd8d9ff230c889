import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operationOf } from '../../../../tests/support/scripted-kernel.ts'
import { type CliStage, cliStage } from '../../../../tests/support/typed-command.ts'

let stage: CliStage
beforeEach(async () => {
  const args = z.strictObject({
    title: z.string(),
    minor: z.boolean().default(false),
    key: z.string().optional(),
  })
  const edit = operationOf('wiki.edit', {
    effect: 'write',
    risk: 'publish',
    args,
    positional: ['title'],
    secrets: ['key'],
  })
  stage = await cliStage([{ operation: edit, run: () => null }])
})
afterEach(() => stage.remove())

const write = (text: string) => writeFile(join(stage.config.path(), '..', 'policy.yaml'), text)
const dataOf = async (...argv: string[]) => JSON.parse((await stage.type(['policy', ...argv])).out).data

describe('policy test', () => {
  it('explains a verdict by the rule and the profile, and does nothing', async () => {
    expect(await dataOf('test', 'wiki.edit', 'Main Page', '--minor', '--key', 'hunter2')).toMatchObject({
      operation: 'wiki.edit',
      risk: 'publish',
      decision: 'ask',
      by: 'profile',
      profile: 'careful',
      question: expect.stringContaining('title: "Main Page"\nminor: true\nkey: [secret]'),
      covers: 'wiki.edit with minor true, title "Main Page"',
      grant: null,
    })
    expect(await dataOf('test', 'wiki.edit', 'X', '--policy-profile', 'open')).toMatchObject({
      decision: 'allow',
    })
    await write(
      'rules:\n  - decision: deny\n    args: { title: "Main*" }\n    reason: it is the front page\n',
    )
    expect(await dataOf('test', 'wiki.edit', '--args', '{"title":"Main Page"}')).toMatchObject({
      decision: 'deny',
      by: 'rule',
      rule: 'line 2',
      reason: 'it is the front page',
    })
    expect(stage.kernel.invocations).toEqual([])
  })

  it('explains an access of such a run', async () => {
    await write('rules: [{decision: ask, domain: "*.bank.example"}]')
    expect(await dataOf('test', 'wiki.edit', '--access-url', 'https://my.bank.example/x')).toMatchObject({
      decision: 'ask',
      by: 'rule',
      covers: 'wiki.edit: reach my.bank.example',
    })
    const keys = ['test', 'wiki.edit', '--access-run', 'curl', '--access-run=-d@~/.ssh/id_rsa']
    expect(await dataOf(...keys)).toMatchObject({ decision: 'deny', by: 'sensitive' })
  })

  it('says which operation was meant, and prints for a person', async () => {
    const { code, out } = await stage.type(['policy', 'test', 'wiki.edti', '--title', 'x'])
    expect([code, JSON.parse(out).error.code]).toEqual([2, 'unknown_operation'])
    const shown = await stage.typeAtTerminal(['policy', 'test', 'wiki.edit', 'X'])
    expect(shown.out).toMatch(
      /^ask: wiki\.edit\nA person would be asked: the profile careful .*\ndecided by profile\n/,
    )
  })
})

describe('the file of the policy', () => {
  it('is shown, found and checked', async () => {
    await write('otherwise: ask\nrules: [{id: a, decision: allow, site: wiki}]')
    expect(await dataOf('show')).toMatchObject({ otherwise: 'ask', rules: [{ id: 'a' }] })
    expect((await stage.typeAtTerminal(['policy', 'show'])).out).toContain('  allow site ["wiki"] (a)\n')
    expect(await dataOf('check')).toMatchObject({ ok: true, rules: 1 })
    await write('rules: [{decision: maybe}]')
    const { code, out } = await stage.type(['policy', 'check'])
    expect(code).toBe(78)
    expect(JSON.parse(out).error.message).toContain('policy.yaml:1')
    expect((await dataOf('path')).path).toMatch(/policy\.yaml$/)
  })
})

describe('a yes on the command line', () => {
  const approval = () => ({
    ...{ id: 'a1', operation: 'wiki.edit', effect: 'write', text: 't', asked_at: 0 },
    expires_at: Date.now() + 60_000,
  })

  it('wants a terminal, where a no does not', async () => {
    stage.kernel.ask(approval())
    const { code, out } = await stage.type(['approvals', 'allow', 'a1'])
    expect([code, JSON.parse(out).error.code]).toEqual([77, 'person_required'])
    expect((await stage.type(['approvals', 'deny', 'a1'])).code).toBe(0)
    stage.kernel.ask(approval())
    expect((await stage.typeAtTerminal(['approvals', 'allow', 'a1', '--lasts', 'always'])).code).toBe(0)
    expect(stage.kernel.answers).toEqual([
      ['a1', false],
      ['a1', true, 'always'],
    ])
  })

  it('that lasts is revoked by its id or with all others, and not by a slip', async () => {
    expect((await stage.type(['approvals', 'revoke'])).code).toBe(2)
    expect((await stage.type(['approvals', 'revoke', 'x1'])).code).toBe(66)
    expect((await stage.type(['approvals', 'revoke', '--all'])).code).toBe(0)
  })
})
