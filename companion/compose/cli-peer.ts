import { Failure } from '../../shared/failures.ts'
import type { Peer } from '../daemon/server.ts'
import { CLI_EVENT, RUN_METHOD } from '../surfaces/cli/channel.ts'
import type { CliIo } from '../surfaces/cli/request.ts'
import type { CliSurface } from '../surfaces/cli/surface.ts'
import { TextQueue } from './text-queue.ts'

/** Runs the one command line that a thin client sends, on the client's streams. */
export function serveCli(peer: Peer, surface: CliSurface): void {
  const abort = new AbortController()
  const stdin = new TextQueue()
  const tell = (name: string, data: unknown) => {
    peer.send({ k: 'event', name, data })
  }
  const io: CliIo = {
    out: text => tell(CLI_EVENT.out, text),
    err: text => tell(CLI_EVENT.err, text),
    effect: effect => tell(CLI_EVENT.effect, effect),
    stdin: () => {
      tell(CLI_EVENT.wantStdin, null)
      return stdin
    },
    signal: abort.signal,
  }
  peer.onClose(() => {
    stdin.end()
    abort.abort(new Failure('cancelled', { by: 'client' }))
  })
  peer.onFrame(frame => {
    if (frame.k === 'event' && frame.name === CLI_EVENT.in)
      stdin.push(typeof frame.data === 'string' ? frame.data : null)
    else if (frame.k === 'stop') abort.abort(new Failure('cancelled', { by: 'person' }))
    else if (frame.k === 'call' && frame.method === RUN_METHOD) {
      const { id } = frame
      surface.run(frame.params, io).then(
        exit_code => peer.send({ k: 'done', id, result: { exit_code } }),
        (error: unknown) => peer.send({ k: 'fail', id, failure: Failure.from(error).toJSON() }),
      )
    }
  })
}
