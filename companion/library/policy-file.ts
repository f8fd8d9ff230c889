import { readFileSync, statSync } from 'node:fs'
import { Failure } from '../../shared/failures.ts'
import { didYouMean } from '../kernel/nearest.ts'
import { PolicyFile } from '../kernel/policy/policy-file.ts'
import type { Policy, PolicyPort, PolicyRule } from '../ports/policy.ts'
import { knownKeysAt, schemaProblem } from './schema-problem.ts'
import { lineAt, readYaml, YamlFault, type YamlSource } from './yaml-source.ts'

const MAX_BYTES = 1024 * 1024
const EMPTY: Policy = { otherwise: 'profile', rules: [] }

/**
 * The person's rules in a YAML file; a change of the file counts from the next `read` on. A file that is not right
 * is refused as a whole: half of a person's rules may be worse than none.
 *
 * @param file absolute; need not exist
 * @param home what `~` stands for in its globs of paths
 */
export function openPolicy(file: string, home: string): PolicyPort {
  let seen: { stamp: string; policy: Policy | Failure } = { stamp: 'never', policy: EMPTY }
  return {
    path: () => file,
    read() {
      const stamp = stampOf(file)
      if (seen.stamp !== stamp) seen = { stamp, policy: stamp === '' ? EMPTY : parsed(file, home) }
      if (Failure.is(seen.policy)) throw seen.policy
      return seen.policy
    },
  }
}

function parsed(file: string, home: string): Policy | Failure {
  try {
    return policyOf(readFileSync(file, 'utf8'), file, home)
  } catch (error) {
    if (Failure.is(error)) return error
    return fault(file, null, error instanceof Error ? error.message : String(error))
  }
}

/** The rules of a policy text. Fails with config_invalid that names file and line. */
export function policyOf(text: string, file: string, home: string): Policy {
  if (Buffer.byteLength(text) > MAX_BYTES) throw fault(file, null, `it is larger than ${MAX_BYTES} bytes`)
  const source = sourceOf(text, file)
  if (source.value === null || source.value === undefined) return EMPTY
  const checked = PolicyFile.safeParse(source.value)
  if (!checked.success) throw problem(source, file, checked.error)
  const { otherwise, rules } = checked.data
  return {
    otherwise,
    rules: rules.map((rule, index) => ruleOf(rule, lineAt(source, ['rules', index]), home)),
  }
}

function sourceOf(text: string, file: string): YamlSource {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlFault) throw fault(file, error.line, error.message)
    throw error
  }
}

function problem(source: YamlSource, file: string, error: Parameters<typeof schemaProblem>[0]): Failure {
  const { path, text, unknownKey } = schemaProblem(error, source.value)
  if (unknownKey === null) return fault(file, lineAt(source, path), text)
  const hint = didYouMean(unknownKey, knownKeysAt(PolicyFile, path))
  return fault(file, lineAt(source, [...path, unknownKey]), `unknown key "${unknownKey}"; ${hint}`)
}

const fault = (file: string, line: number | null, reason: string): Failure =>
  new Failure('config_invalid', { key: line === null ? file : `${file}:${line}`, reason })

const LISTS = [
  'operation',
  'site',
  'command',
  'effect',
  'risk',
  'surface',
  'domain',
  'path',
  'executable',
] as const

/** One value is a list of one. */
function ruleOf(rule: PolicyFile['rules'][number], line: number, home: string): PolicyRule {
  const lists = LISTS.flatMap(key => (rule[key] === undefined ? [] : [[key, [rule[key]].flat()] as const]))
  const path = [rule.path ?? []].flat().map(glob => glob.replace(/^~(?=\/|$)/, home))
  // Each list is of its key's own type; entries made from a list of keys lose it.
  return {
    ...rule,
    ...Object.fromEntries(lists),
    ...(rule.path !== undefined && { path }),
    line,
  } as PolicyRule
}

/** Changes whenever the file does; empty when there is none. */
function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? '' : `${stat.ino}:${stat.mtimeNs}:${stat.size}`
}
