import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { type NewRoute, RequestKind, type Route } from '../../shared/traffic.ts'
import { defineStep } from '../kernel/step.ts'

const Changes = z.record(z.string(), z.string().nullable()).describe('null takes the header away')

const RouteOptions = z
  .strictObject({
    match: z
      .string()
      .min(1)
      .max(1000)
      .default('*')
      .describe('part of the address, or a glob with * over all of it'),
    method: z.string().optional(),
    kind: z.union([RequestKind, z.array(RequestKind).min(1)]).optional(),
    block: z.boolean().default(false).describe('let it fail'),
    mock: z
      .strictObject({
        status: z.number().int().min(200).max(599).default(200),
        headers: z.record(z.string(), z.string()).default({}),
        body: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]).default(''),
        base64: z.boolean().default(false),
      })
      .optional()
      .describe('answer it in place of the server'),
    request_headers: Changes.optional(),
    response_headers: Changes.optional(),
    throttle: z
      .strictObject({
        offline: z.boolean().default(false),
        latency_ms: z.number().min(0).default(0),
        down_kbps: z.number().min(0).default(0).describe('kilobytes a second; 0: no limit'),
        up_kbps: z.number().min(0).default(0),
      })
      .optional()
      .describe('of the whole tab'),
  })
  .refine(
    ({ block, mock, request_headers: sent, response_headers: got, throttle }) =>
      [block || undefined, mock, sent ?? got, throttle].filter(action => action !== undefined).length === 1,
    'say one thing to do: block, mock, headers or throttle',
  )

export const networkRoute = defineStep({
  name: 'network_route',
  command: 'route',
  doc: "Block, mock or change requests of the session's tabs, or slow them down, until the session ends.",
  needs: ['browser'],
  effect: 'write',
  site: 'network',
  schema: RouteOptions,
  example: { match: '*/api/items*', mock: { body: { items: [] } } },
  run: async (ctx, options) => {
    checkHeaders({ ...options.mock?.headers, ...options.request_headers, ...options.response_headers })
    const { routes } = await ctx.browser.call('network.route', { add: ruleOf(options), remove: null }, ctx)
    return shown(routes.at(-1))
  },
})

/** What no browser would send. Fails with usage. */
function checkHeaders(headers: Record<string, string | null>): void {
  for (const [name, value] of Object.entries(headers)) {
    const isName = /^[\w!#$%&'*+.^`|~-]+$/.test(name)
    if (isName && !/[\r\n\0]/.test(value ?? '')) continue
    throw new Failure('usage', {
      problem: isName ? `The header ${name} has a line break in it.` : `"${name}" is no name of a header.`,
      hint: 'A name is letters, digits and dashes; a value is one line.',
    })
  }
}

/** Fails with usage for what is no base64. */
function checkedBase64(body: string): string {
  const bytes = Buffer.from(body, 'base64')
  const plain = (text: string) => text.replace(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/')
  if (plain(bytes.toString('base64')) === plain(body)) return bytes.toString('base64')
  throw new Failure('usage', {
    problem: 'The body of the mock is no base64.',
    hint: 'Leave out base64 to give it as text.',
  })
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

function ruleOf(options: z.output<typeof RouteOptions>): NewRoute {
  const { match, method, kind, mock, throttle, block } = options
  return {
    match,
    methods: method === undefined ? [] : [method.toUpperCase()],
    kinds: kind === undefined ? [] : [kind].flat(),
    action: block
      ? { do: 'block' }
      : mock !== undefined
        ? {
            do: 'mock',
            status: mock.status,
            headers: mock.headers,
            body: mock.base64 ? checkedBase64(textOf(mock.body)) : textOf(mock.body),
            body_base64: mock.base64,
          }
        : throttle !== undefined
          ? {
              do: 'throttle',
              offline: throttle.offline,
              latency_ms: throttle.latency_ms,
              down: throttle.down_kbps,
              up: throttle.up_kbps,
            }
          : {
              do: 'headers',
              request: options.request_headers ?? {},
              response: options.response_headers ?? {},
            },
  }
}

export const networkUnroute = defineStep({
  name: 'network_unroute',
  command: 'unroute',
  doc: 'Take one route of the session away, or all of them.',
  needs: ['browser'],
  effect: 'write',
  site: 'network',
  schema: z.strictObject({
    id: z.string().min(1).default('all').describe('as network.routes tells it, or all'),
  }),
  example: { id: '1' },
  run: async (ctx, { id }) => {
    const { routes: before } = await ctx.browser.call('network.route', { add: null, remove: null }, ctx)
    if (id !== 'all' && !before.some(route => route.id === id))
      throw new Failure('not_found', {
        what: `The route ${id}`,
        hint: 'Run network.routes for those there are.',
      })
    const { routes } = await ctx.browser.call('network.route', { add: null, remove: id }, ctx)
    return { removed: before.length - routes.length, left: routes.length }
  },
})

export const networkRoutes = defineStep({
  name: 'network_routes',
  command: 'routes',
  doc: 'List the routes of the session and by which means each is kept.',
  needs: ['browser'],
  effect: 'read',
  site: 'network',
  schema: z.strictObject({}),
  example: {},
  run: async ctx =>
    (await ctx.browser.call('network.route', { add: null, remove: null }, ctx)).routes.map(shown),
})

/** Without what is long or empty in it. */
function shown(route: Route | undefined): object {
  if (route === undefined) return {}
  const { id, match, methods, kinds, by, action } = route
  const { do: does, ...how } = action
  const brief = action.do === 'mock' ? { status: action.status, body_chars: action.body.length } : how
  return {
    ...{ id, match, by, do: does },
    ...(methods.length === 0 ? {} : { methods }),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(action.do === 'block' ? {} : { how: brief }),
  }
}
