import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { connectProtocol, type ProtocolClient } from '../support/browser-protocol.ts'
import { killServiceWorker } from '../support/cdp.ts'
import { type ExtensionRig, startExtension } from '../support/extension-rig.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'

let rig: ExtensionRig
let cdp: ProtocolClient
let site: PageServer

beforeAll(async () => {
  site = await startPageServer()
  rig = await startExtension()
  cdp = await connectProtocol(await rig.browser.cdpUrl())
})
afterAll(async () => {
  await cdp.close()
  await rig.close()
  await site.close()
})

describe('the link', () => {
  test('says hello with who it is, and answers a call', async () => {
    const { hello, argv } = rig.link
    expect(argv[0]).toBe(`chrome-extension://${EXTENSION_ID}/`)
    expect(hello).toMatchObject({ protocol: 1, browser: { name: 'Chromium' } })
    expect(hello.capabilities).toEqual(['page', 'capture', 'http', 'cookies', 'debugger', 'person'])
    expect(hello.profile.name).toBe(`Chromium ${hello.profile.id.slice(0, 4)}`)
    const { at } = await rig.link.call('link.ping', {})
    expect(Math.abs(Date.now() - at)).toBeLessThan(2000)
  })

  test('is back within two seconds after the host was killed, as the same profile', async () => {
    const { link } = rig
    const next = rig.standIn.nextLink()
    const killedAt = performance.now()
    process.kill(link.pid, 'SIGKILL')
    rig.link = await next
    const ms = performance.now() - killedAt
    console.log('host killed: back after', ms)
    expect(ms).toBeLessThan(2000)
    expect(rig.link.hello.profile).toEqual(link.hello.profile)
  })

  test('is back within two seconds after the worker was killed', async () => {
    const { link } = rig
    const next = rig.standIn.nextLink()
    await killServiceWorker(cdp, EXTENSION_ID)
    const killedAt = performance.now()
    await link.ended
    rig.link = await next
    const ms = performance.now() - killedAt
    console.log('worker killed: back after', ms)
    expect(ms).toBeLessThan(2000)
    expect(rig.link.hello.profile).toEqual(link.hello.profile)
  })

  test('carries megabytes in both directions', async () => {
    const { link } = rig
    await link.call('page.navigate', { session: 'bulk', url: `${site.url}/`, until: 'load' })
    // Characters of one, two, three and four bytes, and every boundary of a chunk within a pair of them.
    const text = 'a\u00e9\u4e2d\u{1f600}"\\\n'.repeat(200_000)
    const { value } = await link.call('page.evaluate', {
      session: 'bulk',
      expression: `${JSON.stringify(text)}.repeat(2)`,
    })
    expect(value === text.repeat(2)).toBe(true)
    const pieces = link.frames.length
    expect(pieces).toBeGreaterThan(0)
    await link.call('session.close', { session: 'bulk' })
  })

  test('ends a call at its deadline and a stopped call at once', async () => {
    const { link } = rig
    await link.call('page.navigate', { session: 'slow', url: `${site.url}/`, until: 'load' })
    const late = await link.ask(
      'page.evaluate',
      { session: 'slow', expression: 'new Promise(() => undefined)' },
      { deadline: Date.now() + 300 },
    )
    expect(late).toMatchObject({ k: 'fail', failure: { code: 'deadline_exceeded' } })
    const overdue = await link.ask('link.ping', {}, { deadline: Date.now() - 1 })
    expect(overdue).toMatchObject({ k: 'fail', failure: { code: 'deadline_exceeded' } })
    void link.ask(
      'page.evaluate',
      { session: 'slow', expression: 'new Promise(() => undefined)' },
      { id: 'unwanted', granted: [site.url] },
    )
    link.send({ k: 'stop', id: 'unwanted' })
    await link.call('session.close', { session: 'slow' })
    expect(link.frames.some(frame => 'id' in frame && frame.id === 'unwanted')).toBe(false)
  })

  test('refuses what it does not understand and goes on', async () => {
    const { link } = rig
    expect(await link.ask('page.fly', {})).toMatchObject({ k: 'fail', failure: { code: 'unsupported' } })
    expect(await link.ask('session.tabs', { session: 7 })).toMatchObject({
      k: 'fail',
      failure: { code: 'bad_request' },
    })
    const refusal = link.nextFrame(frame => frame.k === 'fail' && frame.id === 'odd')
    link.sendRaw(JSON.stringify({ k: 'call', id: 'odd', method: 12 }))
    expect(await refusal).toMatchObject({ failure: { code: 'frame_invalid' } })
    link.sendRaw(JSON.stringify({ k: 'surprise', n: 1 }))
    link.sendRaw('null')
    link.send({ k: 'chunk', id: 'gap', seq: 3, last: true, text: 'x' })
    link.send({ k: 'chunk', id: 'junk', seq: 0, last: true, text: '{' })
    link.send({ k: 'event', name: 'no.such', data: null })
    link.send({ k: 'event', name: 'status.changed', data: { nonsense: true } })
    const pong = link.nextFrame(frame => frame.k === 'pong' && frame.id === 'still')
    link.send({ k: 'ping', id: 'still', to: 'extension' })
    await pong
  })

  test('comes back after a frame that the browser itself refuses', async () => {
    const { link } = rig
    const next = rig.standIn.nextLink()
    link.sendRaw(JSON.stringify({ k: 'call', id: 'huge', method: 'x'.repeat(1_100_000) }))
    await link.ended
    rig.link = await next
    await rig.link.call('link.ping', {})
  })
})

describe('a companion that will not have this extension', () => {
  test('is left alone until somebody asks for another try, and the person is told why', async () => {
    const { link, standIn } = rig
    standIn.answerHello(other =>
      other.welcome({
        code: 'version_skew',
        params: { side: 'extension', have: '1', need: '3', mend: 'reload it' },
      }),
    )
    const refused = standIn.nextLink()
    process.kill(link.pid, 'SIGKILL')
    await (await refused).ended
    const popup = await rig.browser.context.newPage()
    await popup.goto(`chrome-extension://${EXTENSION_ID}/popup.html`)
    await popup.getByText('The extension speaks protocol 1; 3 is needed.').waitFor()
    standIn.answerHello(other => other.welcome())
    const next = standIn.nextLink()
    await popup.getByRole('button', { name: 'Try again' }).click()
    rig.link = await next
    await popup.getByText('Linked', { exact: true }).waitFor()
    await popup.close()
  })
})
