import type { Peer } from '../daemon/server.ts'
import type { McpSurface, McpSurfaceParts } from '../surfaces/mcp/surface.ts'

/** The MCP surface, loaded when the first MCP client comes: its library is a fifth of all that there is to load. */
export class LazyMcp {
  readonly #parts: McpSurfaceParts
  #surface: Promise<McpSurface> | null = null

  constructor(parts: McpSurfaceParts) {
    this.#parts = parts
  }

  fetch = async (request: Request): Promise<Response> => (await this.#load()).fetch(request)

  /** Joins a thin client that carries an MCP client's stdio. */
  serve(peer: Peer): void {
    const lines: (string | null)[] = []
    peer.onFrame(frame => {
      if (frame.k === 'event' && frame.name === 'in')
        lines.push(typeof frame.data === 'string' ? frame.data : null)
    })
    Promise.all([this.#load(), import('./mcp-peer.ts')]).then(
      ([surface, { serveMcp }]) => serveMcp(peer, surface, lines),
      this.#parts.onFault,
    )
  }

  async close(): Promise<void> {
    await (await this.#surface)?.close()
  }

  #load(): Promise<McpSurface> {
    this.#surface ??= import('../surfaces/mcp/surface.ts').then(({ createMcpSurface }) =>
      createMcpSurface(this.#parts),
    )
    return this.#surface
  }
}
