import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Where everything of one user lies. The CLI starts with this alone: it touches no file. */
export interface Paths {
  /** UNICLI_HOME, or ~/.unicli; mode 0700. */
  home: string
  /** True when UNICLI_HOME is not set: a program started by somebody else then finds it by itself. */
  isDefaultHome: boolean
  database: string
  token: string
  config: string
  /** The person's rules: what is denied, asked for, allowed. */
  policy: string
  cookies: string
  adapters: string
  /** Files that operations read and write; always granted. */
  files: string
  /** What setup writes: the native host's wrapper and, on Windows, the manifests. */
  hosts: string
  logs: string
  hostLog: string
  /** What the companion prints, which is nothing unless it crashes: its log is another file. */
  crashLog: string
  run: string
  /** Says where the running companion is: pid, socket, HTTP address. */
  discovery: string
  lock: string
  /** Present after `daemon stop`: native hosts then leave the companion stopped. */
  stopped: string
  /** A socket's path, or a named pipe on Windows. */
  socket: string
}

/** sun_path holds 104 bytes on macOS, 108 on Linux. */
const MAX_SOCKET_BYTES = 100

export function pathsOf(
  env: Record<string, string | undefined> = process.env,
  platform: NodeJS.Platform = process.platform,
): Paths {
  const isDefaultHome = !env.UNICLI_HOME
  const home = isDefaultHome ? join(homedir(), '.unicli') : resolve(env.UNICLI_HOME ?? '')
  const run = join(home, 'run')
  const logs = join(home, 'logs')
  return {
    home,
    isDefaultHome,
    database: join(home, 'state.db'),
    token: join(home, 'token'),
    config: join(home, 'config.yaml'),
    policy: join(home, 'policy.yaml'),
    cookies: join(home, 'cookies'),
    adapters: join(home, 'adapters'),
    files: join(home, 'files'),
    hosts: join(home, 'hosts'),
    logs,
    hostLog: join(logs, 'host.log'),
    crashLog: join(logs, 'crash.log'),
    run,
    discovery: join(run, 'companion.json'),
    lock: join(run, 'companion.lock'),
    stopped: join(run, 'stopped'),
    socket: platform === 'win32' ? pipeName(home) : socketPath(run, home),
  }
}

function socketPath(run: string, home: string): string {
  const own = join(run, 'companion.sock')
  if (Buffer.byteLength(own) <= MAX_SOCKET_BYTES) return own
  const folder = `unicli-${process.getuid?.() ?? 0}-${fingerprint(home)}`
  const inTemp = join(tmpdir(), folder, 'companion.sock')
  return Buffer.byteLength(inTemp) <= MAX_SOCKET_BYTES ? inTemp : join('/tmp', folder, 'companion.sock')
}

/** Pipes share one name space on the machine, so the name tells users and homes apart. */
const pipeName = (home: string): string => `\\\\.\\pipe\\unicli-${fingerprint(`${homedir()}\n${home}`)}`

/** node:crypto takes 10 ms to load, and only long homes and Windows need it. */
const fingerprint = (text: string): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 16)
