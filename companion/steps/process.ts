import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import type { EndedCommand } from '../ports/process.ts'
import { asText, readText, TEXT_FORMS } from './text-forms.ts'

const MB = 1024 * 1024
const Argument = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const Argv = z.array(Argument).min(1)

const Options = {
  cwd: z.string().min(1).optional().describe("a granted folder; default: the run's temp folder"),
  env: z
    .record(z.string(), Argument)
    .default({})
    .describe('values for names that the adapter declares; those that are set anyway need no mention'),
  parse: z.enum(TEXT_FORMS).default('text').describe('what the output is'),
  exit_codes: z
    .array(z.number().int().min(0).max(255))
    .min(1)
    .default([0])
    .describe('those that are no failure'),
  max_bytes: z
    .number()
    .int()
    .min(1)
    .max(256 * MB)
    .default(10 * MB)
    .describe('most output'),
  effect: z
    .enum(['read', 'write'])
    .default('write')
    .describe('read says that it changes nothing, so that it may run again'),
}
const Exec = z.strictObject({
  argv: Argv.describe('program and arguments, one each; no shell reads them'),
  stdin: z.unknown().optional().describe('what it reads; what is no text goes as JSON'),
  ...Options,
})
const Pipe = z.strictObject({
  commands: z.array(Argv).min(1).max(8).describe('each reads what the one before it writes'),
  stdin: z.unknown().optional().describe('what the first one reads; default: the data'),
  ...Options,
})

const effectOf = (options: Readonly<Record<string, unknown>>) =>
  options.effect === 'read' ? 'read' : 'write'

/** Programs that are written out; what a template fills in is judged when it runs. */
const literal = (argv: unknown): string[] => {
  const program: unknown = Array.isArray(argv) ? argv[0] : undefined
  return typeof program === 'string' && !program.includes('${{') ? [program] : []
}

export const exec = defineStep({
  name: 'exec',
  doc: 'Run a program that the adapter declares, without a shell, and give its output.',
  needs: ['process', 'files'],
  effect: 'inherits',
  effectOf,
  executables: ({ argv }) => literal(argv),
  schema: Exec,
  example: { argv: ['git', 'log', '--format=%s', '-n', '${{ args.limit }}'], parse: 'lines', effect: 'read' },
  run: async (ctx, { argv, stdin, ...options }) => runLine(ctx, [argv], stdin, options),
})

export const pipe = defineStep({
  name: 'pipe',
  doc: 'Send the data through programs that the adapter declares, one after the other, and give the output.',
  needs: ['process', 'files'],
  effect: 'inherits',
  effectOf,
  executables: ({ commands }) => (Array.isArray(commands) ? commands.flatMap(literal) : []),
  schema: Pipe,
  example: {
    commands: [
      ['sort', '-u'],
      ['head', '-n', '5'],
    ],
    parse: 'lines',
    effect: 'read',
  },
  run: async (ctx, { commands, stdin, ...options }) => runLine(ctx, commands, stdin ?? ctx.data, options),
})

type LineOptions = Omit<z.output<typeof Exec>, 'argv' | 'stdin'>

async function runLine(
  ctx: StepContext<'process' | 'files'>,
  commands: readonly string[][],
  stdin: unknown,
  options: LineOptions,
): Promise<unknown> {
  const { stdout, ended } = await ctx.process.run(
    {
      commands,
      cwd: await ctx.files.folder(options.cwd ?? null),
      env: options.env,
      stdin: stdin instanceof Uint8Array ? stdin : asText(stdin),
      maxBytes: options.max_bytes,
      read: options.effect === 'read',
    },
    ctx,
  )
  for (const [index, command] of ended.entries())
    failOnExit(command, options.exit_codes, index === ended.length - 1)
  return readText(textFrom(stdout, ended), options.parse, ctx)
}

/** One whose reader has seen enough is ended by its next write; that is no failure. */
function failOnExit(
  { program, exit, signal, stderr }: EndedCommand,
  allowed: number[],
  isLast: boolean,
): void {
  if (exit !== null && allowed.includes(exit)) return
  if (!isLast && signal === 'SIGPIPE') return
  const reason = exit === null ? `it was ended by ${signal}` : `it ended with exit code ${exit}`
  throw new Failure('command_failed', { command: program, reason, output: stderr.slice(-500) })
}

function textFrom(bytes: Uint8Array, ended: readonly EndedCommand[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const what = `The output of ${ended.at(-1)?.program ?? 'the program'}`
    throw new Failure('parse_failed', { what, reason: 'it is not text in UTF-8' }, { cause })
  }
}
