import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { Retry, withRetry } from './attempts.ts'
import { freeName, nameOf, safeName } from './file-names.ts'
import { filled, requestFields } from './http-request.ts'
import { inLanes } from './lanes.ts'
import { Transfer } from './transfer.ts'

const MB = 1024 * 1024
const { url, query, headers } = requestFields
const own = { rendered: false }

const Download = z.strictObject({
  url,
  query,
  headers,
  to: z.string().default('').describe('granted folder; default: the first one'),
  name: z
    .string()
    .min(1)
    .optional()
    .meta(own)
    .describe('of the file; default: as the site or its address says'),
  sha256: z.string().min(1).optional().meta(own).describe('what is not this is thrown away, as hex'),
  skip_existing: z
    .boolean()
    .default(true)
    .describe('a file that is there is left alone; else it is replaced'),
  for_each: z
    .array(z.unknown())
    .optional()
    .describe('a list: one file for each, as item; the answers keep the order'),
  concurrency: z.number().int().min(1).max(16).default(3).describe('how many of for_each at once'),
  retry: Retry.default({ attempts: 3, backoff_ms: 500 }).describe(
    'each attempt goes on where the last one broke off',
  ),
  max_mb: z.number().min(0.001).max(1_000_000).default(2048),
})
type Download = z.output<typeof Download>

/** One file that was got. */
interface Got {
  path: string
  bytes: number
  sha256: string | null
  type: string | null
  url: string
  status: 'downloaded' | 'resumed' | 'skipped'
}

export const download = defineStep({
  name: 'download',
  doc: 'Download files into a granted folder, going on where an earlier attempt broke off; answers path, size and SHA-256.',
  needs: ['http', 'files'],
  effect: 'write',
  schema: z.union([z.string().transform(address => Download.parse({ url: address })), Download]).meta(own),
  example: {
    url: '/files/${{ item.id }}.pdf',
    to: 'papers',
    name: '${{ item.title }}.pdf',
    for_each: [{ id: 'p1', title: '桥' }],
    concurrency: 2,
  },
  run: async (ctx, params) => {
    const taken = new Set<string>()
    const list = params.for_each
    if (list === undefined) return one(ctx, params, taken)
    return inLanes(list, params.concurrency, (item, index) => one(ctx, params, taken, { item, index }))
  },
})

const Extra = z.strictObject({ name: Download.shape.name, sha256: Download.shape.sha256 })
type Row = { item: unknown; index: number }
type Ports = StepContext<'http' | 'files'>

async function one(ctx: Ports, params: Download, taken: Set<string>, row?: Row): Promise<Got> {
  const request = filled({ ...params, method: 'GET' }, ctx, row)
  const extra = Extra.parse(ctx.render({ name: params.name, sha256: params.sha256 }, row))
  const want = extra.sha256?.toLowerCase() ?? null
  if (want !== null && !/^[0-9a-f]{64}$/.test(want))
    throw new Failure('usage', { problem: `"${want}" is no SHA-256.`, hint: 'Give it as 64 hex digits.' })
  const transfer = new Transfer(ctx, request, { to: params.to, limit: Math.floor(params.max_mb * MB) })
  const place = (name: string): string => (params.to === '' ? name : `${params.to}/${name}`)
  const name = extra.name === undefined ? null : safeName(extra.name)
  // A name that is known beforehand spares the request.
  const early = place(name ?? nameOf(transfer.url, undefined))
  if (params.skip_existing && !taken.has(early.toLowerCase())) {
    const there = await existing(ctx, early, want)
    if (there !== null) return skipped(there, transfer.url, want)
  }
  try {
    const answer = await withRetry(ctx, params.retry, () => transfer.run())
    const path = freeName(place(name ?? nameOf(answer.url, answer.disposition)), taken)
    const there = params.skip_existing ? await existing(ctx, path, want) : null
    if (there !== null) {
      await transfer.part.drop()
      return skipped(there, answer.url, want)
    }
    const got = await checked(transfer, want, answer.url)
    const found = await transfer.part.finish(
      path,
      params.skip_existing && want === null ? 'create' : 'replace',
    )
    const { type, url: from, resumed } = answer
    return { ...found, sha256: got, type, url: from, status: resumed ? 'resumed' : 'downloaded' }
  } finally {
    await transfer.close()
  }
}

const skipped = (there: { path: string; bytes: number }, from: string, sha256: string | null): Got => ({
  ...there,
  sha256,
  type: null,
  url: from,
  status: 'skipped',
})

/** The file when it is there already, and is what is wanted as far as that can be told. */
async function existing(
  { files }: Ports,
  path: string,
  want: string | null,
): Promise<{ path: string; bytes: number } | null> {
  try {
    const found = await files.find(path)
    if (want === null) return found
    return (await files.sha256(path)) === want ? found : null
  } catch (error) {
    if (Failure.is(error, 'not_found')) return null
    throw error
  }
}

/** The SHA-256 of what came. What is not what was wanted does not stay. */
async function checked({ part }: Transfer, want: string | null, from: string): Promise<string> {
  const got = await part.sha256()
  if (want === null || got === want) return got
  await part.drop()
  throw new Failure('checksum_mismatch', { url: from, want, got })
}
