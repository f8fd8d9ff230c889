import { basename } from 'node:path'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import type { FoundFile } from '../ports/files.ts'

const MB = 1024 * 1024
type Local = StepContext<'files' | 'process'>

/** Containers that hold their media themselves; a playlist would open whatever addresses and files it names. */
const CONTAINERS = [
  ...['mov', 'mp4', 'm4a', '3gp', 'matroska', 'webm', 'avi', 'asf', 'flv', 'mpegts', 'mpeg', 'ogg', 'm4v'],
  ...['mp3', 'wav', 'w64', 'flac', 'aac', 'ac3', 'eac3', 'aiff', 'amr', 'caf', 'ape', 'wv', 'tta', 'dts'],
  ...['h264', 'hevc', 'gif', 'apng', 'png_pipe', 'jpeg_pipe', 'webp_pipe', 'bmp_pipe', 'tiff_pipe', 'image2'],
  ...['srt', 'ass', 'webvtt'],
].join(',')
const INPUT = ['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS]

export const mediaProbe = defineStep({
  name: 'media_probe',
  doc: 'Tell format, length and streams of a video, sound or picture file; needs ffprobe.',
  needs: ['files', 'process'],
  effect: 'read',
  site: 'media',
  executables: () => ['ffprobe'],
  schema: z.strictObject({ path: z.string().min(1).describe('in a granted folder') }),
  example: { path: 'talk.mp4' },
  run: async (ctx, { path }) => {
    const file = await ctx.files.find(path)
    const told = await tool(ctx, [
      'ffprobe',
      ...['-v', 'error', ...INPUT, '-print_format', 'json', '-show_format', '-show_streams', file.path],
    ])
    return { path: file.path, bytes: file.bytes, ...mediaOf(Probed.parse(JSON.parse(told))) }
  },
})

const Probed = z.object({
  format: z.object({
    format_name: z.string().default(''),
    duration: z.coerce.number().optional(),
    bit_rate: z.coerce.number().optional(),
    tags: z.record(z.string(), z.string()).default({}),
  }),
  streams: z
    .array(
      z.object({
        codec_type: z.string().default('data'),
        codec_name: z.string().default('unknown'),
        width: z.number().optional(),
        height: z.number().optional(),
        avg_frame_rate: z.string().default('0/0'),
        sample_rate: z.coerce.number().optional(),
        channels: z.number().optional(),
        tags: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
})

const mediaOf = ({ format, streams }: z.output<typeof Probed>) => ({
  format: format.format_name,
  duration_s: format.duration ?? null,
  bit_rate: format.bit_rate ?? null,
  tags: format.tags,
  streams: streams.map(stream => ({
    type: stream.codec_type,
    codec: stream.codec_name,
    ...(stream.width === undefined ? {} : { width: stream.width, height: stream.height }),
    ...(stream.codec_type === 'video' ? { fps: quotient(stream.avg_frame_rate) } : {}),
    ...(stream.sample_rate === undefined ? {} : { sample_rate: stream.sample_rate }),
    ...(stream.channels === undefined ? {} : { channels: stream.channels }),
    ...(stream.tags.language === undefined ? {} : { language: stream.tags.language }),
  })),
})

function quotient(text: string): number | null {
  const [above = 0, below = 0] = text.split('/').map(Number)
  return below === 0 ? null : Math.round((above / below) * 1000) / 1000
}

const PICTURES = ['png', 'jpg', 'jpeg', 'webp', 'bmp', 'tiff']
const OUTPUTS = [
  ...['mp4', 'm4v', 'mkv', 'webm', 'mov', 'avi', 'gif'],
  ...['mp3', 'm4a', 'aac', 'wav', 'flac', 'ogg', 'opus'],
  ...PICTURES,
]
const Input = z.string().min(1).describe('in a granted folder')
const mode = z.enum(['create', 'replace']).default('create').describe('create fails when the file is there')
const Pixels = z.number().int().min(1).max(16_384)

export const mediaConvert = defineStep({
  name: 'media_convert',
  doc: "Convert, cut or shrink a video or sound file; the output's name says the format; needs ffmpeg.",
  needs: ['files', 'process'],
  effect: 'write',
  site: 'media',
  executables: () => ['ffmpeg'],
  schema: z.strictObject({
    input: Input,
    output: z
      .string()
      .min(1)
      .describe(`its name ends in ${OUTPUTS.join(', ')}`),
    mode,
    start_s: z.number().min(0).optional().describe('leave out what is before'),
    duration_s: z.number().positive().optional().describe('keep this much'),
    width: Pixels.optional().describe('of the picture; with one of width and height the shape stays'),
    height: Pixels.optional(),
    fps: z.number().positive().max(240).optional(),
    video: z.boolean().default(true).describe('false leaves the picture out'),
    audio: z.boolean().default(true).describe('false leaves the sound out'),
    video_kbps: z.number().int().min(1).max(200_000).optional(),
    audio_kbps: z.number().int().min(1).max(2000).optional(),
  }),
  example: { input: 'talk.mp4', output: 'talk.mp3', audio_kbps: 96 },
  run: async (ctx, params) =>
    convert(ctx, params, [
      ...option('-ss', params.start_s),
      ...['-i', (await ctx.files.find(params.input)).path],
      ...option('-t', params.duration_s),
      ...(params.video ? [] : ['-vn']),
      ...(params.audio ? [] : ['-an']),
      ...scaled(params),
      ...option('-r', params.fps),
      ...option('-b:v', params.video_kbps, 'k'),
      ...option('-b:a', params.audio_kbps, 'k'),
    ]),
})

const option = (name: string, value: number | undefined, unit = ''): string[] =>
  value === undefined ? [] : [name, `${value}${unit}`]

/** Many codecs want even sides. */
const scaled = ({ width, height }: { width?: number | undefined; height?: number | undefined }): string[] =>
  width === undefined && height === undefined ? [] : ['-vf', `scale=${width ?? -2}:${height ?? -2}`]

export const imageResize = defineStep({
  name: 'image_resize',
  doc: "Resize a picture; the output's name says the format; needs ffmpeg.",
  needs: ['files', 'process'],
  effect: 'write',
  site: 'media',
  executables: () => ['ffmpeg'],
  schema: z.strictObject({
    input: Input,
    output: z
      .string()
      .regex(new RegExp(`\\.(${PICTURES.join('|')})$`, 'i'), `its name must end in ${PICTURES.join(', ')}`),
    mode,
    width: Pixels,
    height: Pixels,
    fit: z
      .enum(['inside', 'cover', 'stretch'])
      .default('inside')
      .describe('inside keeps the shape and never enlarges, cover cuts off what is over'),
    quality: z.number().int().min(1).max(100).default(85).describe('of jpg and webp'),
  }),
  example: { input: 'photo.jpg', output: 'small.jpg', width: 800, height: 800 },
  run: async (ctx, params) =>
    convert(ctx, params, [
      ...['-i', (await ctx.files.find(params.input)).path],
      ...['-vf', fitted(params)],
      // JPEG counts the other way round, from 2 (best) to 31.
      ...[
        '-q:v',
        String(/\.jpe?g$/i.test(params.output) ? Math.round(31 - params.quality * 0.29) : params.quality),
      ],
    ]),
})

function fitted({ width, height, fit }: { width: number; height: number; fit: string }): string {
  if (fit === 'stretch') return `scale=${width}:${height}:flags=lanczos`
  if (fit === 'cover')
    return `scale=${width}:${height}:force_original_aspect_ratio=increase:flags=lanczos,crop=${width}:${height}`
  return `scale='min(${width},iw)':'min(${height},ih)':force_original_aspect_ratio=decrease:flags=lanczos`
}

/** ffmpeg works in the temp folder, so that a half-made file never stands where the whole one is expected. */
async function convert(
  ctx: Local,
  { output, mode }: { output: string; mode: 'create' | 'replace' },
  args: readonly string[],
): Promise<FoundFile> {
  const ending = /\.([a-z0-9]+)$/i.exec(output)?.[1]?.toLowerCase() ?? ''
  if (!OUTPUTS.includes(ending))
    throw new Failure('unsupported', {
      what: `Writing a file that ends in ".${ending}"`,
      where: 'this step',
      hint: `Name one that ends in ${OUTPUTS.join(', ')}.`,
    })
  const made = await ctx.files.temp(basename(output))
  const still = PICTURES.includes(ending) ? ['-frames:v', '1', '-update', '1'] : []
  await tool(ctx, ['ffmpeg', '-v', 'error', '-nostdin', '-n', ...INPUT, ...args, ...still, made])
  return ctx.files.place(made, output, mode)
}

async function tool(ctx: Local, command: readonly string[]): Promise<string> {
  const cwd = await ctx.files.folder(null)
  const line = { commands: [command], cwd, env: {}, stdin: '', maxBytes: 10 * MB, read: true }
  const { stdout, ended } = await ctx.process.run(line, ctx)
  const [run] = ended
  if (run?.exit !== 0)
    throw new Failure('command_failed', {
      command: command[0] ?? '',
      reason: `it ended with ${run?.exit ?? run?.signal}`,
      output: run?.stderr.slice(-500) ?? '',
    })
  return new TextDecoder().decode(stdout)
}
