import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import { didYouMean } from '../kernel/nearest.ts'
import type { AdapterFault, Operation } from '../kernel/operation.ts'
import type { AnyStep } from '../kernel/step.ts'
import { FixtureProblem, readFixtures } from './fixtures.ts'
import { readAdapterFile } from './load.ts'
import { lineAt, readYaml, type YamlPath, type YamlSource } from './yaml-source.ts'

export interface LintFinding extends AdapterFault {
  /** A fault keeps the adapter from being used, or from working; advice does not. */
  level: 'fault' | 'advice'
}

export interface LintReport {
  checked: number
  findings: readonly LintFinding[]
}

export interface LintTools {
  steps: ReadonlyMap<string, AnyStep>
  /** Whether there is an operation of that id. */
  has: (id: string) => boolean
}

/** Looks at files, and at all adapters in folders. Fails with not_found for a path that is not there. */
export function lintPaths(paths: readonly string[], tools: LintTools): LintReport {
  const files = [...new Set(paths.flatMap(adapterFilesIn))]
  return { checked: files.length, findings: files.flatMap(file => lintFile(file, tools)) }
}

/** Adapter files that a path names or holds: a file, a site's folder, or a folder of sites. */
export function adapterFilesIn(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined)
    throw new Failure('not_found', { what: path, hint: 'Name an adapter file, or a folder of adapters.' })
  if (stat.isFile()) return [resolve(path)]
  const entries = readdirSync(path, { withFileTypes: true }).filter(({ name }) => !/^[._]/.test(name))
  const isAdapter = (entry: Dirent): boolean => /\.ya?ml$/i.test(entry.name)
  const here = entries.filter(isAdapter).map(({ name }) => resolve(path, name))
  const below = entries
    .filter(entry => entry.isDirectory() && entry.name !== 'fixtures')
    .flatMap(({ name }) => adapterFilesIn(join(path, name)))
  return [...here, ...below].toSorted()
}

function lintFile(file: string, tools: LintTools): LintFinding[] {
  const site = basename(dirname(file))
  const outcome = readAdapterFile(file, site, basename(file), {
    steps: tools.steps,
    yaml: { read: (_, text) => readYaml(text), save: () => undefined },
  })
  if ('fault' in outcome) return [{ ...outcome.fault, level: 'fault' }]
  const source = readYaml(readFileSync(file, 'utf8'))
  const { operation } = outcome
  return [
    ...environmentFaults(operation, source),
    ...fixtureFaults(operation, file),
    ...advice(operation, source, tools),
  ].map(({ line, level, reason }) => ({ file, line, level, reason }))
}

type Found = Pick<LintFinding, 'line' | 'level' | 'reason'>

/** `env.NAME` in any text; computed names show only when they are evaluated. */
const ENVIRONMENT = /\benv\??\.([A-Za-z_]\w*)/g

function environmentFaults({ source: { ...of } }: Operation, source: YamlSource): Found[] {
  const declared = of.kind === 'adapter' ? (of.env ?? []) : []
  return textsIn(source.value, []).flatMap(({ path, text }) =>
    [...text.matchAll(ENVIRONMENT)]
      .map(match => match[1] ?? '')
      .filter(name => text.includes('${{') && !declared.includes(name))
      .map(name => ({
        line: lineAt(source, path),
        level: 'fault' as const,
        reason: `env.${name} is not declared; add ${name} to the adapter's key env`,
      })),
  )
}

function textsIn(value: unknown, path: YamlPath): { path: YamlPath; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(item, [...path, at]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, [...path, key]))
}

function fixtureFaults({ site, command, columns }: Operation, file: string): Found[] {
  try {
    return readFixtures(dirname(dirname(file)), site, command).flatMap(({ title, expect }) =>
      (expect.columns ?? [])
        .filter(column => !columns.includes(column))
        .map(column => ({
          line: null,
          level: 'fault' as const,
          reason: `the fixture "${title}" expects a column "${column}"; ${didYouMean(column, columns)}`,
        })),
    )
  } catch (error) {
    if (!(error instanceof FixtureProblem)) throw error
    return [{ line: null, level: 'fault', reason: `a fixture cannot be read: ${error.message}` }]
  }
}

function advice(operation: Operation, source: YamlSource, { has }: LintTools): Found[] {
  const found: Found[] = []
  const say = (path: YamlPath, reason: string) =>
    found.push({ line: lineAt(source, path), level: 'advice', reason })
  const keys = Object.keys(source.value as object)
  if (!keys.includes('description')) say([], 'it has no description: nobody will find it')
  if (operation.columns.length === 0) say([], 'it names no columns: tables show whatever comes')
  if (operation.verified === null) say([], 'it does not say how it was verified')
  if (operation.effect !== 'read' && !keys.includes('risk'))
    say(['effect'], 'it does not say what its write risks (risk), so that every policy asks')
  for (const [name, schema] of Object.entries(operation.args.shape))
    if (schema.description === undefined) say(['args', name], `the argument "${name}" has no description`)
  for (const [at, id] of operation.alternatives.entries())
    if (!has(id)) say(['alternatives', at], `there is no operation ${id}`)
  return found
}
