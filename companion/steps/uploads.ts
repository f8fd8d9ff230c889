import { basename } from 'node:path'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { type StashedFile, Target } from '../../shared/values.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { reported } from './acts.ts'
import { dialogs } from './dialogs.ts'

/** So much goes to the browser at once: neither side ever holds a whole file. */
const PIECE_BYTES = 1024 * 1024
const AT_ONCE = 4

const Paths = z.array(z.string().min(1)).min(1).max(100)

export const upload = defineStep({
  name: 'upload',
  doc: 'Give files of granted folders to a file field (also a hidden one), a drop zone, or what opens the file chooser.',
  needs: ['browser', 'files'],
  effect: 'write',
  site: 'browser',
  schema: z
    .strictObject({
      target: Target,
      path: z.string().min(1).optional().describe('in a granted folder'),
      paths: Paths.optional().describe('for fields that take more than one'),
      dialogs,
    })
    .refine(p => (p.path === undefined) !== (p.paths === undefined), 'give path or paths'),
  example: { target: 'label=Photo', path: 'photo.png' },
  run: async (ctx, { target, path, paths = [], dialogs: how }) => {
    const files = await stashed(ctx, target, path === undefined ? paths : [path])
    const result = await ctx.browser.call('page.upload', { target, files, dialogs: how }, ctx)
    return reported(ctx, `The upload to ${target}`, result)
  },
})

export const paste = defineStep({
  name: 'paste',
  doc: "Paste text, HTML or a file such as a picture into the page, past the person's own clipboard.",
  needs: ['browser', 'files'],
  effect: 'write',
  site: 'browser',
  schema: z
    .strictObject({
      target: Target.optional().describe('default: the focused element'),
      text: z.string().optional(),
      html: z.string().optional(),
      path: z.string().min(1).optional().describe('a file in a granted folder'),
      dialogs,
    })
    .refine(
      p => p.text !== undefined || p.html !== undefined || p.path !== undefined,
      'give text, html or path',
    ),
  example: { target: 'css=[contenteditable]', html: '<b>桥</b>', text: '桥' },
  run: async (ctx, { target = null, text = null, html = null, path, dialogs: how }) => {
    const files = path === undefined ? [] : await stashed(ctx, target, [path])
    const params = { target, text, html, files, dialogs: how }
    return reported(ctx, 'The paste', await ctx.browser.call('page.paste', params, ctx))
  },
})

type Ports = StepContext<'browser' | 'files'>

/** Brings files piece by piece to the document of the target. */
async function stashed(ctx: Ports, target: string | null, paths: readonly string[]): Promise<StashedFile[]> {
  const { lookup } = await import('mrmime')
  const files: StashedFile[] = []
  for (const path of paths) {
    const found = await ctx.files.find(path)
    const name = basename(found.path)
    const id = `f${files.length}`
    let at = 0
    const under: Promise<PromiseSettledResult<unknown>[]>[] = []
    for await (const piece of ctx.files.pieces(found.path, PIECE_BYTES)) {
      const sent = ctx.browser.call('page.stash', { target, id, at, base64: base64Of(piece) }, ctx)
      under.push(Promise.allSettled([sent]))
      // The first begins the file, and all others are under way a few at a time.
      if (at === 0 || under.length >= AT_ONCE) throwFailed(await under.shift())
      at += piece.byteLength
      if (found.bytes > 20 * PIECE_BYTES) ctx.progress(`${name}: ${at} of ${found.bytes} bytes`)
    }
    for (const one of under) throwFailed(await one)
    if (at !== found.bytes)
      throw new Failure('file_failed', { path: found.path, reason: 'it changed meanwhile' })
    files.push({ id, name, bytes: at, type: lookup(name) ?? 'application/octet-stream' })
  }
  return files
}

function throwFailed(settled: PromiseSettledResult<unknown>[] = []): void {
  for (const one of settled) if (one.status === 'rejected') throw one.reason
}

const base64Of = (piece: Uint8Array): string =>
  Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64')
