import { Failure } from '../../../../shared/failures.ts'
import { absolutePaths, existingFolders } from '../../../library/adapter-folders.ts'
import { type AdapterId, adapterId } from '../../../library/adapter-layers.ts'
import type { LintFinding } from '../../../library/adapter-lint.ts'
import { SKELETON_STRATEGIES } from '../../../library/adapter-skeletons.ts'
import { choice } from '../choice.ts'
import type { CliCommand } from '../command.ts'
import type { OperandSpec } from '../leaf.ts'
import { sitesOf } from './operations.ts'

const SITE: OperandSpec = {
  name: 'site',
  doc: 'the site, or site.command',
  required: true,
  complete: sitesOf,
}
const COMMAND: OperandSpec = { name: 'command', doc: 'its command', required: false }
const PATHS: OperandSpec = {
  name: 'path',
  doc: "adapter files, or folders that hold some; by default one's own",
  required: false,
  variadic: true,
}

export const adapterList: CliCommand = {
  name: 'adapter list',
  doc: "List one's own adapters, and what each replaces.",
  operands: [],
  options: [],
  examples: ['unicli adapter list'],
  run: ({ parts: { adapters } }) => ({
    data: adapters.list(),
    columns: ['operation', 'layer', 'file', 'replaces'],
  }),
}

export const adapterLint: CliCommand = {
  name: 'adapter lint',
  doc: 'Check adapters: each fault with its line, and what would make them better.',
  operands: [PATHS],
  options: [],
  examples: ['unicli adapter lint', 'unicli adapter lint ./adapters/example/search.yaml'],
  run({ parts: { adapters }, parsed, cwd }) {
    const { checked, findings } = adapters.lint(absolutePaths(parsed.operands, cwd))
    const faults = findings.filter(({ level }) => level === 'fault')
    if (faults.length > 0) throw new Failure('adapters_invalid', { checked, faults: faults.map(textOf) })
    return {
      data: findings.map(({ file, line, level, reason }) => ({ file, line, level, reason })),
      columns: ['file', 'line', 'level', 'reason'],
      notes: [`${checked} ${checked === 1 ? 'adapter' : 'adapters'} checked, no fault.`],
    }
  },
}

const textOf = ({ file, line, reason }: LintFinding): string =>
  `${file}${line === null ? '' : `:${line}`}: ${reason}`

export const adapterNew: CliCommand = {
  name: 'adapter new',
  doc: 'Write a sound adapter to begin from, with the schema for your editor.',
  operands: [SITE, COMMAND],
  options: [
    {
      flags: '--strategy <name>',
      doc: 'how it reaches the site',
      choices: SKELETON_STRATEGIES,
      default: 'public',
    },
    { flags: '--base <address>', doc: 'where the site is', default: 'https://example.com' },
    { flags: '--to <folder>', doc: 'the folder of adapters; by default ~/.unicli/adapters' },
  ],
  examples: [
    'unicli adapter new example search --base https://example.com',
    'unicli adapter new example search --strategy intercept --to ./adapters',
  ],
  run({ parts: { adapters }, parsed, cwd }) {
    const to = parsed.text('--to')
    const [folder] = to === undefined ? [] : existingFolders([to], cwd)
    const strategy = choice(parsed.text('--strategy') ?? 'public', SKELETON_STRATEGIES, '--strategy')
    const file = adapters.create(idOf(parsed.operands), {
      strategy,
      base: baseOf(parsed.text('--base') ?? 'https://example.com'),
      folder: folder ?? null,
    })
    return { data: { file, strategy }, text: `${file}\n` }
  },
}

export const adapterEject: CliCommand = {
  name: 'adapter eject',
  doc: "Copy a packaged adapter to one's own, where it can be changed and wins.",
  operands: [SITE, COMMAND],
  options: [],
  examples: ['unicli adapter eject hackernews top'],
  run({ parts: { adapters }, parsed }) {
    const data = adapters.eject(idOf(parsed.operands))
    return { data, text: `${data.file}\n` }
  },
}

export const adapterReset: CliCommand = {
  name: 'adapter reset',
  doc: "Take one's own adapter away, so that the packaged one counts; a backup is kept.",
  operands: [SITE, COMMAND],
  options: [],
  examples: ['unicli adapter reset hackernews top'],
  run({ parts: { adapters }, parsed }) {
    const data = adapters.reset(idOf(parsed.operands))
    return { data, text: `Kept as ${data.backup}; ${data.now ?? 'nothing'} counts now.\n` }
  },
}

export const adapterDiff: CliCommand = {
  name: 'adapter diff',
  doc: "Show what one's own adapter changes of the packaged one.",
  operands: [SITE, COMMAND],
  options: [],
  examples: ['unicli adapter diff hackernews top'],
  run({ parts: { adapters }, parsed }) {
    const diff = adapters.diff(idOf(parsed.operands))
    return { data: { same: diff === '', diff }, text: diff === '' ? 'They are the same.\n' : diff }
  },
}

export const adapterMigrate: CliCommand = {
  name: 'adapter migrate',
  doc: 'Bring adapters of older formats, and those of Uni-CLI, up to date; shows what it would change.',
  operands: [PATHS],
  options: [{ flags: '--write', doc: 'change the files, and keep backups' }],
  examples: ['unicli adapter migrate', 'unicli adapter migrate ./adapters --write'],
  run({ parts: { adapters }, parsed, cwd }) {
    const done = adapters.migrate(absolutePaths(parsed.operands, cwd), parsed.bare('--write') ?? false)
    const open = done.flatMap(each => each.open.map(question => `${each.file}: ${question}`))
    return {
      data: done,
      text: done.length === 0 ? 'Nothing to change.\n' : done.map(each => each.diff).join('\n'),
      notes: open,
    }
  },
}

/** `site command` or `site.command`. */
function idOf(operands: readonly string[]): AdapterId {
  const [site = '', command, ...more] = operands.join('.').split('.')
  if (command !== undefined && more.length === 0) return adapterId(site, command)
  throw new Failure('usage', {
    problem: `"${operands.join(' ')}" names no command of a site.`,
    hint: 'Give a site and a command, such as hackernews top.',
  })
}

function baseOf(address: string): string {
  if (/^https?:\/\//.test(address) && URL.canParse(address))
    // Written anew, it holds nothing that means something to YAML.
    return new URL(address).href.replace(/\/+$/, '')
  throw new Failure('usage', {
    problem: `--base takes an address, not "${address}".`,
    hint: 'For example: --base https://example.com',
  })
}
