import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { StepContext } from '../kernel/step.ts'
import type { PartFile } from '../ports/files.ts'
import type { HttpStream } from '../ports/http.ts'
import { addressOf } from './addresses.ts'
import { failOnStatus } from './answers.ts'
import type { RequestOptions } from './http-request.ts'
import { parsedOrText } from './messages.ts'

/** How often a person on a long download hears of it. */
const TELL_EVERY_MS = 1000

/** What a part is a part of. Without a validator it cannot be gone on with. */
const Note = z.object({ validator: z.string().nullable() })

export interface Answered {
  /** After redirects. */
  url: string
  type: string | null
  disposition: string | undefined
  /** Something of it was there before. */
  resumed: boolean
}

export interface TransferOptions {
  to: string
  /** Bytes. */
  limit: number
}

/** One file on its way into its part. Each run goes on where the part ends, as long as the site's file is the same. */
export class Transfer {
  readonly url: string
  readonly #ctx: StepContext<'http' | 'files'>
  readonly #headers: Record<string, string>
  readonly #options: TransferOptions
  #part: PartFile | null = null
  #toldAt = 0

  constructor(ctx: StepContext<'http' | 'files'>, request: RequestOptions, options: TransferOptions) {
    this.#ctx = ctx
    this.url = addressOf(request, ctx.scope.base)
    this.#options = options
    const named = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])
    // What is packed on its way has other offsets than the file.
    this.#headers = { accept: '*/*', 'accept-encoding': 'identity', ...Object.fromEntries(named) }
  }

  /** The part, once `run` has been called. */
  get part(): PartFile {
    if (this.#part === null)
      throw new Failure('internal', { reason: 'a transfer that was not run has no part' })
    return this.#part
  }

  async run(): Promise<Answered> {
    const key = createHash('sha256')
      .update(JSON.stringify([this.url, this.#headers]))
      .digest('hex')
      .slice(0, 16)
    this.#part ??= await this.#ctx.files.part(this.#options.to, key)
    const range = await this.#range()
    const stream = await this.#ask(range)
    const { status, headers, url } = stream
    if (status === 416 && Object.keys(range).length > 0) {
      // Its file is no longer the one that the part is of.
      await this.part.begin(noteOf(null))
      return this.run()
    }
    if (status >= 400) await refuse(stream)
    const resumed = status === 206 && startOf(headers['content-range']) === this.part.bytes
    if (!resumed) await this.part.begin(noteOf(validatorOf(headers)))
    await this.#receive(stream, resumed)
    return {
      url,
      type: headers['content-type'] ?? null,
      disposition: headers['content-disposition'],
      resumed,
    }
  }

  /** Leaves what has come for a later run, if anything has. */
  async close(): Promise<void> {
    if (this.#part?.bytes === 0) await this.#part.drop()
    await this.#part?.close()
  }

  #ask(range: Record<string, string>): Promise<HttpStream> {
    const headers = { ...this.#headers, ...range }
    return this.#ctx.http.stream({ url: this.url, method: 'GET', headers, body: null, read: true }, this.#ctx)
  }

  async #range(): Promise<Record<string, string>> {
    const note = await this.part.note()
    const parsed = Note.safeParse(note === null ? null : parsedOrText(note))
    const validator = parsed.success ? parsed.data.validator : null
    return validator === null || this.part.bytes === 0
      ? {}
      : { range: `bytes=${this.part.bytes}-`, 'if-range': validator }
  }

  async #receive({ url, headers, body }: HttpStream, resumed: boolean): Promise<void> {
    const total = totalOf(headers, resumed ? this.part.bytes : 0)
    const { limit } = this.#options
    const tooLarge = (): Failure => new Failure('response_too_large', { url, limit })
    if (total !== null && total > limit) throw tooLarge()
    for await (const chunk of body) {
      if (this.part.bytes + chunk.length > limit) throw tooLarge()
      await this.part.append(chunk)
      this.#tell(url, total)
    }
    if (total !== null && this.part.bytes !== total)
      throw new Failure('network_error', { url, reason: `${this.part.bytes} of ${total} bytes came` })
  }

  #tell(url: string, total: number | null): void {
    if (Date.now() - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = Date.now()
    this.#ctx.progress(`${this.part.bytes}${total === null ? '' : ` of ${total}`} bytes of ${url}`)
  }
}

const noteOf = (validator: string | null): string =>
  JSON.stringify({ validator } satisfies z.input<typeof Note>)

/** A weak ETag does not promise equal bytes, so that it is none here. */
function validatorOf({ etag, 'last-modified': modified }: Record<string, string>): string | null {
  return etag !== undefined && !etag.startsWith('W/') ? etag : (modified ?? null)
}

function startOf(range: string | undefined): number | null {
  const start = /^bytes (\d+)-/.exec(range ?? '')?.[1]
  return start === undefined ? null : Number(start)
}

/** Of the whole file; null when the site does not say. */
function totalOf(headers: Record<string, string>, before: number): number | null {
  const length = Number(headers['content-length'] ?? Number.NaN)
  const isPacked = (headers['content-encoding'] ?? 'identity') !== 'identity'
  return Number.isNaN(length) || isPacked ? null : before + length
}

const MAX_REFUSAL = 64 * 1024

/** What a site says of why it gives no file is read as any answer is. */
async function refuse({ body, ...answer }: HttpStream): Promise<never> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_REFUSAL) break
  }
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString('utf8')
  failOnStatus({ ...answer, text, bytes })
  throw new Failure('http_error', { status: answer.status, url: answer.url, excerpt: '' })
}
