import { Failure } from '../../../shared/failures.ts'
import type { AccessCheck } from '../../ports/access.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type {
  CommandLine,
  CommandOutput,
  EndedCommand,
  ProcessFactory,
  ProcessPort,
} from '../../ports/process.ts'
import { Child } from './child.ts'
import { executablePath } from './executables.ts'

/** What every program needs to work at all. None of these holds a secret. */
const ALWAYS = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  ...['SystemRoot', 'SYSTEMDRIVE', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
]

export const createProcessFactory = (): ProcessFactory => ({
  environment,
  open: options => new Processes(options),
})

function environment(names: readonly string[]): Record<string, string> {
  const set = names.flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(set)
}

interface Rights {
  access: AccessCheck
  executables: readonly string[]
  env: readonly string[]
}

class Processes implements ProcessPort {
  readonly #rights: Rights

  constructor(rights: Rights) {
    this.#rights = rights
  }

  async run(line: CommandLine, { signal }: CallOptions): Promise<CommandOutput> {
    const { executables, env, access } = this.#rights
    const unknown = Object.keys(line.env).find(name => !env.includes(name))
    if (unknown !== undefined)
      throw new Failure('adapter_invalid', {
        file: 'the environment of a program',
        line: null,
        reason: `${unknown} is not declared: add it to the adapter's env`,
      })
    const found: { name: string; argv: [string, ...string[]] }[] = []
    for (const [name = '', ...args] of line.commands) {
      if (!executables.includes(name))
        throw new Failure('executable_not_declared', { executable: name, declared: [...executables] })
      found.push({ name, argv: [await executablePath(name), ...args] })
    }
    for (const { argv } of found) await access({ kind: 'execute', argv, cwd: line.cwd })
    signal.throwIfAborted()
    const options = { cwd: line.cwd, env: { ...environment([...ALWAYS, ...env]), ...line.env } }
    const children: Child[] = []
    const stop = () => {
      for (const child of children) child.end()
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      for (const { name, argv } of found) children.push(new Child(name, argv, options))
      const output = await outputOf(children, line)
      signal.throwIfAborted()
      return output
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      signal.removeEventListener('abort', stop)
      stop()
    }
  }
}

/** Connects the children, feeds the first and reads the last. */
async function outputOf(children: readonly Child[], line: CommandLine): Promise<CommandOutput> {
  const last = children.at(-1)
  if (last === undefined) throw new Failure('internal', { reason: 'a line without commands' })
  for (const [index, child] of children.entries()) child.feed(children[index - 1]?.stdout ?? line.stdin)
  try {
    return { stdout: await last.read(line.maxBytes), ended: await allEnded(children) }
  } catch (error) {
    for (const child of children) child.end()
    // That one of them did not start tells more than that its output broke off.
    await allEnded(children)
    throw error
  }
}

async function allEnded(children: readonly Child[]): Promise<EndedCommand[]> {
  const ended = await Promise.all(children.map(child => child.ended))
  return ended.map(each => {
    if (Failure.is(each)) throw each
    return each
  })
}
