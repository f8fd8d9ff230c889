import { join } from 'node:path'
import { Failure } from '../shared/failures.ts'
import type { Hop } from '../shared/status.ts'
import { openAuth } from './compose/auth.ts'
import { openDelivery } from './compose/delivery.ts'
import { openGovernor } from './compose/governor.ts'
import { LazyMcp } from './compose/lazy-mcp.ts'
import { endLeftovers } from './compose/leftovers.ts'
import { openLocal } from './compose/local.ts'
import { openManaged } from './compose/managed.ts'
import { News } from './compose/news.ts'
import { personHandlers } from './compose/person.ts'
import { openRepair } from './compose/repair.ts'
import { openState, type State } from './compose/state.ts'
import { Statuses } from './compose/status.ts'
import { endCaptures, openTraffic } from './compose/traffic.ts'
import type { CompanionOptions, RunningCompanion } from './daemon/lifecycle.ts'
import { CLIENT_METHOD } from './daemon/protocol.ts'
import { startServer } from './daemon/server.ts'
import { createKernel, type KernelParts } from './kernel/kernel.ts'
import type { Kernel } from './kernel/operation.ts'
import type { Governor } from './kernel/policy/governor.ts'
import { absolutePaths } from './library/adapter-folders.ts'
import { knownColumns } from './library/adapter-texts.ts'
import { AdapterWorkbench } from './library/adapter-workbench.ts'
import { type Library, openLibrary } from './library/catalogue.ts'
import { diagnose } from './setup/doctor.ts'
import { lastHostFault } from './setup/host-fault.ts'
import { inspectHosts } from './setup/hosts.ts'
import { openCookieFiles } from './state/cookies.ts'
import type { Paths } from './state/paths.ts'
import { openStrategyCache } from './state/strategies.ts'
import { STEPS } from './steps/index.ts'
import { Browsers } from './substrates/browser/browsers.ts'
import { createHttpFactory } from './substrates/http/factory.ts'
import { serveCli } from './surfaces/cli/session.ts'
import { createCliSurface } from './surfaces/cli/surface.ts'
import { createHttpSurface, type HttpSurface } from './surfaces/http/surface.ts'

/**
 * Constructs the companion and opens its doors. The caller holds the lock of this home.
 *
 * @param packageRoot the folder that holds adapters/ and dist/docs-assets/
 */
export async function startCompanion(
  options: CompanionOptions,
  packageRoot: string,
): Promise<RunningCompanion> {
  const { paths, version } = options
  const state = openState(paths)
  const { config, log, ledger, db, evidence } = state
  const statuses = new Statuses(options)
  const news = new News(() => statuses.of(parts))
  const traffic = openTraffic(state, { paths, version })
  const browsers: Browsers = new Browsers({
    ...{ version, log, traffic },
    person: personHandlers(() => parts),
    onLinked: profile => void endLeftovers(profile, parts),
  })
  const cookies = openCookieFiles({ folder: paths.cookies, log })
  const folders = adapterFolders(paths, packageRoot, config)
  const auth = openAuth({
    ...{ paths, config, log, cookies, browser: browsers, kernel: () => parts.kernel },
    folders: () => [folders.packaged, folders.overlay, ...folders.extra()],
  })
  const own = [
    ...auth.operations,
    ...openRepair({ paths, folders, library: () => parts.library, kernelParts: () => kernelParts }),
    ...openDelivery(paths, () => parts.kernel),
    ...openManaged(paths, packageRoot, browsers),
  ]
  const library = openLibrary({
    ...folders,
    steps: STEPS,
    builtins: own,
    cache: join(paths.home, 'cache', 'adapters.json'),
    log,
    onChange: news.changed,
  })
  const governor = openGovernor(paths, { config, db, onChange: news.changed })
  const kernelParts: KernelParts = {
    catalogue: library,
    governor,
    steps: STEPS,
    ...{ ledger, evidence, config, traffic, browser: browsers },
    strategies: openStrategyCache({ db }),
    known: operation => knownColumns(folders.packaged, operation),
    ...openLocal(paths, config, version),
    http: createHttpFactory({
      ...{ cookies, cache: state.answers, tokens: auth.tokens, agent: `unicli/${version}` },
    }),
    onChange: news.changed,
    onEvent: news.ran,
    onTakenBack: site => endCaptures(browsers, site ?? null, log),
    onFault: (error, run) => log.error('a run hit a fault', { ...run, error }),
  }
  const kernel = createKernel(kernelParts)
  const parts: Parts = { ...state, kernel, governor, browsers, library, news, httpUrl: null }
  browsers.onChange(news.changed)
  news.onStatus(status => browsers.sendStatus(status))
  return open(options, parts, packageRoot)
}

/** Where adapters lie, the later the stronger. */
const adapterFolders = (paths: Paths, packageRoot: string, config: State['config']) => ({
  packaged: join(packageRoot, 'adapters'),
  overlay: paths.adapters,
  extra: () => absolutePaths(config.get('adapters.dirs') as string[]),
})

interface Parts extends State {
  kernel: Kernel
  governor: Governor
  browsers: Browsers
  library: Library
  news: News
  httpUrl: string | null
}

/** Opens socket and HTTP, and gives what stops them. */
async function open(options: CompanionOptions, parts: Parts, packageRoot: string): Promise<RunningCompanion> {
  const { paths, token, version, requestStop } = options
  const { kernel, governor, ledger, evidence, config, log, browsers, library, news } = parts
  const docsAssets = join(packageRoot, 'dist', 'docs-assets')
  const onFault = (error: unknown) => log.error('a surface hit a fault', { error })
  const takesYes = () => config.get('approvals.over_http') === true
  const mcp = new LazyMcp({ kernel, version, evidence, takesYes, onFault })
  const steps = [...new Set(STEPS.values())]
  const cli = createCliSurface({
    ...{ version, kernel, ledger, evidence, steps, config, governor },
    adapters: workbench(options, parts, packageRoot),
    diagnose: async client => findingsOf(options, parts, { packageRoot, client }),
  })
  const listener = await httpSurface(options, parts, { mcp, onFault, docsAssets }).listen(
    Number(config.get('http.port')),
  )
  parts.httpUrl = listener.url
  const server = await startServer({
    paths,
    token,
    version,
    onHost: peer => browsers.accept(peer),
    onClient: peer => (peer.attach.role === 'mcp' ? mcp.serve(peer) : serveCli(cli, peer)),
    methods: {
      [CLIENT_METHOD.status]: async () => news.status(),
      [CLIENT_METHOD.prove]: call => browsers.prove(call),
    },
    onStop: requestStop,
    onRefusal: failure => log.warn('a connection was refused', { error: failure }),
  })
  library.watch()
  log.info('the companion is up', { version, http: listener.url, operations: library.list().length })
  return {
    http_url: listener.url,
    stop: async reason => {
      log.info('the companion stops', { reason })
      kernel.stop({}, 'companion, which stops')
      await mcp.close()
      await server.close(new Failure('companion_unavailable', { reason: 'it stops' }))
      await listener.close()
      closeState(parts)
      await log.close()
    },
  }
}

function httpSurface(
  { token, version }: CompanionOptions,
  { kernel, ledger, evidence, news, config }: Parts,
  { mcp, onFault, docsAssets }: { mcp: LazyMcp; onFault: (error: unknown) => void; docsAssets: string },
): HttpSurface {
  return createHttpSurface({
    kernel,
    ledger,
    token,
    takesYes: () => config.get('approvals.over_http') === true,
    version,
    docsAssets,
    mcp: mcp.fetch,
    evidence,
    status: news.status,
    onStatus: news.onStatus,
    onRunEvent: news.onRunEvent,
    onFault,
  })
}

function closeState({ news, library, ledger, db }: Parts): void {
  news.close()
  library.close()
  ledger.close()
  db.close()
}

const workbench = (
  { paths }: CompanionOptions,
  { library, config }: Parts,
  packageRoot: string,
): AdapterWorkbench =>
  new AdapterWorkbench({
    ...adapterFolders(paths, packageRoot, config),
    steps: STEPS,
    schema: join(packageRoot, 'docs', 'reference', 'adapter.schema.json'),
    operations: library.list,
  })

/** What doctor says: the state record and the files that setup wrote, read together. */
function findingsOf(
  { paths }: CompanionOptions,
  { news }: Parts,
  { packageRoot, client }: { packageRoot: string; client: string },
): Hop[] {
  const dist = join(packageRoot, 'dist')
  return diagnose({
    status: news.status(),
    version: client,
    hosts: inspectHosts({ paths, host: join(dist, 'bin', 'host.cjs') }),
    hostFault: lastHostFault(paths),
    extensions: join(dist, 'extension'),
  })
}
