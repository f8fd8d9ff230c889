import { Failure } from '../../shared/failures.ts'
import type { Frame } from '../../shared/frame.ts'
import type { Attached } from '../daemon/client.ts'
import { FrameConnection } from '../daemon/connection.ts'
import { CLI_EVENT, type CliResult, RUN_METHOD } from '../surfaces/cli/channel.ts'
import type { CliRequest } from '../surfaces/cli/request.ts'

const CALL_ID = 'run'
/** How long a command may last is the companion's to say; this only keeps a lost one from staying for ever. */
const DEADLINE_MS = 24 * 3600 * 1000
const INTERRUPTED = 130

/**
 * Has the companion run one command line on this process's streams. Resolves with its exit code; fails as the
 * companion fails, and with link_lost, or outcome_unknown once a write may have left, when it goes away.
 */
export function callCompanion({ stream }: Attached, request: CliRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    let writes = false
    const connection = new FrameConnection(stream, { parse: value => value as Frame, onFrame })
    connection.onClose(fault => reject(fault ?? lost(request, writes)))
    connection.send({
      k: 'call',
      id: CALL_ID,
      method: RUN_METHOD,
      params: request,
      deadline: Date.now() + DEADLINE_MS,
    })
    stopOnInterrupt(connection)

    function onFrame(frame: Frame): void {
      if (frame.k === 'event') onEvent(frame.name, frame.data)
      else if (frame.k === 'done') resolve((frame.result as CliResult).exit_code)
      else if (frame.k === 'fail') reject(Failure.fromJSON(frame.failure))
      else if (frame.k === 'welcome' && frame.refused !== null) reject(Failure.fromJSON(frame.refused))
    }

    function onEvent(name: string, data: unknown): void {
      if (name === CLI_EVENT.out) process.stdout.write(String(data))
      else if (name === CLI_EVENT.err) process.stderr.write(String(data))
      else if (name === CLI_EVENT.wantStdin) sendStdin(connection)
      else if (name === CLI_EVENT.effect) writes = data === 'write' || data === 'destructive'
    }
  })
}

/** The first Ctrl-C asks the companion to stop the run, whose end is then told as ever; the second does not wait. */
function stopOnInterrupt(connection: FrameConnection): void {
  let isStopping = false
  process.on('SIGINT', () => {
    if (isStopping) process.exit(INTERRUPTED)
    isStopping = true
    connection.send({ k: 'stop', id: CALL_ID })
  })
}

/** Nothing is read before it is wanted: stdin may belong to whoever started us. */
function sendStdin(connection: FrameConnection): void {
  const { stdin } = process
  const send = (data: string | null) => connection.send({ k: 'event', name: CLI_EVENT.in, data })
  connection.onDrain(() => stdin.resume())
  stdin.setEncoding('utf8')
  stdin.on('data', chunk => {
    if (!send(String(chunk))) stdin.pause()
  })
  stdin.on('end', () => send(null))
  // A terminal that went away has no more to say.
  stdin.on('error', () => send(null))
}

function lost({ argv }: CliRequest, writes: boolean): Failure {
  return writes
    ? new Failure('outcome_unknown', { action: `unicli ${argv.slice(0, 2).join(' ')}` })
    : new Failure('link_lost', { hop: 'companion' })
}
