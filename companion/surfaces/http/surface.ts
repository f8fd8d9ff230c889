import { Hono } from 'hono'
import { Failure } from '../../../shared/failures.ts'
import type { Kernel } from '../../kernel/operation.ts'
import type { EvidencePort, LedgerPort } from '../../ports/state.ts'
import { json, refuse } from './answer.ts'
import { addCallRoutes } from './call-routes.ts'
import { addDocsRoutes } from './docs-routes.ts'
import { addEventRoutes, type News } from './event-routes.ts'
import { OpenEnds } from './open-ends.ts'
import { createOpenApi } from './openapi.ts'
import { addApprovalRoutes } from './record-routes.ts'
import { addRunRoutes } from './run-routes.ts'
import { type HttpListener, listen } from './server.ts'

export interface HttpSurfaceParts extends News {
  kernel: Kernel
  ledger: Pick<LedgerPort, 'list' | 'get'>
  /** What a caller must send as bearer. */
  token: string
  /** Whether an approval may be allowed over HTTP. */
  takesYes: () => boolean
  version: string
  /** What runs left behind, by the id in an envelope's `evidence`. */
  evidence: Pick<EvidencePort, 'get'>
  /** Serves /mcp; stands behind the same guard as all the rest. */
  mcp?: ((request: Request) => Promise<Response>) | undefined
  /** The folder with the files of `DOCS_ASSETS`. */
  docsAssets: string
  /** What nobody foresaw while a request was answered, for the log. */
  onFault: (error: unknown) => void
}

export interface HttpSurface {
  /** @throws config_invalid when the port cannot be had */
  listen(port: number): Promise<HttpListener>
}

/** The HTTP surface. It is reachable through `listen` alone, so that no way leads round the guard. */
export function createHttpSurface(parts: HttpSurfaceParts): HttpSurface {
  const { kernel, mcp } = parts
  const ends = new OpenEnds()
  const app = new Hono()
  app.get('/v1/health', () => json(parts.status()))
  addCallRoutes(app, kernel, ends)
  addRunRoutes(app, parts, ends)
  addApprovalRoutes(app, kernel, parts.takesYes)
  addEventRoutes(app, parts, ends)
  addDocsRoutes(app, createOpenApi(kernel.catalogue, parts.version), parts.docsAssets)
  if (mcp !== undefined) app.all('/mcp', c => mcp(c.req.raw))

  app.notFound(c =>
    refuse(
      new Failure('not_found', {
        what: `${c.req.method} ${c.req.path}`,
        hint: 'GET /openapi.json lists every route.',
      }),
    ),
  )
  app.onError(error => {
    const failure = Failure.from(error)
    if (failure.code === 'internal') parts.onFault(error)
    return refuse(failure)
  })
  return {
    listen: port => listen({ fetch: app.fetch, endAll: () => ends.endAll() }, port, parts.token),
  }
}
