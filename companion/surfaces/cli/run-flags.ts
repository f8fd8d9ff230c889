import { STRATEGIES, type Strategy } from '../../../shared/envelope.ts'
import { Failure } from '../../../shared/failures.ts'
import type { RunOptions } from '../../kernel/operation.ts'
import type { Projection } from '../../kernel/projection.ts'
import { RunOptionsSchema } from '../../kernel/run-options.ts'
import { choice } from './choice.ts'
import { type LeafSpec, longOf, type OptionSpec, type Parsed } from './leaf.ts'
import { FORMATS, type Format, isForPeople } from './output/present.ts'

/** Taken by every command. */
export const OUTPUT_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '-f, --format <format>',
    doc: 'how stdout is written: see "unicli help formats"',
    choices: FORMATS,
  },
  { flags: '--select <path>', doc: 'only what is at a dot path or JSONPath of the data' },
  { flags: '--fields <names>', doc: 'only these fields, by comma; a.b for nested ones' },
  { flags: '--pluck <name>', doc: 'only this value of each row, bare, one a line' },
  { flags: '--json', doc: 'the same as --format json' },
  { flags: '-q, --quiet', doc: 'no progress on stderr' },
  { flags: '--no-input', doc: 'never ask on the terminal' },
  {
    flags: '--adapter-dir <folder>',
    doc: 'adapters of this folder win over all others, for this call',
    repeats: true,
  },
  { flags: '-h, --help', doc: 'show this help' },
].map(option => ({ ...option, group: 'Output options:' }))

/** Options of the output go with every command that prints an answer. */
export const withOutputOptions = <L extends LeafSpec>(leaf: L): L => ({
  ...leaf,
  options: [...leaf.options, ...OUTPUT_OPTIONS],
})

/** Taken by every operation. */
export const RUN_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--strategy <name>',
    doc: 'how to reach the site',
    choices: ['auto', ...STRATEGIES],
  },
  { flags: '--profile <name>', doc: 'browser profile, by name or id' },
  { flags: '--session <name>', doc: 'browser session whose tab is used' },
  { flags: '--tab <id>', doc: 'which tab of the session, such as t2; by default its current one' },
  { flags: '--timeout <time>', doc: 'give up after it: 1500 (ms), 10s, 2m' },
  { flags: '--dry-run', doc: 'check everything and send nothing' },
  {
    flags: '--brief',
    doc: 'only the declared columns of each row; so it is when a program reads and no format is named',
  },
  { flags: '--full', doc: 'cut no long text, and give bytes as base64' },
  { flags: '--stream', doc: 'write events while it runs, one JSON a line, then the envelope' },
  { flags: '--args <json>', doc: 'all arguments as one JSON object; - reads it from stdin' },
].map(option => ({ ...option, group: 'Run options:' }))

/** Long flags that no argument of an operation can have. */
export const RESERVED: ReadonlySet<string> = new Set(
  [...OUTPUT_OPTIONS, ...RUN_OPTIONS, { flags: '--version' }].map(({ flags }) => longOf(flags)),
)

export interface OutputFlags {
  format: Format
  /** Values alone, one a line: no format was named. */
  bare: boolean
  /** Nobody named a format, and nobody looks: it is for a model to read. */
  forModel: boolean
  projection: Projection
  stream: boolean
  quiet: boolean
  noInput: boolean
  help: boolean
}

/** @param fallback what counts when there is no --format: see `defaultFormat` */
export function outputFlags(parsed: Parsed, fallback: () => Format): OutputFlags {
  const format = parsed.bare('--json') ? 'json' : parsed.text('--format')
  return {
    format: format === undefined ? fallback() : asFormat(format, '--format'),
    bare: format === undefined && parsed.text('--pluck') !== undefined,
    forModel: format === undefined && fallback() === 'json',
    projection: {
      select: parsed.text('--select'),
      fields: parsed.texts('--fields').flatMap(names =>
        names
          .split(',')
          .map(name => name.trim())
          .filter(Boolean),
      ),
      pluck: parsed.text('--pluck'),
    },
    stream: parsed.bare('--stream') ?? false,
    quiet: parsed.bare('--quiet') ?? false,
    noInput: parsed.bare('--no-input') === false,
    help: parsed.bare('--help') ?? false,
  }
}

/** The environment, then the settings, then whether somebody looks at it. */
export function defaultFormat(env: Record<string, string>, setting: unknown, tty: boolean): Format {
  if (env.UNICLI_OUTPUT) return asFormat(env.UNICLI_OUTPUT, 'UNICLI_OUTPUT')
  if (typeof setting === 'string' && setting !== '') return asFormat(setting, 'output.format')
  return tty ? 'table' : 'json'
}

export function runOptions(
  parsed: Parsed,
  { format, forModel, projection: { select, fields = [], pluck } }: OutputFlags,
): RunOptions {
  const strategy = parsed.text('--strategy')
  const timeout = parsed.text('--timeout')
  const options = RunOptionsSchema.safeParse({
    strategy: strategy === undefined ? undefined : asStrategy(strategy),
    profile: parsed.text('--profile'),
    session: parsed.text('--session'),
    tab: parsed.text('--tab'),
    timeout_ms: timeout === undefined ? undefined : milliseconds(timeout),
    dry_run: parsed.bare('--dry-run'),
    select,
    fields: fields.length === 0 ? undefined : fields,
    pluck,
    brief: parsed.bare('--brief') ?? (forModel || undefined),
    full: parsed.bare('--full') ?? (isForPeople(format) || undefined),
  })
  if (options.success) return options.data
  const [issue] = options.error.issues
  throw new Failure('usage', {
    problem: `The run option ${issue?.path.join('.')} is not right: ${issue?.message}.`,
    hint: 'Add --help for what each option takes.',
  })
}

const UNITS = { ms: 1, s: 1000, m: 60_000 } as const

function milliseconds(text: string): number {
  const [, amount, unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? []
  const value = Math.round(Number(amount) * UNITS[unit as keyof typeof UNITS])
  if (value > 0) return value
  throw new Failure('usage', {
    problem: `--timeout takes a time such as 1500 (ms), 10s or 2m, not "${text}".`,
    hint: 'For example: --timeout 30s',
  })
}

const asStrategy = (name: string): Strategy | 'auto' => choice(name, ['auto', ...STRATEGIES], '--strategy')

function asFormat(name: string, where: string): Format {
  return choice(name, FORMATS, where)
}
