import { join } from 'node:path'
import type { GovernorParts } from '../../companion/kernel/policy/governor.ts'
import type { AnyStep } from '../../companion/kernel/step.ts'
import { openPolicy } from '../../companion/library/policy-file.ts'
import type { ConfigStorePort, LedgerPort, RunRecord } from '../../companion/ports/state.ts'
import { openConfig } from '../../companion/state/config.ts'
import { STEPS } from '../../companion/steps/index.ts'
import type { CliRequest } from '../../companion/surfaces/cli/request.ts'
import { createCliSurface } from '../../companion/surfaces/cli/surface.ts'
import type { Hop } from '../../shared/status.ts'
import { governorOf, HOME } from './governor.ts'
import { type Script, type ScriptedKernel, scriptedKernel } from './scripted-kernel.ts'
import { makeTempDir } from './temp.ts'
import { workbenchIn } from './workbench.ts'

export interface Typed {
  code: number
  out: string
  err: string
}

export interface TypeOptions {
  /** Which streams are a terminal; none by default, as for an agent. */
  tty?: Partial<CliRequest['tty']>
  env?: Record<string, string>
  /** What the client's stdin gives; reading it without this fails the test. */
  stdin?: AsyncIterable<string> | Iterable<string>
  signal?: AbortSignal
  /** Sees what goes to stderr as it goes. */
  onErr?: (text: string) => void
}

/** The CLI surface on a scripted kernel, a real settings file of its own and a ledger of given runs. */
export interface CliStage {
  kernel: ScriptedKernel
  config: ConfigStorePort
  /** Runs one command line. */
  type(argv: readonly string[], options?: TypeOptions): Promise<Typed>
  /** Hands the surface something that may be no request at all. */
  send(request: unknown): Promise<number>
  /** The same on a terminal 80 columns wide, without colours. */
  typeAtTerminal(argv: readonly string[], options?: TypeOptions): Promise<Typed>
  remove(): Promise<void>
}

export async function cliStage(
  scripts: readonly Script[],
  given: {
    runs?: readonly RunRecord[]
    hops?: readonly Hop[]
    steps?: readonly AnyStep[]
    governor?: Partial<GovernorParts>
  } = {},
): Promise<CliStage> {
  const dir = await makeTempDir()
  const kernel = scriptedKernel(scripts)
  const config = openConfig(join(dir.path, 'config.yaml'))
  const surface = createCliSurface({
    version: '1.2.3',
    kernel,
    ledger: ledgerOf(given.runs ?? []),
    evidence: { get: () => null },
    steps: given.steps ?? [...STEPS.values()],
    config,
    governor: governorOf({}, { policy: openPolicy(join(dir.path, 'policy.yaml'), HOME), ...given.governor }),
    adapters: workbenchIn(dir.path, () => kernel.catalogue.list()),
    diagnose: async () => given.hops ?? [],
  })
  const type: CliStage['type'] = async (argv, options = {}) => {
    const typed = { code: -1, out: '', err: '' }
    const request: CliRequest = {
      version: '1.2.3',
      argv: [...argv],
      cwd: '/',
      env: options.env ?? {},
      tty: { stdin: false, stdout: false, stderr: false, columns: null, ...options.tty },
    }
    typed.code = await surface.run(request, {
      out: text => {
        typed.out += text
      },
      err: text => {
        typed.err += text
        options.onErr?.(text)
      },
      effect: () => undefined,
      stdin: () => streamOf(options.stdin),
      signal: options.signal ?? new AbortController().signal,
    })
    return typed
  }
  const typeAtTerminal: CliStage['typeAtTerminal'] = (argv, options = {}) =>
    type(argv, {
      ...options,
      env: { NO_COLOR: '1', ...options.env },
      tty: { stdin: true, stdout: true, stderr: true, columns: 80, ...options.tty },
    })
  const ignore = () => undefined
  const quiet = { out: ignore, err: ignore, effect: ignore, stdin: () => streamOf(undefined) }
  const send: CliStage['send'] = request =>
    surface.run(request, { ...quiet, signal: new AbortController().signal })
  return { kernel, config, type, send, typeAtTerminal, remove: dir.remove }
}

async function* streamOf(source: TypeOptions['stdin']): AsyncIterable<string> {
  if (source === undefined) throw new Error('stdin was read, but nothing was to be read from it')
  yield* source
}

const ledgerOf = (runs: readonly RunRecord[]): LedgerPort => ({
  begin: () => undefined,
  step: () => undefined,
  request: () => undefined,
  finish: () => undefined,
  get: id => runs.find(run => run.run_id === id) ?? null,
  list: ({ limit, operation, state }) =>
    runs
      .filter(run => operation === undefined || run.operation === operation)
      .filter(run => state === undefined || run.state === state)
      .slice(0, limit)
      .map(({ run_id, operation: id, profile, state: at, started_at, duration_ms, code }) => ({
        run_id,
        operation: id,
        profile,
        state: at,
        started_at,
        duration_ms,
        code,
      })),
})
