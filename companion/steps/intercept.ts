import { z } from 'zod'
import { limitedTo } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import { parsedJson } from '../../shared/json.ts'
import type { CaptureEntry } from '../../shared/values.ts'
import { compilePattern } from '../kernel/pattern.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { addressOf } from './addresses.ts'

const Params = z.strictObject({
  match: z.string().min(1).describe('part of the address, or /regular expression/'),
  method: z.string().optional(),
  navigate: z.string().optional().describe('address to load'),
  trigger: z.array(z.unknown()).meta({ plan: true }).optional().describe('steps that cause the request'),
  all: z.boolean().default(false).describe('a list of every match up to the end of the trigger'),
  timeout_ms: z.number().int().min(1).max(120_000).default(10_000).describe('after load and trigger'),
})
type Params = z.output<typeof Params>

export const intercept = defineStep({
  name: 'intercept',
  doc: 'Load a page or run steps in it, and take the JSON that its own requests were answered with.',
  needs: ['browser'],
  effect: 'inherits',
  schema: Params,
  example: { match: '/api/items', navigate: '/list' },
  run: async (ctx, params) => {
    const start = addressOf({ url: params.navigate ?? '' }, ctx.scope.base)
    const catcher = new Catcher(params)
    const off = ctx.browser.onCapture(entry => catcher.see(entry))
    try {
      await ctx.browser.call('capture.start', { origin: new URL(start).origin }, ctx)
      await provoke(ctx, params, start)
      await catcher.caught(params.timeout_ms, ctx.signal)
    } finally {
      off()
      await stopCapture(ctx)
    }
    return catcher.answer()
  },
})

/** Loads the page and then does what the adapter says a person would do. */
async function provoke(ctx: StepContext<'browser'>, params: Params, start: string): Promise<void> {
  if (params.navigate !== undefined)
    await ctx.browser.call(
      'page.navigate',
      { url: start, until: params.trigger === undefined ? 'commit' : 'load' },
      ctx,
    )
  if (params.trigger !== undefined) await ctx.run(params.trigger, ctx.data)
}

/** How long the end of a capture may take. */
const STOP_MS = 2000

/** A capture whose tab or link has gone has ended already; the failure that matters is the one under way. */
async function stopCapture(ctx: StepContext<'browser'>): Promise<void> {
  await ctx.browser.call('capture.stop', {}, limitedTo(STOP_MS)).catch((error: unknown) => {
    if (!Failure.is(error)) throw error
  })
}

class Catcher {
  readonly #params: Params
  readonly #hits: unknown[] = []
  readonly #seen: string[] = []
  #onHit: () => void = () => undefined

  constructor(params: Params) {
    this.#params = params
  }

  see(entry: CaptureEntry): void {
    this.#seen.push(`${entry.method} ${entry.url.split('?')[0]}`)
    if (!matches(entry, this.#params)) return
    const body = jsonOf(entry)
    if (body === undefined) return
    this.#hits.push(body)
    this.#onHit()
  }

  /** Ends at the first hit, at the time limit or at the abort; only the abort is a failure here. */
  caught(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#hits.length > 0) return Promise.resolve()
    const { promise, resolve, reject } = deferred()
    const onAbort = () => reject(signal.reason)
    const timer = setTimeout(resolve, ms)
    this.#onHit = resolve
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    return promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    })
  }

  answer(): unknown {
    if (this.#hits.length === 0)
      throw new Failure('capture_missed', { pattern: this.#params.match, seen: this.#seen.slice(-20) })
    return this.#params.all ? this.#hits : this.#hits[0]
  }
}

function deferred() {
  let resolve: () => void = () => undefined
  let reject: (reason: unknown) => void = () => undefined
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

function matches(entry: CaptureEntry, params: Params): boolean {
  if (params.method !== undefined && entry.method.toUpperCase() !== params.method.toUpperCase()) return false
  const pattern = /^\/(.+)\/([i]?)$/.exec(params.match)
  return pattern === null
    ? entry.url.includes(params.match)
    : compilePattern(pattern[1] ?? '', pattern[2]).test(entry.url)
}

/** Undefined where the answer is not JSON. */
const jsonOf = ({ response_body: body, truncated }: CaptureEntry): unknown =>
  body === null || truncated ? undefined : parsedJson(body, undefined)
