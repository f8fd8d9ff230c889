import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { tryAttach } from '../../companion/daemon/client.ts'
import { FrameConnection } from '../../companion/daemon/connection.ts'
import { parseFrame } from '../../companion/daemon/frame-check.ts'
import { encodePayload } from '../../companion/daemon/payload.ts'
import { PayloadStream } from '../../companion/daemon/payload-stream.ts'
import { type Frame, type FrameOf, MAX_FRAME_BYTES } from '../../shared/frame.ts'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { buildLinkPrograms, type LinkPrograms } from '../support/link/programs.ts'
import { type LinkRig, startLinkRig } from '../support/link/rig.ts'
import { waitFor } from '../support/processes.ts'

let programs: LinkPrograms
beforeAll(async () => {
  programs = await buildLinkPrograms()
})
afterAll(() => programs.remove())

/** A program on the socket that says what it likes; resolves with what it was told before it was cut off. */
function stranger(
  rig: LinkRig,
  say: (write: (bytes: Buffer) => void, end: () => void) => void,
): Promise<Frame[]> {
  const socket = connect(rig.paths.socket)
  onTestFinished(() => void socket.destroy())
  const told: Frame[] = []
  const connection = new FrameConnection(new PayloadStream(socket, socket), {
    parse: parseFrame,
    onFrame: frame => told.push(frame),
  })
  socket.once('connect', () =>
    say(
      bytes => void socket.write(bytes),
      () => void socket.end(),
    ),
  )
  return new Promise(resolve => connection.onClose(() => resolve(told)))
}

const bytesOf = (frame: unknown) => encodePayload(JSON.stringify(frame))
const attachTo = (rig: LinkRig, over: Partial<FrameOf<'attach'>> = {}) =>
  bytesOf({ k: 'attach', role: 'cli', token: rig.token, pid: process.pid, version: '9.9.9', ...over })
const refusedFor = (code: string) => [
  expect.objectContaining({ k: 'welcome', refused: expect.objectContaining({ code }) }),
]
const welcomed = expect.objectContaining({ k: 'welcome', refused: null })
const header = (bytes: number) => {
  const head = Buffer.alloc(4)
  head.writeUInt32LE(bytes)
  return head
}

describe('the socket', () => {
  test('and its folder and the token are closed to other users', async () => {
    const rig = await startLinkRig(programs)
    expect(statSync(rig.paths.socket).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(rig.paths.socket)).mode & 0o777).toBe(0o700)
    expect(statSync(rig.paths.token).mode & 0o777).toBe(0o600)
    expect(rig.token).toMatch(/^[0-9a-f]{64}$/)
  })

  test('in a folder that others can write to is not spoken to: the token would go to whoever listens', async () => {
    const rig = await startLinkRig(programs)
    chmodSync(dirname(rig.paths.socket), 0o777)
    const attach = tryAttach({ paths: rig.paths, role: 'cli', version: '9.9.9' })
    await expect(attach).rejects.toMatchObject({
      code: 'companion_unavailable',
      message: expect.stringContaining('can be written to by other users'),
    })
    expect(rig.clients).toHaveLength(0)
  })

  test('behind a symbolic link is not spoken to', async () => {
    const rig = await startLinkRig(programs)
    const decoy = join(rig.own.root, 'decoy')
    mkdirSync(decoy)
    symlinkSync(dirname(rig.paths.socket), join(decoy, 'run'))
    const discovery = JSON.parse(readFileSync(rig.paths.discovery, 'utf8'))
    const { writeDiscovery } = await import('../../companion/daemon/discovery.ts')
    writeDiscovery(rig.paths, { ...discovery, socket: join(decoy, 'run', 'companion.sock') })
    await expect(tryAttach({ paths: rig.paths, role: 'cli', version: '9.9.9' })).rejects.toMatchObject({
      code: 'companion_unavailable',
      message: expect.stringContaining('is not a folder'),
    })
  })
})

describe('whoever connects', () => {
  test.each([
    ['a wrong token', { token: 'f'.repeat(64) }],
    ['no token', { token: '' }],
    ['a part of the token', { token: 'f' }],
  ])('with %s is refused', async (_, over) => {
    const rig = await startLinkRig(programs)
    expect(await stranger(rig, write => write(attachTo(rig, over)))).toEqual(refusedFor('unauthorized'))
    expect(rig.clients).toHaveLength(0)
    expect(rig.refusals).toMatchObject([{ code: 'unauthorized' }])
  })

  test('and says nothing is cut off after two seconds', async () => {
    const rig = await startLinkRig(programs)
    const started = Date.now()
    expect(await stranger(rig, () => undefined)).toEqual(refusedFor('unauthorized'))
    expect(Date.now() - started).toBeGreaterThan(1900)
  })

  test.each([
    ['a call', { k: 'call', id: '1', method: 'x', params: {}, deadline: 0 }],
    ['a chunk', { k: 'chunk', id: '1', seq: 0, last: false, text: 'x'.repeat(1000) }],
    ['a hello', { k: 'hello' }],
  ])('and begins with %s is refused', async (_, frame) => {
    const rig = await startLinkRig(programs)
    expect(await stranger(rig, write => write(bytesOf(frame)))).toEqual(refusedFor('frame_invalid'))
  })

  test('as a host of another extension, or of none, is refused though it has the token', async () => {
    const rig = await startLinkRig(programs)
    for (const origin of [
      'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/',
      `chrome-extension://${EXTENSION_ID}`,
      undefined,
    ])
      expect(
        await stranger(rig, write => write(attachTo(rig, { role: 'host', ...(origin ? { origin } : {}) }))),
      ).toEqual(refusedFor('forbidden_caller'))
    expect(rig.browsers.links()).toEqual([])
  })
})

describe('an attached client', () => {
  test.each([
    ['a frame over the limit', 'frame_too_large', header(MAX_FRAME_BYTES + 1)],
    ['a length of four gigabytes', 'frame_too_large', header(0xffffffff)],
    ['text that is not JSON', 'frame_invalid', encodePayload('{"k":')],
    ['an empty frame', 'frame_invalid', encodePayload('')],
    ['a kind that does not exist', 'frame_invalid', bytesOf({ k: 'sudo', id: '1' })],
    ['a known kind with wrong fields', 'frame_invalid', bytesOf({ k: 'call', id: 7 })],
    ['JSON that is no object', 'frame_invalid', bytesOf([null])],
    [
      'a chunk out of order',
      'frame_invalid',
      bytesOf({ k: 'chunk', id: 'c', seq: 3, last: false, text: '' }),
    ],
    [
      'chunks that join to no JSON',
      'frame_invalid',
      bytesOf({ k: 'chunk', id: 'c', seq: 0, last: true, text: '{' }),
    ],
    [
      'a chunk within a chunk',
      'frame_invalid',
      bytesOf({
        ...{ k: 'chunk', id: 'c', seq: 0, last: true },
        text: JSON.stringify({ k: 'chunk', id: 'd', seq: 0, last: true, text: '{}' }),
      }),
    ],
  ])('that sends %s is told %s and cut off; the others go on', async (_, code, bytes) => {
    const rig = await startLinkRig(programs)
    const other = await tryAttach({ paths: rig.paths, role: 'cli', version: '9.9.9' })
    onTestFinished(() => other?.stream.destroy())
    const told = await stranger(rig, write => write(Buffer.concat([attachTo(rig), bytes])))
    expect(told).toEqual([welcomed, ...refusedFor(code)])
    expect(rig.refusals).toMatchObject([{ code }])
    const heard = new Promise(resolve => rig.clients[0]?.onFrame(resolve))
    other?.stream.send(bytesOf({ k: 'ping', id: 'alive', to: 'host' }))
    expect(await heard).toMatchObject({ k: 'ping', id: 'alive' })
  })

  test('that ends within a frame is known to have done so', async () => {
    const rig = await startLinkRig(programs)
    await stranger(rig, (write, end) => {
      write(Buffer.concat([attachTo(rig), header(100), Buffer.from('{"k":"call"')]))
      end()
    })
    await waitFor(() => rig.refusals.length > 0, { what: 'the refusal' })
    expect(rig.refusals).toMatchObject([
      { code: 'frame_invalid', message: expect.stringContaining('15 bytes into a frame') },
    ])
  })

  test('that reads nothing is given up when too much waits for it', async () => {
    const rig = await startLinkRig(programs)
    const socket = connect(rig.paths.socket)
    onTestFinished(() => void socket.destroy())
    socket.write(attachTo(rig))
    const client = await waitFor(() => rig.clients[0], { what: 'the client' })
    const closed = new Promise(resolve => client.onClose(resolve))
    const data = 'x'.repeat(20 * 1024 * 1024)
    expect(client.send({ k: 'event', name: 'any', data })).toBe(false)
    for (let more = 0; more < 7; more++) client.send({ k: 'event', name: 'any', data })
    expect(await closed).toMatchObject({ code: 'frame_too_large' })
  })
})

describe('a native host', () => {
  test('that another extension called ends without touching the companion, and logs it', async () => {
    const rig = await startLinkRig(programs)
    const extension = rig.extension({ argv: ['chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/'] })
    expect(await extension.ended).toBe(1)
    expect(readFileSync(rig.paths.hostLog, 'utf8')).toMatch(
      /refused: chrome-extension:\/\/a{32}\/ is not the extension that this host serves/,
    )
    expect(rig.refusals).toEqual([])
    expect(extension.frames).toEqual([])
  })

  test('that Firefox called for our extension is welcomed', async () => {
    const rig = await startLinkRig(programs)
    const extension = rig.extension({ argv: ['/some/manifest.json', 'bridge@unicli.dev'] })
    expect(await extension.hello()).toMatchObject({ refused: null })
  })

  test.each([
    ['a frame over the limit', header(MAX_FRAME_BYTES + 1), 'frame_too_large'],
    ['an unknown kind', bytesOf({ k: 'sudo' }), 'frame_invalid'],
    [
      'a second hello',
      bytesOf({ k: 'attach', role: 'cli', token: '', pid: 1, version: '' }),
      'frame_invalid',
    ],
  ])('whose extension sends %s ends, and so does the link', async (_, bytes, code) => {
    const rig = await startLinkRig(programs)
    const extension = await rig.linked()
    extension.sendBytes(bytes)
    await extension.ended
    await waitFor(() => rig.browsers.links()[0]?.state === 'lost', { what: 'the lost link' })
    const causes = JSON.stringify([rig.refusals, rig.log.lines])
    const hostLog = code === 'frame_too_large' ? readFileSync(rig.paths.hostLog, 'utf8') : ''
    expect(`${causes}${hostLog}`).toMatch(code === 'frame_too_large' ? /over the limit/ : new RegExp(code))
  })
})

describe('versions', () => {
  test('one behind or ahead work; two ahead, the companion is to be updated', async () => {
    const rig = await startLinkRig(programs)
    const extension = rig.extension()
    expect(await extension.hello({ protocol: 2 })).toMatchObject({ refused: null })
    const newer = rig.extension()
    expect(await newer.hello({ protocol: 3, profile: { id: 'p2', name: 'New' } })).toMatchObject({
      refused: { code: 'version_skew', params: { side: 'companion', have: '1', need: '2 or later' } },
    })
    expect(await newer.ended).toBe(0)
    expect(() => rig.browsers.open({ profile: 'New', session: 's' })).toThrow(
      expect.objectContaining({ code: 'version_skew' }),
    )
    expect(rig.browsers.links().map(link => [link.profile.name, link.state, link.cause])).toEqual([
      ['Work', 'linked', 'ok'],
      ['New', 'refused', 'version_skew'],
    ])
  })

  test('too old an extension is named as the side to update', async () => {
    const rig = await startLinkRig(programs)
    expect(await rig.extension().hello({ protocol: 0 })).toMatchObject({
      refused: { code: 'version_skew', params: { side: 'extension', have: '0', need: '1 or later' } },
    })
    expect(() => rig.browsers.open({ profile: null, session: 's' })).toThrow(
      expect.objectContaining({ code: 'version_skew' }),
    )
  })
})
