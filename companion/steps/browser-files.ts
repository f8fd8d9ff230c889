import { basename } from 'node:path'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { type ActResult, Point, Target } from '../../shared/values.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import type { FilesPort } from '../ports/files.ts'
import { byHand, reported } from './acts.ts'
import { addressOf } from './addresses.ts'
import { dialogs } from './dialogs.ts'
import { freeName, safeName } from './file-names.ts'

export const drag = defineStep({
  name: 'drag',
  doc: 'Drag an element onto another one, or by some pixels: lists, boards, sliders, drop zones.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  schema: z
    .strictObject({
      target: Target.describe('what is dragged'),
      to: Target.optional().describe('where it is dropped'),
      position: Point.optional().describe('pixels from the left upper corner of `to`; default: its middle'),
      by: Point.optional().describe('pixels, in place of `to`'),
      grab: Point.optional().describe('where it is taken hold of, in pixels from its left upper corner'),
      dialogs,
      ...byHand,
    })
    .refine(p => (p.to === undefined) !== (p.by === undefined), 'give to or by'),
  example: { target: 'text=First', to: 'text=Third' },
  run: async (ctx, { to = null, position = null, by = null, grab = null, ...rest }) => {
    const params = { ...rest, to, position, by, grab }
    const result: ActResult = await ctx.browser.call('page.drag', params, ctx)
    return reported(ctx, `Dragging ${rest.target}`, result)
  },
})

/** Inches. */
const PAPERS = {
  a3: [11.69, 16.54],
  a4: [8.27, 11.69],
  a5: [5.83, 8.27],
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
} as const

export const print = defineStep({
  name: 'print',
  doc: 'Print the page into a PDF file in a granted folder; answers its path and size.',
  needs: ['browser', 'files'],
  effect: 'write',
  site: 'browser',
  schema: z.strictObject({
    to: z.string().min(1).optional().describe('path of the file; default: the title of the page'),
    paper: z.enum(Object.keys(PAPERS) as [keyof typeof PAPERS]).default('a4'),
    landscape: z.boolean().default(false),
    background: z.boolean().default(true).describe('colours and pictures behind the text too'),
    scale: z.number().min(0.1).max(2).default(1),
    margin: z.number().min(0).max(5).default(0.4).describe('inches'),
    ranges: z
      .string()
      .regex(/^[\d\s,-]*$/)
      .default('')
      .describe('such as 1-3, 5; default: all pages'),
  }),
  example: { to: 'page.pdf', paper: 'a4', ranges: '1-2' },
  run: async (ctx, { to, paper, ...rest }) => {
    const [width, height] = PAPERS[paper]
    const { base64, url, title } = await ctx.browser.call('page.print', { ...rest, width, height }, ctx)
    const bytes = Buffer.from(base64, 'base64')
    const path = to ?? `${safeName(title === '' ? 'page' : title).replace(/\.pdf$/i, '')}.pdf`
    const found = await ctx.files.write(path, bytes, 'replace')
    return { ...found, url, title }
  },
})

export const saveDownload = defineStep({
  name: 'save_download',
  command: 'download',
  doc: 'Let the browser download a file, by its address or by a click, and put it into a granted folder; answers path, size, SHA-256.',
  needs: ['browser', 'files'],
  effect: 'write',
  site: 'browser',
  schema: z
    .strictObject({
      target: Target.optional().describe('what is clicked to begin it'),
      url: z.string().min(1).optional().describe('address, in place of a click'),
      to: z.string().default('').describe('granted folder; default: the first one'),
      name: z.string().min(1).max(200).optional().describe('of the file; default: as the browser says'),
      replace: z.boolean().default(false).describe('a file of that name; else it gets a number'),
    })
    .refine(p => (p.target === undefined) !== (p.url === undefined), 'give target or url'),
  example: { target: 'text=Export', to: 'reports' },
  run: async (ctx, { target = null, url, to, name, replace }) => {
    const address = url === undefined ? null : addressOf({ url }, ctx.scope.base)
    const got = await ctx.browser.call('download.get', { target, url: address }, ctx)
    const wanted = safeName(name ?? basename(got.path.replaceAll('\\', '/')))
    const path = await placeFor(ctx, to === '' ? wanted : `${to}/${wanted}`, replace)
    const found = await ctx.files.adopt(got.path, path, replace ? 'replace' : 'create')
    await ctx.browser.call('download.remove', { id: got.id }, ctx)
    ctx.report('confirmed')
    return { ...found, sha256: await ctx.files.sha256(found.path), type: got.type, url: got.url }
  },
})

/** Where nothing is yet, unless what is there is to be replaced. */
async function placeFor({ files }: StepContext<'files'>, path: string, replace: boolean): Promise<string> {
  const taken = new Set<string>()
  for (;;) {
    const free = freeName(path, taken)
    if (replace || !(await isThere(files, free))) return free
  }
}

async function isThere(files: FilesPort, path: string): Promise<boolean> {
  try {
    await files.find(path)
    return true
  } catch (error) {
    if (Failure.is(error, 'not_found')) return false
    throw error
  }
}

export const downloads = defineStep({
  name: 'downloads',
  doc: "List the newest downloads of the person's browser: address, file, size, state.",
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  schema: z.strictObject({
    query: z.string().min(1).optional().describe('part of the name or address'),
    limit: z.number().int().min(1).max(1000).default(20),
  }),
  example: { limit: 10 },
  run: async (ctx, { query = null, limit }) => ctx.browser.call('download.list', { query, limit }, ctx),
})
