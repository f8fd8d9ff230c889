import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { BrowserSession } from '../../companion/ports/browser.ts'
import { MAX_FRAME_BYTES } from '../../shared/frame.ts'
import { buildLinkPrograms, type LinkPrograms } from '../support/link/programs.ts'
import { type LinkRig, startLinkRig } from '../support/link/rig.ts'
import { waitFor } from '../support/processes.ts'

let programs: LinkPrograms
beforeAll(async () => {
  programs = await buildLinkPrograms()
})
afterAll(() => programs.remove())

const within = (ms: number) => ({ signal: new AbortController().signal, deadline: Date.now() + ms })
const read = (session: BrowserSession) => session.call('session.tabs', {}, within(20_000))
const write = (session: BrowserSession, key = 'Enter') =>
  session.call('page.press', { key, target: null }, within(20_000))
/** What a call ended with; observed from the start, so that an early failure is not an unhandled one. */
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

/** Resolves when the state record says so. */
function state(
  rig: LinkRig,
  fits: (links: ReturnType<LinkRig['browsers']['links']>) => boolean,
): Promise<void> {
  return new Promise(resolve => {
    const look = () => {
      if (!fits(rig.browsers.links())) return
      end()
      resolve()
    }
    const end = rig.browsers.onChange(look)
    look()
  })
}

describe('when the host dies', () => {
  test('a read is lost, a write has an unknown outcome, and the record says that the host ended', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const session = rig.browsers.open({ profile: null, session: 's' })
    const outcomes = Promise.all([outcome(read(session)), outcome(write(session))])
    await extension.frame('call', call => call.method === 'page.press')
    extension.host.kill('SIGKILL')
    expect(await outcomes).toEqual(['link_lost', 'outcome_unknown'])
    expect(rig.browsers.links()).toMatchObject([{ state: 'lost', cause: 'host_ended', rtt_ms: null }])
  })

  test('a call that comes while it is briefly away waits, and is sent once', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const before = rig.browsers.open({ profile: null, session: 's' })
    await extension.close()
    await state(rig, ([link]) => link?.state === 'lost')
    const calls = Promise.all([read(before), read(rig.browsers.open({ profile: 'Work', session: 's' }))])
    const back = await rig.linked({ answer: () => [] })
    expect(await calls).toEqual([[], []])
    expect(back.frames.filter(frame => frame.k === 'call')).toHaveLength(2)
  })

  test('and does not come back, calls fail after three seconds with the cause', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const session = rig.browsers.open({ profile: null, session: 's' })
    await extension.close()
    await state(rig, ([link]) => link?.state === 'lost')
    await expect(read(session)).rejects.toMatchObject({ code: 'no_browser', params: { cause: 'host_ended' } })
    expect(() => rig.browsers.open({ profile: null, session: 's' })).toThrow(
      expect.objectContaining({ code: 'no_browser', hint: 'Run "unicli doctor".' }),
    )
  })

  test('a waiting call ends at its deadline and when it is aborted', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const session = rig.browsers.open({ profile: null, session: 's' })
    await extension.close()
    await state(rig, ([link]) => link?.state === 'lost')
    const caller = new AbortController()
    const late = outcome(session.call('session.tabs', {}, within(100)))
    const aborted = outcome(session.call('session.tabs', {}, { ...within(9000), signal: caller.signal }))
    caller.abort()
    expect(await Promise.all([late, aborted])).toEqual(['deadline_exceeded', 'cancelled'])
  })
})

test('the same profile on a new host replaces the old link, whose calls end', async () => {
  const rig = await startLinkRig(programs)
  const old = await rig.linked()
  const session = rig.browsers.open({ profile: null, session: 's' })
  const outcomes = Promise.all([outcome(read(session)), outcome(write(session))])
  await old.frame('call', call => call.method === 'page.press')
  await rig.linked({ answer: () => [] })
  expect(await outcomes).toEqual(['link_lost', 'outcome_unknown'])
  expect(await old.ended).toBe(0)
  expect(await read(session)).toEqual([])
  expect(rig.browsers.links()).toMatchObject([{ state: 'linked', profile: { id: 'profile-1' } }])
})

describe('a suspended host', () => {
  test('is found and ended in less than two seconds, and the next one takes over', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked({ answer: call => (call.method === 'session.tabs' ? [] : null) })
    const session = rig.browsers.open({ profile: null, session: 's' })
    await read(session)
    const pending = outcome(write(session))
    await extension.frame('call', call => call.method === 'page.press')
    const started = Date.now()
    extension.host.kill('SIGSTOP')
    expect(await extension.ended).toBe('SIGKILL')
    expect(Date.now() - started).toBeLessThan(2000)
    expect(await pending).toBe('outcome_unknown')
    expect(rig.browsers.links()).toMatchObject([{ state: 'lost', cause: 'host_suspended' }])
    const next = read(session)
    await rig.linked({ answer: () => [] })
    expect(await next).toEqual([])
  })

  test('that is found when a call comes gets none of it: the call waits and goes the next way', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const session = rig.browsers.open({ profile: null, session: 's' })
    extension.host.kill('SIGSTOP')
    await waitFor(() => readFileSync(`/proc/${extension.pid}/stat`, 'utf8').includes(') T '), {
      what: 'the suspension',
      everyMs: 1,
    })
    vi.useFakeTimers({ now: Date.now() + 500, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const pressed = write(session)
    expect(await extension.ended).toBe('SIGKILL')
    const done = { verdict: 'confirmed', effects: [], value: null, url: 'http://x/', title: '' }
    const next = await rig.linked({ answer: () => done })
    expect(await pressed).toMatchObject({ verdict: 'confirmed' })
    expect(next.frames.filter(frame => frame.k === 'call')).toHaveLength(1)
  })

  test('did not get a write that had not wholly left us: that one may be repeated', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const session = rig.browsers.open({ profile: null, session: 's' })
    extension.host.kill('SIGSTOP')
    // However slow this machine is, the host was heard a moment ago.
    vi.useFakeTimers({ now: Date.now() - 10_000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const large = write(session, 'x'.repeat(8 * MAX_FRAME_BYTES))
    expect(await outcome(large)).toBe('link_lost')
  })
})

describe('two profiles', () => {
  const work = { id: 'p-work', name: 'Work' }
  const home = { id: 'p-home', name: 'Home' }

  test('are told apart by id and name, and each gets its own calls', async () => {
    const rig = await startLinkRig(programs)
    for (const profile of [work, home]) {
      const extension = rig.extension({ answer: () => ({ value: profile.name }) })
      await extension.hello({ profile })
    }
    const ask = (profile: string) =>
      rig.browsers
        .open({ profile, session: 's' })
        .call('page.evaluate', { expression: profile }, within(20_000))
    const wanted = Array.from({ length: 40 }, (_, n) => ['p-work', 'Home', 'Work', 'p-home'][n % 4] ?? '')
    const answers = await Promise.all(wanted.map(ask))
    expect(answers.map(({ value }) => value)).toEqual(
      wanted.map(name => (name.toLowerCase().includes('work') ? 'Work' : 'Home')),
    )
  })

  test('must be named, and a wrong name lists them', async () => {
    const rig = await startLinkRig(programs)
    for (const profile of [work, home]) await rig.extension().hello({ profile })
    expect(() => rig.browsers.open({ profile: null, session: 's' })).toThrow(
      expect.objectContaining({ code: 'profile_ambiguous', params: { profiles: ['Work', 'Home'] } }),
    )
    expect(() => rig.browsers.open({ profile: 'Play', session: 's' })).toThrow(
      expect.objectContaining({
        code: 'profile_unknown',
        params: { name: 'Play', profiles: ['Work', 'Home'] },
      }),
    )
  })

  test('of the same name are listed with their ids and taken by them', async () => {
    const rig = await startLinkRig(programs)
    for (const profile of [work, { ...home, name: 'Work' }]) await rig.extension().hello({ profile })
    expect(() => rig.browsers.open({ profile: 'Work', session: 's' })).toThrow(
      expect.objectContaining({ params: { profiles: ['Work (p-work)', 'Work (p-home)'] } }),
    )
    expect(rig.browsers.open({ profile: 'p-home', session: 's' }).profile).toEqual({
      id: 'p-home',
      name: 'Work',
    })
  })
})

describe('the state record', () => {
  test('tells browser, versions and the time of a round trip', async () => {
    const rig = await startLinkRig(programs)
    await rig.linked()
    await state(rig, ([link]) => link?.rtt_ms !== null)
    expect(rig.browsers.links()).toEqual([
      {
        ...{
          profile: { id: 'profile-1', name: 'Work' },
          browser: 'Chromium 156',
          extension_version: '9.9.9',
        },
        ...{ protocol: 1, state: 'linked', cause: 'ok' },
        since: expect.any(Number),
        rtt_ms: expect.any(Number),
        managed: null,
      },
    ])
  })

  test('reaches every linked extension when it changed', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const { emptyStatus } = await import('../support/link/person.ts')
    rig.browsers.sendStatus({ ...emptyStatus(), operations: 7 })
    expect(await extension.frame('event')).toMatchObject({ name: 'status.changed', data: { operations: 7 } })
  })
})

describe('a companion that has just started', () => {
  test('waits for the browser that is on its way', async () => {
    const rig = await startLinkRig(programs)
    const settled = rig.browsers.settled(within(20_000))
    await rig.linked()
    await settled
    expect(rig.browsers.links()).toMatchObject([{ state: 'linked' }])
  })

  test('waits no longer than three seconds', async () => {
    const rig = await startLinkRig(programs)
    await rig.browsers.settled(within(20_000))
    expect(() => rig.browsers.open({ profile: null, session: 's' })).toThrow(
      expect.objectContaining({
        code: 'no_browser',
        params: { cause: 'never_linked', mend: 'unicli setup' },
      }),
    )
    const started = Date.now()
    await rig.browsers.settled(within(20_000))
    expect(Date.now() - started).toBeLessThan(1000)
  })
})
