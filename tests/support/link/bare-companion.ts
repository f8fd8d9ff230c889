import { runCompanion } from '../../../companion/daemon/lifecycle.ts'
import { CLIENT_METHOD } from '../../../companion/daemon/protocol.ts'
import { startServer } from '../../../companion/daemon/server.ts'
import { pathsOf } from '../../../companion/state/paths.ts'
import { Browsers } from '../../../companion/substrates/browser/browsers.ts'
import { Failure } from '../../../shared/failures.ts'
import { VERSION } from '../../../shared/version.ts'
import { noTraffic } from './no-traffic.ts'
import { emptyStatus, silentPerson } from './person.ts'

/**
 * A companion for tests of its life and of the way to it: real lock, discovery, socket and browsers, no kernel.
 * Clients call `links`, `never` (which gets no answer) and any method of the wire, in session "t".
 */
const quiet = () => undefined

await runCompanion({
  paths: pathsOf(),
  version: VERSION,
  start: async ({ paths, token, version, requestStop }) => {
    if (process.env.UNICLI_TEST_FAIL !== undefined) throw new Error(process.env.UNICLI_TEST_FAIL)
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
    const browsers = new Browsers({ version, person: silentPerson(), log, traffic: noTraffic() })
    const server = await startServer({
      ...{ paths, token, version, onStop: requestStop, onRefusal: quiet },
      methods: {
        [CLIENT_METHOD.status]: async () => ({ ...emptyStatus(), version, profiles: browsers.links() }),
        [CLIENT_METHOD.prove]: call => browsers.prove(call),
      },
      onHost: peer => browsers.accept(peer),
      onClient: peer =>
        peer.onFrame(frame => {
          if (frame.k !== 'call' || frame.method === 'never') return
          const { id } = frame
          const answer = async (): Promise<unknown> => {
            if (frame.method === 'links') return browsers.links()
            if (frame.method !== 'link.ping') return frame.params
            const options = { signal: new AbortController().signal, deadline: frame.deadline }
            await browsers.settled(options)
            return await browsers.open({ profile: null, session: 't' }).call('link.ping', {}, options)
          }
          void answer().then(
            result => peer.send({ k: 'done', id, result }),
            error => peer.send({ k: 'fail', id, failure: Failure.from(error).toJSON() }),
          )
        }),
    })
    return {
      http_url: null,
      stop: reason => server.close(new Failure('companion_unavailable', { reason: `it stops: ${reason}` })),
    }
  },
})
