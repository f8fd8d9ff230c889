import { onTestFinished } from 'vitest'
import { removeDiscovery, writeDiscovery } from '../../../companion/daemon/discovery.ts'
import { prepareFolders } from '../../../companion/daemon/folder.ts'
import { type CompanionServer, type Peer, startServer } from '../../../companion/daemon/server.ts'
import { ensureToken } from '../../../companion/daemon/token.ts'
import { type Paths, pathsOf } from '../../../companion/state/paths.ts'
import { Browsers } from '../../../companion/substrates/browser/browsers.ts'
import type { PersonHandlers } from '../../../companion/substrates/browser/person.ts'
import { Failure } from '../../../shared/failures.ts'
import { PROTOCOL } from '../../../shared/frame.ts'
import { type RecordingLog, recordingLog } from '../recording-log.ts'
import { type IsolatedEnv, isolatedEnv } from '../temp.ts'
import { type ExtensionSettings, type ScriptedExtension, startExtension } from './extension.ts'
import { noTraffic } from './no-traffic.ts'
import { silentPerson } from './person.ts'
import type { LinkPrograms } from './programs.ts'

/** The companion's end of the link in this process, on a real socket; the hosts are processes of their own. */
export interface LinkRig {
  own: IsolatedEnv
  paths: Paths
  token: string
  browsers: Browsers
  server: CompanionServer
  log: RecordingLog
  /** What the server refused or cut off. */
  refusals: Failure[]
  /** Clients that attached. */
  clients: Peer[]
  /** Starts a host; it ends with the test. */
  extension(settings?: Partial<ExtensionSettings>): ScriptedExtension
  /** Starts a host whose extension has said hello and been welcomed. */
  linked(settings?: Partial<ExtensionSettings>): Promise<ScriptedExtension>
}

export async function startLinkRig(
  programs: LinkPrograms,
  person?: Partial<PersonHandlers>,
): Promise<LinkRig> {
  const own = await isolatedEnv()
  const paths = pathsOf(own.env)
  prepareFolders(paths)
  const token = ensureToken(paths)
  const log = recordingLog()
  const [refusals, clients]: [Failure[], Peer[]] = [[], []]
  const browsers = new Browsers({
    ...{ version: '9.9.9', log, traffic: noTraffic() },
    person: { ...silentPerson(), ...person },
  })
  const server = await startServer({
    ...{ paths, token, version: '9.9.9', onStop: () => undefined },
    onRefusal: failure => refusals.push(failure),
    onHost: peer => browsers.accept(peer),
    onClient: peer => clients.push(peer),
  })
  const discovery = { pid: process.pid, version: '9.9.9', protocol: PROTOCOL, http_url: null, started_at: 0 }
  writeDiscovery(paths, { ...discovery, socket: paths.socket })
  const extensions: ScriptedExtension[] = []
  onTestFinished(async () => {
    for (const { host } of extensions) host.kill('SIGKILL')
    removeDiscovery(paths)
    await server.close(new Failure('companion_unavailable', { reason: 'the test is over' }))
    await own.remove()
  })
  const extension: LinkRig['extension'] = settings => {
    const started = startExtension({ host: programs.host, env: own.env, ...settings })
    extensions.push(started)
    return started
  }
  const linked: LinkRig['linked'] = async settings => {
    const started = extension(settings)
    await started.hello()
    return started
  }
  return { own, paths, token, browsers, server, log, refusals, clients, extension, linked }
}
