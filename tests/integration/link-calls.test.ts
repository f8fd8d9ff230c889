import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { MAX_FRAME_BYTES } from '../../shared/frame.ts'
import { buildLinkPrograms, type LinkPrograms } from '../support/link/programs.ts'
import { startLinkRig } from '../support/link/rig.ts'

let programs: LinkPrograms
beforeAll(async () => {
  programs = await buildLinkPrograms()
})
afterAll(() => programs.remove())

const within = (ms: number, signal = new AbortController().signal) => ({ signal, deadline: Date.now() + ms })
const PAGE = { html: '', url: 'http://x/', title: '' }

describe('a call', () => {
  test('reaches the extension with its session and deadline, and its result comes back', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked({ answer: () => [] })
    const session = rig.browsers.open({ profile: null, session: 'mine' })
    expect(session.profile).toEqual({ id: 'profile-1', name: 'Work' })
    const options = within(5000)
    expect(await session.call('session.tabs', {}, options)).toEqual([])
    expect(await extension.frame('call')).toMatchObject({
      method: 'session.tabs',
      params: { session: 'mine' },
      deadline: options.deadline,
    })
  })

  test('about no session carries none', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked({ answer: () => [] })
    await rig.browsers
      .open({ profile: 'Work', session: 's' })
      .call('cookies.get', { url: 'http://x/' }, within(5000))
    expect(await extension.frame('call')).toMatchObject({ params: { url: 'http://x/' } })
    expect((await extension.frame('call')).params).not.toHaveProperty('session')
  })

  test('carries far more than 1 MiB in both directions, every character as it was', async () => {
    const rig = await startLinkRig(programs)
    const large = `"语😀\\\n${'x'.repeat(37)}`.repeat(150_000)
    expect(Buffer.byteLength(large)).toBeGreaterThan(6 * MAX_FRAME_BYTES)
    await rig.linked({
      answer: call => ({ value: (call.params as { expression: string }).expression === large && large }),
    })
    const session = rig.browsers.open({ profile: null, session: 's' })
    const { value } = await session.call('page.evaluate', { expression: large }, within(60_000))
    expect(value === large).toBe(true)
  })

  test('fails as the extension says', async () => {
    const rig = await startLinkRig(programs)
    await rig.linked({
      answer: () => {
        throw new Failure('tab_gone', { session: 's' })
      },
    })
    const call = rig.browsers.open({ profile: null, session: 's' }).call('session.tabs', {}, within(5000))
    await expect(call).rejects.toMatchObject({ code: 'tab_gone', params: { session: 's' } })
  })

  test('whose result does not fit the wire is refused by name and place', async () => {
    const rig = await startLinkRig(programs)
    await rig.linked({ answer: () => ({ ...PAGE, html: 7 }) })
    const call = rig.browsers
      .open({ profile: null, session: 's' })
      .call('page.html', { target: null }, within(5000))
    await expect(call).rejects.toMatchObject({
      code: 'frame_invalid',
      message: expect.stringContaining('page.html does not fit at "html"'),
    })
  })

  test('ends at its deadline though the extension says nothing, and tells it to stop', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const call = rig.browsers.open({ profile: null, session: 's' }).call('session.tabs', {}, within(150))
    await expect(call).rejects.toMatchObject({
      code: 'deadline_exceeded',
      params: { action: 'session.tabs' },
    })
    const { id } = await extension.frame('call')
    await extension.frame('stop', stop => stop.id === id)
  })

  test('that is aborted is cancelled at once, and the extension is told; a late answer is dropped', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const caller = new AbortController()
    const session = rig.browsers.open({ profile: null, session: 's' })
    const call = session.call('session.tabs', {}, within(60_000, caller.signal))
    const { id } = await extension.frame('call')
    caller.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await extension.frame('stop', stop => stop.id === id)
    extension.send({ k: 'done', id, result: [] })
    const next = session.call('session.tabs', {}, within(5000))
    const again = await extension.frame('call', frame => frame.id !== id)
    extension.send({ k: 'done', id: again.id, result: [] })
    expect(await next).toEqual([])
  })

  test('aborted with a failure ends with that failure', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const caller = new AbortController()
    const call = rig.browsers
      .open({ profile: null, session: 's' })
      .call('session.tabs', {}, within(60_000, caller.signal))
    await extension.frame('call')
    caller.abort(new Failure('cancelled', { by: 'person' }))
    await expect(call).rejects.toMatchObject({ code: 'cancelled', params: { by: 'person' } })
  })
})

describe('what the extension says on its own', () => {
  test('captures reach the listeners of their session and profile, and nobody else', async () => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    const session = (name: string) => rig.browsers.open({ profile: null, session: name })
    const [mine, others]: [string[], string[]] = [[], []]
    const got = new Promise<void>(resolve => {
      session('mine').onCapture(entry => {
        mine.push(entry.id)
        if (entry.id === 'last') resolve()
      })
    })
    session('other').onCapture(entry => others.push(entry.id))
    const end = session('mine').onCapture(entry => others.push(entry.id))
    end()
    const entry = (id: string) => ({
      ...{ id, kind: 'fetch', method: 'GET', url: 'http://x/', status: 200, request_headers: {} },
      ...{ request_body: null, response_headers: {}, response_body: null, truncated: false },
      ...{ started_at: 1, finished_at: 2, frame_url: 'http://x/' },
    })
    extension.send({ k: 'event', name: 'capture.entry', data: { session: 'mine', entry: entry('first') } })
    extension.send({ k: 'event', name: 'capture.entry', data: { session: 'mine', entry: { forged: true } } })
    extension.send({ k: 'event', name: 'of.the.future', data: 1 })
    extension.send({ k: 'event', name: 'capture.entry', data: { session: 'mine', entry: entry('last') } })
    await got
    expect(mine).toEqual(['first', 'last'])
    expect(others).toEqual([])
    expect(rig.log.lines).toContainEqual(expect.objectContaining({ message: 'event dropped' }))
  })

  test("the person's calls are answered for their profile; an unknown one and wrong params are refused", async () => {
    const stopped: string[] = []
    const rig = await startLinkRig(programs, {
      'person.stop': (_, { profile }) => ({ stopped: stopped.push(profile.name) }),
    })
    const extension = await rig.linked()
    const ask = (id: string, method: string, params: unknown) =>
      extension.send({ k: 'call', id, method, params, deadline: Date.now() + 5000 })
    ask('1', 'person.stop', {})
    expect(await extension.frame('done')).toMatchObject({ id: '1', result: { stopped: 1 } })
    expect(stopped).toEqual(['Work'])
    ask('2', 'person.shout', {})
    ask('3', 'person.answer', { id: 'a' })
    for (const id of ['2', '3'])
      expect(await extension.frame('fail', frame => frame.id === id)).toMatchObject({
        failure: { code: 'frame_invalid' },
      })
  })
})
