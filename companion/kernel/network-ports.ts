import type { Strategy } from '../../shared/envelope.ts'
import type { AccessCheck } from '../ports/access.ts'
import type { HttpFactory, HttpPort, SiteContext } from '../ports/http.ts'
import type { McpFactory, McpPort } from '../ports/mcp.ts'
import type { RatePort } from '../ports/rates.ts'
import { guardedHttp, guardedMcp } from './access.ts'
import { Credentials, type Leases } from './credentials.ts'
import type { Run } from './run-state.ts'
import type { StepPorts } from './step.ts'

export interface NetworkFactories {
  http: HttpFactory
  mcp: McpFactory
  rates: RatePort
  leases: Leases
}

/** What reaches the network in one run, opened on first use; what it opened ends with the run. */
export function networkPorts(
  run: Run,
  strategy: Strategy,
  site: SiteContext,
  executables: readonly string[],
  { http: clients, mcp: servers, rates, leases }: NetworkFactories,
): Pick<StepPorts, 'http' | 'mcp' | 'rates' | 'credentials'> {
  const credentials = new Credentials(leases)
  let http: HttpPort | null = null
  let mcp: McpPort | null = null
  const client = (): HttpPort => {
    http ??= credentials.over(guardedHttp(clients.open(strategy, site), run, site.checkOrigin))
    return http
  }
  return {
    rates,
    credentials,
    get http() {
      return client()
    },
    get mcp() {
      if (mcp !== null) return mcp
      const own = servers.open({ http: client(), access: site.access })
      run.ends.push(() => own.close())
      mcp = guardedMcp(own, run, executables)
      return mcp
    },
  }
}

/** Judges as the run does, and holds what goes to the network back to the pace that the adapter declares. */
export const paced =
  (run: Run, site: string, perMinute: number | undefined, rates: RatePort): AccessCheck =>
  async access => {
    await run.access(access)
    if (access.kind !== 'network' || perMinute === undefined) return
    await rates.take(
      { name: `site ${site}`, perMinute },
      { signal: run.abort.signal, deadline: run.deadline },
    )
  }
