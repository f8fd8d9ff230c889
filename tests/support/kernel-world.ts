import { Readable } from 'node:stream'
import { z } from 'zod'
import { type CompileContext, compilePlan } from '../../companion/kernel/compile.ts'
import { createKernel, type KernelParts } from '../../companion/kernel/kernel.ts'
import type { Catalogue, Invocation, Operation } from '../../companion/kernel/operation.ts'
import { type AnyStep, defineStep } from '../../companion/kernel/step.ts'
import type { BrowserSession } from '../../companion/ports/browser.ts'
import type { FilesFactory } from '../../companion/ports/files.ts'
import type { HttpRequest, HttpResponse } from '../../companion/ports/http.ts'
import type { ProcessFactory } from '../../companion/ports/process.ts'
import type { CachedStrategy } from '../../companion/ports/state.ts'
import type { TrafficPort } from '../../companion/ports/traffic.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { LinkState } from '../../shared/status.ts'
import { governorOf } from './governor.ts'

/** A step of a test; it needs every port unless `more` says less. */
export const step = (name: string, run: AnyStep['run'], more: Partial<AnyStep> = {}): AnyStep => ({
  ...defineStep({
    name,
    doc: 'A step of the test.',
    needs: ['http', 'browser'],
    effect: 'read',
    schema: z.unknown(),
    example: null,
    run: async () => null,
  }),
  run,
  ...more,
})

const STEPS = new Map<string, AnyStep>(
  [
    step('give', async (_, params) => params),
    step(
      'get',
      async (ctx, url) =>
        (await ctx.http.request({ url, method: 'GET', headers: {}, body: null, read: true }, ctx)).text,
    ),
    step(
      'post',
      async (ctx, url) =>
        (await ctx.http.request({ url, method: 'POST', headers: {}, body: '', read: false }, ctx)).text,
    ),
    step('refuse', async (_, code) => {
      throw Failure.fromJSON({ code: code as unknown as string, params: { columns: [], tried: [] } })
    }),
    step('hang', () => new Promise(() => undefined)),
    step('ping', async ctx => ctx.browser.call('link.ping', {}, ctx)),
    step('ports', async ctx => Object.keys(ctx).filter(key => key === 'http' || key === 'browser'), {
      needs: ['http'],
    }),
    step('echo', async (_, params) => params, {
      site: 'browser',
      schema: z.strictObject({ text: z.string() }),
    }),
  ].map(each => [each.name, each]),
)
const context: CompileContext = { steps: STEPS, line: () => 4 }

/** `demo.list`, with the pipelines and the differences that a test asks for. */
export function operation(
  over: Partial<Operation> & { plans?: Record<string, unknown[]>; origins?: string[] },
): Operation {
  const { plans = { public: [{ give: [{ n: 1 }] }] }, origins = [], ...rest } = over
  return {
    id: 'demo.list',
    site: 'demo',
    command: 'list',
    doc: 'List things.',
    args: z.strictObject({ n: z.number().default(3), word: z.string().optional() }),
    positional: [],
    secrets: [],
    effect: 'read',
    needs: ['http'],
    strategy: 'public',
    strategies: ['public'],
    example: {},
    columns: ['n'],
    aliases: [],
    adapterPath: 'adapters/demo/list.yaml',
    verified: null,
    alternatives: ['demo.other'],
    allowEmpty: false,
    source: {
      kind: 'adapter',
      base: 'https://demo.example',
      origins,
      plans: Object.fromEntries(Object.entries(plans).map(([key, raw]) => [key, compilePlan(raw, context)])),
      csrf: {},
      executables: [],
      env: [],
    },
    ...rest,
  }
}

/** Of tests that touch neither files nor programs. */
const noFiles: FilesFactory = {
  open() {
    throw new Error('this test has no files')
  },
}
const noProcess: ProcessFactory = {
  open() {
    throw new Error('this test starts no program')
  },
  environment: () => ({}),
}

const noTraffic: TrafficPort = {
  open() {
    throw new Error('this test captures nothing')
  },
}

const LINK = {
  profile: { id: 'p1', name: 'Test' },
  state: 'linked',
} as LinkState

/** What the ports of a test were asked, and what they answer. */
class World {
  text = '[1]'
  /** What every request fails with. */
  fails: Failure | null = null
  /** What the site answers in full; without it, the strategy and the text. */
  body: string | null = null
  /** Who is logged in, in a browser that is linked; null links none. */
  login: string | null = null
  readonly calls: string[] = []
  readonly cache = new Map<string, CachedStrategy>()
  knownColumns: readonly string[] = []
  readonly finished: Envelope[] = []
  readonly config: Record<string, unknown> = {}

  ports(op: Operation): KernelParts {
    const nothing = () => undefined
    const catalogue: Catalogue = {
      get: id => (id === op.id ? op : null),
      list: () => [op],
      search: () => [],
      nearest: () => ['demo.list'],
      faults: () => [],
    }
    return {
      catalogue,
      steps: STEPS,
      governor: governorOf(this.config),
      ledger: {
        begin: nothing,
        step: nothing,
        request: nothing,
        finish: (_, envelope) => this.finished.push(envelope),
        list: () => [],
        get: () => null,
      },
      evidence: { put: () => 'e1', keep: () => ({ id: 'e1', bytes: 1 }), get: () => null },
      known: () => this.knownColumns,
      strategies: {
        get: ({ operation }) => this.cache.get(operation) ?? null,
        put: ({ operation }, strategy, login) =>
          this.cache.set(operation, { strategy, login, expiresAt: 1_000_000 }),
        drop: ({ operation }) => this.cache.delete(operation),
      },
      config: { get: key => this.config[key] },
      http: {
        open: strategy => ({
          request: async request => this.#answer(strategy, request),
          stream: async request => {
            const { bytes, ...answer } = this.#answer(strategy, request)
            return { ...answer, body: Readable.from([bytes]) }
          },
          socket: ({ url }) =>
            Promise.reject(new Failure('network_error', { url, reason: 'no socket here' })),
        }),
      },
      browser: {
        links: () => (this.login === null ? [] : [LINK]),
        settled: async () => undefined,
        open: ({ session }) => this.#session(session),
      },
      traffic: noTraffic,
      files: noFiles,
      process: noProcess,
      onChange: nothing,
      mcp: {
        open: () => ({
          call: () => Promise.reject(new Error('no server here')),
          close: async () => undefined,
        }),
      },
      onEvent: nothing,
      onFault: nothing,
    }
  }

  #answer(strategy: string, { method, url, read }: HttpRequest): HttpResponse {
    this.calls.push(`${strategy} ${method} ${url}`)
    if (this.fails !== null) throw this.fails
    if (this.text.startsWith('!')) {
      const cause = new Failure('network_error', { url, reason: 'down' })
      throw read ? cause : new Failure('outcome_unknown', { action: `${method} ${url}` }, { cause })
    }
    const text = this.body ?? `${strategy}:${this.text}`
    return { status: 200, url, headers: {}, text, bytes: new TextEncoder().encode(text) }
  }

  #session(session: string): BrowserSession {
    const owner = session.startsWith('run-') ? 'own' : session
    return {
      profile: { id: 'p1', name: 'Test' },
      session,
      call: async method => {
        this.calls.push(`${owner} ${method}`)
        if (method === 'cookies.get') return [{ name: 'user_id', value: this.login }] as never
        return { at: 1 } as never
      },
      onCapture: () => () => undefined,
    }
  }
}

/** A kernel over scripted ports, for one operation. */
export function setUp(op: Operation, over: Partial<KernelParts> = {}) {
  const world = new World()
  const kernel = createKernel({ ...world.ports(op), ...over })
  const { signal } = new AbortController()
  const run = (asked: Partial<Invocation> = {}) =>
    kernel.run({ operation: op.id, args: {}, options: {}, surface: 'http', signal, ...asked })
  const { calls, cache, finished, config } = world
  return { kernel, run, calls, cache, finished, config, answers: world }
}
