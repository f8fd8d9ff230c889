import { existsSync } from 'node:fs'
import { ROOT, runTool } from './children.mjs'
import { listFiles } from './files.mjs'

const CRUISED = ['shared', 'companion', 'extension', 'tests', 'scripts'].filter(folder =>
  existsSync(`${ROOT}/${folder}`),
)

/** @param {string} parent @param {string[]} folders */
const inside = (parent, folders) => folders.map(folder => `${parent}/${folder}`)

/**
 * The folders that the rules are about. One without a single module means that its rules check nothing, and one
 * that is missing here has no rules.
 */
const FOLDERS = new Set([
  ...['shared', 'tests'],
  ...inside('companion', [
    'auth',
    'bin',
    'capture',
    'client',
    'compose',
    'daemon',
    'delivery',
    'kernel',
    'library',
    'managed',
    'ports',
    'reference',
    'remote',
  ]),
  ...inside('companion', ['repair', 'setup', 'state', 'steps', 'substrates', 'surfaces']),
  ...inside('extension', ['entrypoints', 'handlers', 'hook', 'page', 'ui', 'worker']),
])

/**
 * Runs dependency-cruiser over all our code and makes sure that it saw all of it: a parser that does not know
 * our TypeScript reports "no violations" over no modules.
 *
 * @returns {Promise<string[]>} one line for each fault
 */
export async function importFaults() {
  const { code, output } = await runTool('dependency-cruiser/bin/dependency-cruise.mjs', [
    ...['--config', '.dependency-cruiser.mjs', '--output-type', 'json', '--no-progress'],
    ...CRUISED,
  ])
  const report = parse(output)
  if (!report) return [`dependency-cruiser gave no report (exit ${code}): ${output.slice(0, 2000)}`]
  const seen = new Set(report.modules.map(module => module.source))
  const { violations, ruleSetUsed } = report.summary
  const repairs = new Map(ruleSetUsed.forbidden.map(({ name, comment }) => [name, comment]))
  return [
    ...blindSpots(seen),
    ...violations.map(
      violation => `${pathOf(violation)}  [${violation.rule.name}] ${repairs.get(violation.rule.name)}`,
    ),
  ]
}

/**
 * @typedef {{ from: string, to: string, rule: { name: string }, cycle?: { name: string }[] }} Violation
 * @typedef {{ violations: Violation[], ruleSetUsed: { forbidden: { name: string, comment: string }[] } }} Summary
 * @typedef {{ modules: { source: string }[], summary: Summary }} Report
 * @param {string} output
 * @returns {Report | undefined}
 */
function parse(output) {
  const start = output.indexOf('{')
  try {
    return JSON.parse(output.slice(start))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** @param {Set<string>} seen */
function blindSpots(seen) {
  const ours = [...seen].filter(source => CRUISED.some(folder => source.startsWith(`${folder}/`)))
  if (ours.length === 0) return ['dependency-cruiser read 0 modules.']
  const unread = listFiles(CRUISED, /(?<!\.d)\.(?:ts|tsx|mjs)$/).filter(path => !seen.has(path))
  const folders = new Set(ours.flatMap(source => /^(?:companion|extension)\/[^/]+(?=\/)/.exec(source) ?? []))
  return [
    ...[...FOLDERS]
      .filter(folder => !ours.some(source => source.startsWith(`${folder}/`)))
      .map(folder => `${folder}/ holds no module that dependency-cruiser reads.`),
    ...[...folders].filter(folder => !FOLDERS.has(folder)).map(folder => `No rule is about ${folder}/.`),
    ...unread.map(path => `${path} was not read by dependency-cruiser.`),
  ]
}

/** @param {Violation} violation */
function pathOf({ from, to, cycle }) {
  if (cycle) return [from, ...cycle.map(step => step.name)].join(' -> ')
  return from === to ? from : `${from} -> ${to}`
}
