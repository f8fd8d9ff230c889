import { join } from 'node:path'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { openZip, type ZipEntry } from './zip.ts'

const MB = 1024 * 1024

export const unzip = defineStep({
  name: 'unzip',
  doc: 'List what is in a ZIP archive, or extract it into a granted folder; nothing can land outside of that folder.',
  needs: ['files'],
  effect: 'inherits',
  effectOf: ({ to }) => (to === undefined ? 'read' : 'write'),
  site: 'files',
  schema: z.strictObject({
    path: z.string().min(1).describe('of the archive, in a granted folder'),
    to: z
      .string()
      .min(1)
      .optional()
      .describe('folder to extract into; without it the archive is only listed'),
    names: z.array(z.string().min(1)).min(1).optional().describe('only these, as the list names them'),
    mode: z.enum(['create', 'replace']).default('create').describe('create fails when a file is there'),
    encoding: z
      .string()
      .default('gb18030')
      .describe('of names that are not in UTF-8, such as shift_jis, euc-kr or big5'),
    max_files: z.number().int().min(1).max(100_000).default(10_000),
    max_mb: z.number().int().min(1).max(2048).default(500).describe('most that comes out of it'),
  }),
  example: { path: 'photos.zip', to: 'photos' },
  run: async (ctx, params) => {
    const { files, signal } = ctx
    const zip = await openZip(await files.read(params.path, 256 * MB), params)
    const wanted = selected(zip.entries, params.names, params.path)
    if (params.to === undefined) return wanted.map(({ name, bytes, modified }) => ({ name, bytes, modified }))
    const written: { path: string; bytes: number }[] = []
    for (const entry of wanted) {
      signal.throwIfAborted()
      written.push(await files.write(join(params.to, entry.name), await zip.read(entry), params.mode))
      if (wanted.length > 10) ctx.progress(`${written.length} of ${wanted.length}`)
    }
    return written
  },
})

function selected(
  entries: readonly ZipEntry[],
  names: readonly string[] | undefined,
  path: string,
): readonly ZipEntry[] {
  if (names === undefined) return entries
  return names.map(name => {
    const entry = entries.find(each => each.name === name)
    if (entry === undefined)
      throw new Failure('not_found', {
        what: `"${name}" in ${path}`,
        hint: 'List the archive to see its names.',
      })
    return entry
  })
}
