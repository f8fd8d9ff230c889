import type { Hop, LinkState, Status } from '../../shared/status.ts'
import type { HostsState, PlaceState } from './hosts.ts'

export interface Findings {
  /** The companion's one state record; null when it could not be asked, for the reason given. */
  status: Status | null
  unreachable?: string | undefined
  /** Of the command that asks. */
  version: string
  hosts: HostsState
  /** The last fault that a native host logged; null when there was none. */
  hostFault: { text: string; at: number } | null
  /** Folder that holds the extensions that came with this version: chrome/ and firefox/. */
  extensions: string
}

/** Reads the state record and the files that setup wrote, and says what they mean. Asks nobody. */
export function diagnose(findings: Findings): Hop[] {
  return [
    companionHop(findings),
    programHop(findings.hosts.wrapper),
    ...placeHops(findings.hosts.places),
    ...linkHops(findings),
  ]
}

const fine = (hop: string, detail: string): Hop => ({ hop, ok: true, cause: 'ok', detail, mend: null })
const broken = (hop: string, cause: string, detail: string, mend: string): Hop => ({
  hop,
  ok: false,
  cause,
  detail,
  mend,
})

function companionHop({ status, unreachable, version }: Findings): Hop {
  if (status === null)
    return broken('companion', 'companion_down', unreachable ?? 'It does not run.', 'unicli daemon start')
  const where = `Version ${status.version}, process ${status.pid}`
  if (status.version !== version)
    return broken(
      'companion',
      'version_skew',
      `${where}; this command is version ${version}.`,
      'unicli daemon stop',
    )
  if (status.adapter_faults > 0)
    return {
      ...fine(
        'companion',
        `${where}, ${status.operations} operations, ${status.adapter_faults} broken adapters.`,
      ),
      cause: 'adapter_faults',
      mend: 'unicli list',
    }
  return fine('companion', `${where}, ${status.operations} operations.`)
}

const PROGRAM_FAULTS: Record<
  Exclude<HostsState['wrapper']['state'], 'ok'>,
  [cause: string, detail: string]
> = {
  missing: ['host_missing', 'Nothing was installed that a browser could start.'],
  node_missing: ['host_node_missing', 'The Node that it names is gone, as after an update of Node.'],
  host_missing: ['host_program_missing', 'The program that it names is gone, as after unicli was moved.'],
  stale: ['host_stale', 'It was written by another installation of unicli.'],
}

function programHop({ path, state }: HostsState['wrapper']): Hop {
  if (state === 'ok') return fine('native host', `${path} names Node and the program.`)
  return broken('native host', ...PROGRAM_FAULTS[state], 'unicli setup')
}

function placeHops(places: readonly PlaceState[]): Hop[] {
  if (places.length === 0)
    return [
      broken(
        'browser',
        'no_browser_found',
        'No Chrome, Chromium, Edge, Brave, Vivaldi or Firefox is on this computer.',
        'install one, then run unicli setup',
      ),
    ]
  // One browser is enough for an agent; that others are not linked may be what the person wants.
  const isOneTold = places.some(({ state }) => state === 'ok')
  return places.map(({ browser, manifest, state }) => {
    const hop = `manifest for ${browser}`
    if (state === 'ok') return fine(hop, `${manifest} names our host.`)
    if (state === 'stale')
      return broken(hop, 'manifest_stale', `${manifest} is not what setup would write.`, 'unicli setup')
    return {
      ...broken(hop, 'manifest_missing', `${browser} does not know our host.`, 'unicli setup'),
      ok: isOneTold,
    }
  })
}

function linkHops(findings: Findings): Hop[] {
  const { status } = findings
  if (status === null) return []
  // Profiles that were closed are no fault as long as another one is linked.
  const linked = status.profiles.filter(link => link.state !== 'lost')
  const shown = linked.length > 0 ? linked : status.profiles.slice(-1)
  return shown.length > 0 ? shown.map(link => linkHop(link, findings)) : [neverLinked(findings, status)]
}

function linkHop(link: LinkState, findings: Findings): Hop {
  const hop = `link to ${link.profile.name}`
  const what = `${link.browser}, extension ${link.extension_version}`
  if (link.cause === 'ok')
    return fine(hop, `${what}${link.rtt_ms === null ? '' : `, round trip ${link.rtt_ms} ms`}.`)
  if (link.cause === 'browser_silent')
    return broken(hop, link.cause, `${what}: the browser has not answered for a while.`, 'look at its window')
  if (link.cause === 'version_skew')
    return broken(
      hop,
      link.cause,
      `${what}: its protocol ${link.protocol} is not spoken here.`,
      loading(findings, link.browser),
    )
  const { isAny, isRunning } = runningOf(findings)
  if (isAny && !isRunning)
    return broken(hop, 'browser_not_running', `${what} was linked and is closed.`, 'start the browser')
  return broken(hop, link.cause, `${what} was linked and is gone.`, 'unicli doctor')
}

function neverLinked(findings: Findings, { started_at }: Status): Hop {
  const { hostFault } = findings
  if (hostFault !== null && hostFault.at >= started_at)
    return broken('link', 'host_fault', `The native host logged: ${hostFault.text}`, 'unicli daemon logs')
  const { isAny, isRunning } = runningOf(findings)
  if (isAny && !isRunning)
    return broken(
      'link',
      'browser_not_running',
      'No browser that knows our host is running.',
      'start the browser',
    )
  return broken(
    'link',
    'extension_absent',
    'No browser has called: the extension is not installed there, or switched off.',
    loading(findings, findings.hosts.places[0]?.browser ?? ''),
  )
}

/** Whether the browsers show if they run, and whether one does. */
function runningOf({ hosts }: Findings): { isAny: boolean; isRunning: boolean } {
  const told = hosts.places.filter(place => place.isRunning !== null)
  return {
    isAny: told.length > 0 && told.length === hosts.places.length,
    isRunning: told.some(place => place.isRunning),
  }
}

const loading = ({ extensions }: Findings, browser: string): string =>
  browser.startsWith('Firefox')
    ? `load ${extensions}/firefox/manifest.json at about:debugging`
    : `load ${extensions}/chrome at chrome://extensions`
