import { orAborted } from '../../shared/abort.ts'
import type { Strategy } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { BrowserPort, BrowserSession } from '../ports/browser.ts'
import type { SiteContext } from '../ports/http.ts'
import type { ConfigPort, EvidencePort, StrategyCachePort } from '../ports/state.ts'
import type { TrafficPort } from '../ports/traffic.ts'
import { anyOrigin, guardedSession, onlyOrigins } from './access.ts'
import { cascade } from './cascade.ts'
import { columnRemark, type KnownColumns } from './known-columns.ts'
import { type LocalFactories, type LocalRights, localPorts } from './local-ports.ts'
import { loginMark } from './login-mark.ts'
import { type NetworkFactories, networkPorts, paced } from './network-ports.ts'
import type { Operation, OperationSource } from './operation.ts'
import { type PlanContext, runPlan } from './pipeline.ts'
import { ownSessionOf } from './run-id.ts'
import { emit, type Run } from './run-state.ts'
import { provesEmpty } from './seen-answers.ts'
import { grantedSession, type PageOrigins } from './site-access.ts'
import { siteBase, siteOrigins } from './site-base.ts'
import type { AnyStep, StepPorts } from './step.ts'
import { grantedTraffic } from './traffic-access.ts'

export interface ActPorts extends LocalFactories, NetworkFactories {
  browser: BrowserPort
  traffic: TrafficPort
  strategies: StrategyCachePort
  evidence: EvidencePort
  known: KnownColumns
  pages: PageOrigins
  config: ConfigPort
}

type AdapterSource = Extract<OperationSource, { kind: 'adapter' }>

/** Does what an operation says: its adapter's plan by the strategy that works, or the one step that it is. */
export async function act(
  run: Run,
  operation: Operation,
  ports: ActPorts,
  steps: ReadonlyMap<string, AnyStep>,
): Promise<unknown> {
  const { source } = operation
  if (run.invocation.options.dry_run === true) return plannedFor(operation, run.args)
  if (source.kind === 'step') return actStep(run, source.step, ports, steps)
  if (source.kind === 'builtin') return actBuiltin(run, source, ports)
  return actAdapter(run, operation, source, ports)
}

/** Nothing found is no answer, unless the adapter or the site's own count says that it is one. */
async function actAdapter(
  run: Run,
  operation: Operation,
  source: AdapterSource,
  ports: ActPorts,
): Promise<unknown> {
  let proven: Strategy | null = null
  const attempt = async (strategy: Strategy): Promise<unknown> => {
    const data = await actPlan(run, operation, source, strategy, ports)
    if (operation.effect !== 'read') return data
    if (!isEmpty(data)) {
      const remark = columnRemark(operation, data, ports.known)
      if (remark !== null) run.notes.push(remark)
      return data
    }
    if (operation.allowEmpty) return data
    // Another strategy may still find something: as nobody, there may be nothing to see.
    if (provesEmpty(run.answers)) proven ??= strategy
    throw new Failure('empty_result', { operation: operation.id })
  }
  const login = () => loginOf(run, operation, ports)
  try {
    return await cascade(run, operation, {
      cache: ports.strategies,
      attempt,
      login,
      evidence: ports.evidence,
    })
  } catch (error) {
    if (proven === null || !Failure.is(error, 'empty_result')) throw error
    run.strategy ??= proven
    return []
  }
}

async function loginOf(run: Run, operation: Operation, ports: ActPorts): Promise<string | null> {
  if (!ports.browser.links().some(link => link.state === 'linked')) return null
  const options = { signal: run.abort.signal, deadline: run.deadline }
  const base = siteBase(operation, ports.config)
  // Who is logged in is not worth a question to the person.
  return run.permits(base) ? loginMark(sessionOf(run, ports), base, options) : null
}

/** Browser operations are asked by the browser itself. */
const NO_ORIGINS: SiteContext['origins'] = { own: null, declared: new Set() }

const isEmpty = (data: unknown): boolean =>
  data === null || data === undefined || (Array.isArray(data) && data.length === 0)

/** What a dry run answers: which steps would run on which arguments. Nothing leaves the machine. */
function plannedFor(operation: Operation, args: Record<string, unknown>): unknown {
  const { source } = operation
  return { operation: operation.id, effect: operation.effect, args, would_run: plansOf(source) }
}

function plansOf(source: OperationSource): Record<string, string[]> {
  if (source.kind === 'step') return { step: [source.step] }
  if (source.kind === 'builtin') return {}
  return Object.fromEntries(
    Object.entries(source.plans).map(([strategy, plan]) => [strategy, plan.map(({ step }) => step.name)]),
  )
}

const NO_RIGHTS: LocalRights = { executables: [], env: [] }

function actBuiltin(
  run: Run,
  source: Extract<OperationSource, { kind: 'builtin' }>,
  ports: ActPorts,
): Promise<unknown> {
  const { surface, options } = run.invocation
  const work = source.run(run.args, {
    runId: run.id,
    surface,
    limits: { scope: options.scope, session: options.session },
    signal: run.abort.signal,
    deadline: run.deadline,
    progress: text => emit(run, { type: 'progress', run_id: run.id, text }),
    browser: () => sessionOf(run, ports),
    files: () => localPorts(run, ports, NO_RIGHTS).files,
  })
  return orAborted(work, run.abort.signal)
}

async function actStep(
  run: Run,
  name: string,
  ports: ActPorts,
  steps: ReadonlyMap<string, AnyStep>,
): Promise<unknown> {
  const step = steps.get(name)
  if (step === undefined) throw new Failure('internal', { reason: `step ${name} is not in the catalogue` })
  if (step.needs.includes('browser')) await settled(run, ports.browser)
  const site = { site: 'browser', base: '', csrf: {}, checkOrigin: anyOrigin, origins: NO_ORIGINS }
  const context: PlanContext = {
    run,
    ports: portsOf(run, 'cookie', site, { executables: step.executables?.(run.args) ?? [], env: [] }, ports),
    scope: { args: {}, vars: {}, data: null, base: '', env: {} },
    path: '',
    // The caller's values are data, never templates.
    literal: true,
  }
  return runPlan([{ step, params: run.args, line: null }], context)
}

/** A browser that is just coming back, after the companion or the browser started, is waited for. */
const settled = (run: Run, browser: BrowserPort): Promise<void> =>
  browser.settled({ signal: run.abort.signal, deadline: run.deadline })

async function actPlan(
  run: Run,
  operation: Operation,
  source: AdapterSource,
  strategy: Strategy,
  ports: ActPorts,
): Promise<unknown> {
  const plan = source.plans[strategy]
  if (plan === undefined)
    throw new Failure('internal', { reason: `${operation.id} has no plan for ${strategy}` })
  if (strategy !== 'public') await settled(run, ports.browser)
  const base = siteBase(operation, ports.config)
  const origins = siteOrigins(operation, ports.config)
  const checkOrigin = onlyOrigins(origins.reachable)
  const { csrf, auth } = source
  const site = { site: operation.site, base, csrf, service: auth?.service, checkOrigin, origins }
  return runPlan(plan, {
    run,
    ports: portsOf(run, strategy, site, source, ports),
    scope: { args: run.args, vars: {}, data: null, base, env: ports.process.environment(source.env) },
    path: '',
    literal: false,
  })
}

/** What an adapter declares that it uses, and how fast. */
interface Rights extends LocalRights {
  rate?: number | undefined
}

/** Ports are opened on first use: a plan that never touches the browser opens none. */
function portsOf(
  run: Run,
  strategy: Strategy,
  site: Omit<SiteContext, 'browser' | 'browserLinked' | 'access'>,
  rights: Rights,
  ports: ActPorts,
): StepPorts {
  let browser: BrowserSession | null = null
  const context: SiteContext = {
    ...site,
    access: paced(run, site.site, rights.rate, ports.rates),
    browser: () => sessionOf(run, ports),
    browserLinked: () => ports.browser.links().some(link => link.state === 'linked'),
  }
  const local = localPorts(run, ports, rights)
  const network = networkPorts(run, strategy, context, rights.executables, ports)
  return {
    person: local.person,
    rates: network.rates,
    credentials: network.credentials,
    get http() {
      return network.http
    },
    get mcp() {
      return network.mcp
    },
    get files() {
      return local.files
    },
    get process() {
      return local.process
    },
    get traffic() {
      const { profile, session } = sessionOf(run, ports)
      return grantedTraffic(ports.traffic.open({ profile: profile.id, session }), run)
    },
    get browser() {
      browser ??= guardedSession(sessionOf(run, ports), run, site.checkOrigin)
      return browser
    },
  }
}

/** A run has one session: the one that it names, or one of its own that ends with it. */
function sessionOf(run: Run, ports: ActPorts): BrowserSession {
  if (run.browser !== null) return run.browser
  const named = run.invocation.options.session
  const standing = run.operation?.source.kind === 'step' ? 'default' : null
  const session = named ?? standing ?? ownSessionOf(run.id)
  run.ownSession = named === undefined && standing === null
  const { tab } = run.invocation.options
  const opened = ports.browser.open({ profile: profileOf(run, ports), session, tab })
  run.browser = grantedSession(opened, run, ports.pages)
  return run.browser
}

/** The profile that the caller names; else the person's preferred one, as long as that one is linked. */
function profileOf(run: Run, { browser, config }: ActPorts): string | null {
  const preferred = config.get('browser.profile')
  const linked = browser
    .links()
    .some(
      ({ state, profile }) => state === 'linked' && (profile.name === preferred || profile.id === preferred),
    )
  return run.invocation.options.profile ?? (linked ? String(preferred) : null)
}
