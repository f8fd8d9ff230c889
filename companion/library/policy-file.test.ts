import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { openPolicy, policyOf } from './policy-file.ts'

let dir: TempDir
beforeAll(async () => {
  dir = await makeTempDir()
})
afterAll(() => dir.remove())

describe('a policy file', () => {
  it('gives its rules with lists, home and lines filled in', () => {
    const text =
      'rules:\n  - decision: deny\n    site: wiki\n\n  - id: docs\n    decision: allow\n    path: [~/Docs/**, /x]\n'
    expect(policyOf(text, 'p', '/home/me')).toEqual({
      otherwise: 'profile',
      rules: [
        { decision: 'deny', site: ['wiki'], line: 2 },
        { id: 'docs', decision: 'allow', path: ['/home/me/Docs/**', '/x'], line: 5 },
      ],
    })
  })

  it.each([
    [
      'an unknown key',
      'rules:\n  - decision: deny\n    sites: wiki\n',
      'p:3',
      'unknown key "sites"; did you mean "site"?',
    ],
    [
      'an unknown key above',
      'rule:\n  - decision: deny\n',
      'p:1',
      'unknown key "rule"; did you mean "rules"?',
    ],
    ['no decision', 'otherwise: ask\nrules:\n  - site: wiki\n', 'p:3', 'decision'],
    ['a value that is none', 'rules:\n  - decision: deny\n    effect: reed\n', 'p:3', 'effect'],
    ['broken YAML', 'rules:\n  - {decision: deny\n', 'p:', ''],
    ['a key twice', 'version: 1\nversion: 1\n', 'p:2', 'unique'],
    ['another version', 'version: 2\n', 'p:1', 'version'],
  ])('with %s is refused, and the line is named', (_, text, key, reason) => {
    expect(() => policyOf(text, 'p', '/')).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        params: { key: expect.stringContaining(key), reason: expect.stringContaining(reason) },
      }),
    )
  })

  it('that is not there or empty has no rules', () => {
    expect(openPolicy(join(dir.path, 'none.yaml'), '/').read().rules).toEqual([])
    expect(policyOf('# nothing\n', 'p', '/').rules).toEqual([])
  })

  it('is read anew when it changed, and stays refused until it is mended', async () => {
    const file = join(dir.path, 'policy.yaml')
    const policy = openPolicy(file, '/')
    expect(policy.read().rules).toHaveLength(0)
    await writeFile(file, 'rules: [{decision: deny, site: wiki}]')
    expect(policy.read().rules).toHaveLength(1)
    await writeFile(file, 'rules: nothing at all')
    for (const _ of [1, 2])
      expect(() => policy.read()).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    await rm(file)
    expect(policy.read().rules).toHaveLength(0)
  })
})
