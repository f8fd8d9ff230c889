import { Readable, Writable } from 'node:stream'
import type { Peer } from '../daemon/server.ts'
import type { McpSurface } from '../surfaces/mcp/surface.ts'

/**
 * Joins a thin client that carries an MCP client's stdio to the MCP surface: events in, events out.
 *
 * @param early what it said before the surface was there; null is its end
 */
export function serveMcp(peer: Peer, surface: McpSurface, early: readonly (string | null)[]): void {
  const readable = new Readable({ read: () => undefined })
  const writable = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _, done) => {
      if (peer.send({ k: 'event', name: 'out', data: chunk.toString() })) done()
      else peer.onDrain(done)
    },
  })
  peer.onFrame(frame => {
    if (frame.k !== 'event' || frame.name !== 'in') return
    readable.push(typeof frame.data === 'string' ? frame.data : null)
  })
  for (const text of early) readable.push(text)
  const connection = surface.serve({ readable, writable })
  peer.onClose(() => {
    readable.destroy()
    void connection.close()
  })
  void connection.closed.then(() => peer.close())
}
