import { describe, expect, it } from 'vitest'
import { governorOf, HOME } from '../../../tests/support/governor.ts'
import { operation } from '../../../tests/support/kernel-world.ts'

const OWN = `${HOME}/.unicli`
const LINKS: Readonly<Record<string, string>> = { [`${HOME}/projects/notes.txt`]: `${HOME}/.ssh/id_rsa` }

/** What is said to a program that is given a word and runs in a folder. */
async function verdictOn(word: string, cwd?: string) {
  const places = { home: HOME, own: OWN, real: async (path: string) => LINKS[path] ?? path }
  const access = { kind: 'execute' as const, argv: ['/usr/bin/cat', word], ...(cwd !== undefined && { cwd }) }
  const matter = { operation: operation({}), args: {}, surface: 'cli' as const, access }
  const { decision, by } = await governorOf({}, { places }).explain(matter)
  return decision === 'deny' ? by : decision
}

describe('what a program is given', () => {
  it.each([
    ['../token', `${OWN}/files`],
    ['notes.txt', `${HOME}/projects`],
    ['--file=./notes.txt', `${HOME}/projects`],
    ['projects/notes.txt', undefined],
    ['.ssh/id_rsa', '/tmp/run'],
  ])('is refused: %s in %s', async (word, cwd) => {
    expect(await verdictOn(word, cwd)).toBe('sensitive')
  })

  it.each([
    ['report.pdf', `${OWN}/files`],
    ['notes.txt', '/tmp/run'],
    ['plan.txt', `${HOME}/projects`],
  ])('goes on: %s in %s', async (word, cwd) => {
    expect(await verdictOn(word, cwd)).toBe('allow')
  })
})
