import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { rowsOf } from './fields.ts'
import { asText, readText, TEXT_FORMS } from './text-forms.ts'

const MB = 1024 * 1024

export const writeTemp = defineStep({
  name: 'write_temp',
  doc: "Write text into a new file of the run's own temp folder, whose path goes into vars; it is removed at the end.",
  needs: ['files'],
  effect: 'read',
  schema: z.strictObject({
    name: z.string().min(1).max(200).describe('of the file, without folders'),
    content: z.unknown().optional().describe('default: the data; what is no text goes as JSON'),
    as: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_]*$/)
      .default('file')
      .describe('the name in vars under which later steps find the path'),
  }),
  example: { name: 'page.html', content: '<p>${{ args.text }}</p>', as: 'page' },
  run: async ({ files, data, setVars }, { name, content, as }) => {
    setVars({ [as]: await files.temp(name, bytesOf(asText(content ?? data))) })
    return data
  },
})

const ReadFile = z.strictObject({
  path: z.string().min(1).describe('in a granted folder; relative ones begin in the first'),
  parse: z.enum([...TEXT_FORMS, 'base64']).default('text'),
  encoding: z.string().default('utf-8').describe('such as gb18030 or shift_jis'),
  max_bytes: z
    .number()
    .int()
    .min(1)
    .max(256 * MB)
    .default(10 * MB),
})

export const readFile = defineStep({
  name: 'read_file',
  doc: 'Read a file in a granted folder as text, lines, JSON, CSV or bytes.',
  needs: ['files'],
  effect: 'read',
  site: 'files',
  schema: z.union([z.string().transform(path => ReadFile.parse({ path })), ReadFile]),
  example: { path: 'notes.json', parse: 'json' },
  run: async (ctx, { path, parse, encoding, max_bytes }) => {
    const bytes = await ctx.files.read(path, max_bytes)
    if (parse === 'base64') return Buffer.from(bytes).toString('base64')
    return readText(decoded(bytes, encoding, path), parse, ctx)
  },
})

export const writeFile = defineStep({
  name: 'write_file',
  doc: 'Write a file in a granted folder, whole or not at all; answers its path and size.',
  needs: ['files'],
  effect: 'write',
  site: 'files',
  schema: z.strictObject({
    path: z.string().min(1).describe('in a granted folder; relative ones begin in the first'),
    content: z.unknown().optional().describe('default: the data'),
    format: z
      .enum(['text', 'json', 'csv', 'base64'])
      .optional()
      .describe('default: by the name (.json, .csv), else text'),
    mode: z
      .enum(['create', 'replace', 'append'])
      .default('create')
      .describe('create fails when the file is there'),
  }),
  example: { path: 'report.csv', content: [{ name: '桥', length: 12 }], mode: 'replace' },
  run: async ({ files, data }, { path, content = data, format, mode }) => {
    const form =
      format ?? (/\.(json|csv)$/i.exec(path)?.[1]?.toLowerCase() as 'json' | 'csv' | undefined) ?? 'text'
    return files.write(path, await bytesFor(content, form, mode === 'append'), mode)
  },
})

async function bytesFor(
  content: unknown,
  form: 'text' | 'json' | 'csv' | 'base64',
  isMore: boolean,
): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content
  if (form === 'json') return bytesOf(`${JSON.stringify(content ?? null, null, 2)}\n`)
  if (form === 'base64') return Buffer.from(asText(content), 'base64')
  if (form === 'text') return bytesOf(asText(content))
  const { stringify } = await import('csv-stringify/sync')
  // The header stands at the top of the file alone.
  return bytesOf(stringify(rowsOf(content, 'write_file'), { header: !isMore }))
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function decoded(bytes: Uint8Array, encoding: string, path: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (cause) {
    const reason =
      cause instanceof RangeError ? `there is no encoding "${encoding}"` : `it is not text in ${encoding}`
    throw new Failure('parse_failed', { what: `The file ${path}`, reason }, { cause })
  }
}
