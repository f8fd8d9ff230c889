import { z } from 'zod'
import { Target } from '../../shared/values.ts'
import { defineStep } from '../kernel/step.ts'

const FORMATS = ['png', 'jpeg', 'webp'] as const
type Format = (typeof FORMATS)[number]

const Screenshot = z.strictObject({
  target: Target.optional().describe('only this element, brought into view'),
  full_page: z.boolean().default(false).describe('all of the page; it notices that its window is measured'),
  annotate: z
    .boolean()
    .default(false)
    .describe('mark what can be acted on with its ref, in the picture only'),
  path: z.string().min(1).optional().describe('write it to a new file in a granted folder'),
  format: z.enum(FORMATS).optional().describe('default: as path ends, else jpeg'),
  quality: z.number().int().min(1).max(100).default(80).describe('of jpeg and webp'),
  scale: z.number().min(0.05).max(4).default(1).describe('pixels of the picture for each CSS pixel'),
  max_bytes: z
    .number()
    .int()
    .min(1000)
    .max(20_000_000)
    .default(1_000_000)
    .describe('quality, then size give way until it fits'),
})

export const screenshot = defineStep({
  name: 'screenshot',
  doc: 'Take a picture of what the tab shows, the whole page or one element, with refs marked in it when asked.',
  needs: ['browser', 'files'],
  effect: 'read',
  site: 'browser',
  rareOptions: ['quality', 'scale', 'max_bytes', 'format'],
  schema: Screenshot.refine(
    ({ target, full_page }) => target === undefined || !full_page,
    'give target or full_page, not both',
  ),
  example: { annotate: true },
  run: async (ctx, { path, target = null, format = formatOf(path), ...params }) => {
    const taken = await ctx.browser.call('page.screenshot', { ...params, target, format }, ctx)
    const { image, legend, truncated, media_type, ...about } = taken
    const content = Buffer.from(image, 'base64')
    const file = path === undefined ? null : await ctx.files.write(path, content, 'create')
    return {
      // Bytes become evidence of the run: no answer holds base64 unless all of it is asked for.
      image: new Uint8Array(content),
      media_type,
      ...about,
      ...(file === null ? {} : { path: file.path }),
      ...(truncated ? { truncated } : {}),
      ...(params.annotate ? { legend } : {}),
    }
  },
})

function formatOf(path: string | undefined): Format {
  const ending = /\.([a-z]+)$/i.exec(path ?? '')?.[1]?.toLowerCase()
  return FORMATS.find(format => format === ending) ?? 'jpeg'
}
