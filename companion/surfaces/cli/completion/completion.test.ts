import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findExecutable } from '../../../../tests/support/executables.ts'
import { spawnProcess } from '../../../../tests/support/processes.ts'
import { describeNeeding } from '../../../../tests/support/requirement.ts'
import { operationOf } from '../../../../tests/support/scripted-kernel.ts'
import { makeTempDir, type TempDir } from '../../../../tests/support/temp.ts'
import { type CliStage, cliStage } from '../../../../tests/support/typed-command.ts'
import { SCRIPTS } from './scripts.ts'

const search = operationOf('mediawiki.search', {
  doc: 'Search pages: their titles.',
  args: z.strictObject({
    query: z.string(),
    where: z.enum(['title', 'text']).optional(),
    tags: z.array(z.string()).optional(),
    exact: z.boolean().default(false),
  }),
  positional: ['query', 'where'],
})

let stage: CliStage
beforeEach(async () => {
  stage = await cliStage([
    { operation: search, run: () => null },
    { operation: operationOf('mediawiki.whoami'), run: () => null },
    { operation: operationOf('hackernews.top'), run: () => null },
  ])
})
afterEach(() => stage.remove())

describe('what fits at the cursor', () => {
  const values = async (...words: string[]) => {
    const { out, err, code } = await stage.type(['__complete', '--', ...words])
    expect({ err, code }).toEqual({ err: '', code: 0 })
    return out.split('\n').flatMap(line => (line === '' ? [] : [line.split('\t')[0]]))
  }

  it('are commands and sites first', async () => {
    expect(await values('')).toEqual(
      expect.arrayContaining(['list', 'setup', 'help', 'mediawiki', 'hackernews']),
    )
    expect(await values('me')).toEqual(['mediawiki'])
    expect(await values('-q', 'ha')).toEqual(['hackernews'])
    expect(await values('help', 'con')).toEqual(['config'])
  })

  it('are the commands of a site, or of a group', async () => {
    expect(await values('mediawiki', '')).toEqual(['search', 'whoami'])
    expect(await values('config', 's')).toEqual(['set'])
    expect(await values('daemon', '')).toEqual(['start', 'stop', 'status', 'logs'])
    expect(await values('nosite', '')).toEqual([])
  })

  it('are flags that were not given yet', async () => {
    const flags = await values('mediawiki', 'search', '--exact', '--tags', 'a', '--')
    expect(flags).toEqual(expect.arrayContaining(['--tags', '--strategy', '--format']))
    expect(flags).not.toContain('--exact')
    expect(new Set(flags).size).toBe(flags.length)
    expect(await values('config', '--f')).toEqual(['--format', '--fields'])
  })

  it('are values where a flag or a place knows them', async () => {
    expect(await values('list', '-f', 'j')).toEqual(['json'])
    expect(await values('list', '--format=y')).toEqual(['--format=yaml'])
    expect(await values('list', '--format', '=')).toContain('json')
    expect(await values('list', '--format', '=', 'y')).toEqual(['yaml'])
    expect(await values('list', '--site', '')).toEqual(['hackernews', 'mediawiki'])
    expect(await values('mediawiki', 'search', '--strategy', 'c')).toEqual(['cookie'])
    expect(await values('mediawiki', 'search', 'query', '')).toEqual(['title', 'text'])
    expect(await values('mediawiki.search', 'query', 't')).toEqual(['title', 'text'])
    expect(await values('describe', 'mediawiki.s')).toEqual(['mediawiki.search'])
    expect(await values('steps', 'navi')).toEqual(['navigate'])
    expect(await values('config', 'get', 'output')).toEqual(['output.format'])
    expect(await values('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  })

  it('come with a description for shells that show one', async () => {
    expect((await stage.type(['__complete', '--', 'mediawiki', 's'])).out).toBe(
      'search\tSearch pages: their titles.\n',
    )
  })

  it('print the script of a shell as it is, whatever the format', async () => {
    expect((await stage.type(['completion', 'bash'])).out).toBe(SCRIPTS.bash)
    expect((await stage.type(['completion', 'zsh', '-f', 'json'])).out).toBe(SCRIPTS.zsh)
  })
})

/** A `unicli` that writes down what it was asked and prints two candidates. */
async function standIn(dir: TempDir): Promise<Record<string, string>> {
  const file = join(dir.path, 'unicli')
  const script = `#!/bin/sh
for word; do printf '<%s>' "$word"; done >> "${dir.path}/asked"
printf 'search\\tSearch pages: their titles.\\nset\\tPut.\\n'
`
  await writeFile(file, script)
  await chmod(file, 0o755)
  return { PATH: `${dir.path}:${process.env.PATH ?? ''}`, HOME: dir.path, LANG: 'C.UTF-8' }
}

async function runShell(shell: string, args: string[], script: string) {
  const dir = await makeTempDir()
  try {
    const env = await standIn(dir)
    await writeFile(join(dir.path, 'script'), script)
    const process = await spawnProcess(shell, [...args, 'script'], { env, cwd: dir.path, input: '' })
    await process.exited
    const asked = await readFile(join(dir.path, 'asked'), 'utf8')
    return { out: process.stdout(), err: process.stderr(), asked }
  } finally {
    await dir.remove()
  }
}

const need = (shell: string) => ({ name: shell, available: findExecutable(shell) !== undefined })

describeNeeding(need('bash'), 'bash', () => {
  it('offers what unicli answers for the words up to the cursor', async () => {
    const { out, err, asked } = await runShell(
      'bash',
      ['--norc', '--noprofile'],
      `${SCRIPTS.bash}
COMP_WORDS=(unicli mediawiki 'two words' s later); COMP_CWORD=3
_unicli
printf '[%s]' "\${COMPREPLY[@]}"
complete -p unicli
`,
    )
    expect(err).toBe('')
    expect(asked).toBe('<__complete><--><mediawiki><two words><s>')
    expect(out).toBe('[search][set]complete -o default -F _unicli unicli\n')
  })
})

describeNeeding(need('zsh'), 'zsh', () => {
  it('offers values with their descriptions, colons and all', async () => {
    const { out, err, asked } = await runShell(
      'zsh',
      ['-f'],
      `compdef() { registered="$*" }
_describe() { print -rl -- "\${(@P)2}" }
source /dev/stdin <<'SCRIPT'
${SCRIPTS.zsh}SCRIPT
words=(unicli mediawiki 'two words' ''); CURRENT=4
_unicli
print -r -- "$registered"
`,
    )
    expect(err).toBe('')
    expect(asked).toBe('<__complete><--><mediawiki><two words><>')
    expect(out).toBe('search:Search pages: their titles.\nset:Put.\n_unicli unicli\n')
  })
})

describeNeeding(need('fish'), 'fish', () => {
  it('offers values with their descriptions', async () => {
    const { out, asked } = await runShell(
      'fish',
      ['--no-config'],
      `${SCRIPTS.fish}
complete -C 'unicli mediawiki "two words" s'
`,
    )
    expect(asked).toBe('<__complete><--><mediawiki><two words><s>')
    expect(out).toBe('search\tSearch pages: their titles.\nset\tPut.\n')
  })
})
