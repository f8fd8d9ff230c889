import { describe, expect, test } from 'vitest'
import type { LinkState } from '../../shared/status.ts'
import { emptyStatus } from '../../tests/support/link/person.ts'
import { diagnose, type Findings } from './doctor.ts'
import type { PlaceState } from './hosts.ts'

const place = (over: Partial<PlaceState> = {}): PlaceState => ({
  ...{ browser: 'Chromium', manifest: '/m.json', state: 'ok', isRunning: true },
  ...over,
})
const link = (over: Partial<LinkState> = {}): LinkState => ({
  ...{ profile: { id: 'p', name: 'Work' }, browser: 'Chromium 156', extension_version: '1.0.0', protocol: 1 },
  ...{ state: 'linked', cause: 'ok', since: 0, rtt_ms: 3, managed: null },
  ...over,
})
const findings = (over: Partial<Findings> = {}): Findings => ({
  status: { ...emptyStatus(), version: '1.0.0', operations: 5, profiles: [link()] },
  version: '1.0.0',
  hosts: { wrapper: { path: '/w', state: 'ok' }, places: [place()] },
  hostFault: null,
  extensions: '/dist/extension',
  ...over,
})
const linkedBy = (...profiles: LinkState[]) => ({ status: { ...emptyStatus(), version: '1.0.0', profiles } })
const broken = (over: Partial<Findings>) =>
  diagnose(findings(over))
    .filter(hop => !hop.ok)
    .map(({ hop, cause, mend }) => [hop, cause, mend])

test('in order, each hop is told in one line and nothing is to be mended', () => {
  expect(diagnose(findings())).toEqual(
    [
      ['companion', `Version 1.0.0, process ${process.pid}, 5 operations.`],
      ['native host', '/w names Node and the program.'],
      ['manifest for Chromium', '/m.json names our host.'],
      ['link to Work', 'Chromium 156, extension 1.0.0, round trip 3 ms.'],
    ].map(([hop, detail]) => ({ hop, ok: true, cause: 'ok', detail, mend: null })),
  )
})

describe('the companion', () => {
  test('that cannot be asked is the broken hop, and nothing is said of links', () => {
    const hops = diagnose(findings({ status: null, unreachable: 'The disk is full.' }))
    expect(hops[0]).toMatchObject({
      cause: 'companion_down',
      detail: 'The disk is full.',
      mend: 'unicli daemon start',
    })
    expect(hops.map(({ hop }) => hop)).toEqual(['companion', 'native host', 'manifest for Chromium'])
  })

  test('of another version is to be restarted', () => {
    expect(broken({ version: '2.0.0' })).toEqual([['companion', 'version_skew', 'unicli daemon stop']])
  })

  test('with broken adapters works, and says where they are told', () => {
    const status = {
      ...findings().status,
      ...emptyStatus(),
      version: '1.0.0',
      adapter_faults: 2,
      profiles: [link()],
    }
    expect(diagnose(findings({ status }))[0]).toMatchObject({
      ok: true,
      cause: 'adapter_faults',
      mend: 'unicli list',
    })
  })
})

test.each([
  ['missing', 'host_missing'],
  ['node_missing', 'host_node_missing'],
  ['host_missing', 'host_program_missing'],
  ['stale', 'host_stale'],
] as const)('a native host that is %s has the cause %s, which setup mends', (state, cause) => {
  const hosts = { wrapper: { path: '/w', state }, places: [place()] }
  expect(broken({ hosts })).toEqual([['native host', cause, 'unicli setup']])
})

describe('manifests', () => {
  const hosts = (...places: PlaceState[]) => ({
    hosts: { wrapper: { path: '/w', state: 'ok' as const }, places },
  })

  test('missing or out of date are mended by setup', () => {
    expect(broken(hosts(place({ state: 'missing' })))).toEqual([
      ['manifest for Chromium', 'manifest_missing', 'unicli setup'],
    ])
    expect(broken(hosts(place(), place({ browser: 'Brave', state: 'stale' })))).toEqual([
      ['manifest for Brave', 'manifest_stale', 'unicli setup'],
    ])
  })

  test('missing for a second browser are told and no fault', () => {
    const told = diagnose(findings(hosts(place(), place({ browser: 'Firefox', state: 'missing' }))))
    expect(told).toContainEqual(
      expect.objectContaining({
        hop: 'manifest for Firefox',
        ok: true,
        cause: 'manifest_missing',
        mend: 'unicli setup',
      }),
    )
  })

  test('of no browser at all say that one is needed', () => {
    expect(broken(hosts())[0]?.slice(0, 2)).toEqual(['browser', 'no_browser_found'])
  })
})

describe('links', () => {
  const stopped = {
    hosts: { wrapper: { path: '/w', state: 'ok' as const }, places: [place({ isRunning: false })] },
  }

  test('of a version that is not spoken name the extension to load', () => {
    const refused = link({ state: 'refused', cause: 'version_skew' })
    expect(broken(linkedBy(refused))).toEqual([
      ['link to Work', 'version_skew', 'load /dist/extension/chrome at chrome://extensions'],
    ])
    expect(broken(linkedBy({ ...refused, browser: 'Firefox 153' }))[0]?.[2]).toMatch(
      /firefox.*about:debugging/,
    )
  })

  test('of a silent browser are broken, those of profiles that were closed are not while another is linked', () => {
    expect(broken(linkedBy(link({ cause: 'browser_silent' })))[0]?.[1]).toBe('browser_silent')
    const closed = link({ state: 'lost', cause: 'host_ended', profile: { id: 'q', name: 'Home' } })
    expect(broken(linkedBy(closed, link()))).toEqual([])
    expect(broken(linkedBy(closed))).toEqual([['link to Home', 'host_ended', 'unicli doctor']])
  })

  test('that never were tell the fault of the host, a browser that does not run, or a missing extension', () => {
    const none = linkedBy()
    const hostFault = { text: 'refused: nobody', at: 5 }
    expect(broken({ ...none, hostFault })).toEqual([['link', 'host_fault', 'unicli daemon logs']])
    expect(broken({ ...none, ...stopped })).toEqual([['link', 'browser_not_running', 'start the browser']])
    expect(broken(none)[0]?.slice(0, 2)).toEqual(['link', 'extension_absent'])
  })

  test('a fault of a host that was there before the companion started is old news', () => {
    const status = { ...emptyStatus(), version: '1.0.0', started_at: 10 }
    expect(broken({ status, hostFault: { text: 'x', at: 5 } })[0]?.[1]).toBe('extension_absent')
  })

  test('of a browser that was closed say so', () => {
    const lost = linkedBy(link({ state: 'lost', cause: 'host_ended' }))
    expect(broken({ ...lost, ...stopped })).toEqual([
      ['link to Work', 'browser_not_running', 'start the browser'],
    ])
  })
})
