import { readFileSync } from 'node:fs'
import { Failure } from '../../shared/failures.ts'
import { readYaml, YamlFault } from './yaml-source.ts'

/** A goal as somebody wrote it, unchecked. Fails with not_found, or with usage for what is no YAML. */
export function readGoalFile(file: string): Record<string, unknown> {
  const { value } = parsed(file, textOf(file))
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new Failure('usage', {
    problem: `${file} is no goal.`,
    hint: 'It has the keys goal, checks and attempts.',
  })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure('not_found', { what: `The file "${file}"`, hint: 'Check its path.' }, { cause })
  }
}

function parsed(file: string, text: string): { value: unknown } {
  try {
    return readYaml(text)
  } catch (cause) {
    if (!(cause instanceof YamlFault)) throw cause
    const problem = `${file}:${cause.line}: ${cause.message}.`
    throw new Failure('usage', { problem, hint: 'Mend that line.' }, { cause })
  }
}
