import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findExecutable } from '../support/executables.ts'
import { type LocalRig, makeLocalRig } from '../support/local-rig.ts'
import { describeNeeding } from '../support/requirement.ts'

const FFMPEG = {
  name: 'ffmpeg (Debian package)',
  available: findExecutable('ffmpeg') !== undefined && findExecutable('ffprobe') !== undefined,
}
const programs = { executables: ['ffmpeg', 'ffprobe'] }

let rig: LocalRig
beforeAll(async () => {
  rig = await makeLocalRig()
})
afterAll(() => rig.root.remove())

const run = (step: object) => rig.run([step], programs)
const probe = async (path: string) => (await run({ media_probe: { path } })).data as Record<string, unknown>

describeNeeding(FFMPEG, 'media', () => {
  beforeAll(async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc=duration=2:size=320x240:rate=10', '-f', 'lavfi']
    const sound = ['-i', 'sine=duration=2', '-pix_fmt', 'yuv420p', 'clip.mp4']
    const clip = { argv: ['ffmpeg', '-v', 'error', ...source, ...sound], cwd: rig.folder }
    const photo = {
      argv: [
        'ffmpeg',
        '-v',
        'error',
        '-f',
        'lavfi',
        '-i',
        'testsrc=size=400x200',
        '-frames:v',
        '1',
        'photo.png',
      ],
      cwd: rig.folder,
    }
    const { error } = await rig.run([{ exec: clip }, { exec: photo }], programs)
    expect(error).toBeNull()
  })

  it('tells format, length and streams', async () => {
    const found = await probe('clip.mp4')
    expect(found).toMatchObject({
      path: join(rig.folder, 'clip.mp4'),
      streams: [
        { type: 'video', width: 320, height: 240, fps: 10 },
        { type: 'audio', channels: 1 },
      ],
    })
    expect(found.duration_s).toBeCloseTo(2, 1)
  })

  it('converts, cuts and shrinks', async () => {
    const options = { start_s: 0.5, duration_s: 1, width: 160, audio: false }
    const made = await run({ media_convert: { input: 'clip.mp4', output: 'out/short.mkv', ...options } })
    expect(made.error).toBeNull()
    const found = await probe('out/short.mkv')
    expect(found.streams).toMatchObject([{ type: 'video', width: 160, height: 120 }])
    expect(found.duration_s).toBeCloseTo(1, 0)
    expect((await run({ media_convert: { input: 'clip.mp4', output: 'a.mp3' } })).error).toBeNull()
    expect(await probe('a.mp3')).toMatchObject({ streams: [{ type: 'audio', codec: 'mp3' }] })
  })

  it('leaves a file alone unless it is told to replace it', async () => {
    const convert = { input: 'clip.mp4', output: 'twice.wav' }
    await run({ media_convert: convert })
    expect((await run({ media_convert: convert })).error?.code).toBe('already_exists')
    expect((await run({ media_convert: { ...convert, mode: 'replace' } })).error).toBeNull()
  })

  it.each([
    ['inside', 100, 50],
    ['cover', 100, 100],
    ['stretch', 100, 100],
  ])('resizes a picture to fit %s', async (fit, width, height) => {
    const output = `${fit}.jpg`
    const { error } = await run({
      image_resize: { input: 'photo.png', output, width: 100, height: 100, fit },
    })
    expect(error).toBeNull()
    expect(await probe(output)).toMatchObject({ streams: [{ codec: 'mjpeg', width, height }] })
  })

  it('enlarges nothing that shall fit inside', async () => {
    await run({ image_resize: { input: 'photo.png', output: 'same.png', width: 4000, height: 4000 } })
    expect(await probe('same.png')).toMatchObject({ streams: [{ width: 400, height: 200 }] })
  })

  it('opens no playlist, which could name any address or file', async () => {
    const list = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:1/a.ts\n'
    await writeFile(join(rig.folder, 'list.m3u8'), list)
    await writeFile(join(rig.folder, 'list.mp4'), list)
    await writeFile(join(rig.folder, 'concat.mp4'), "ffconcat version 1.0\nfile 'clip.mp4'\n")
    for (const path of ['list.m3u8', 'list.mp4', 'concat.mp4'])
      expect((await run({ media_probe: { path } })).error?.code, path).toBe('command_failed')
  })

  it('fails with what ffmpeg says, and leaves nothing behind', async () => {
    await writeFile(join(rig.folder, 'broken.mp4'), 'not a film')
    const { error } = await run({ media_convert: { input: 'broken.mp4', output: 'never.mp4' } })
    expect(error).toMatchObject({ code: 'command_failed' })
    expect(await readdir(rig.folder)).not.toContain('never.mp4')
  })
})

describe('media without its program', () => {
  it('says so, and how to install it', async () => {
    await writeFile(join(rig.folder, 'some.mp4'), 'x')
    const path = process.env.PATH
    process.env.PATH = rig.folder
    const { error } = await run({ media_probe: { path: 'some.mp4' } })
    process.env.PATH = path
    expect(error?.code).toBe('unsupported')
    expect(error?.suggestion).toMatch(/install.* ffmpeg/i)
  })

  it('writes no format that it does not know', async () => {
    await writeFile(join(rig.folder, 'some.mp4'), 'x')
    const { error } = await run({ media_convert: { input: 'some.mp4', output: 'x.m3u8' } })
    expect(error?.code).toBe('unsupported')
    expect(error?.suggestion).toContain('mp4')
  })
})
