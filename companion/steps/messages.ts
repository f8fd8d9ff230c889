import type { SocketMessage } from '../ports/sockets.ts'

/** JSON as its value, all else as the text that it is. */
export function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** What came over a socket, as steps see it. */
export const received = (message: SocketMessage): unknown =>
  typeof message === 'string' ? parsedOrText(message) : { base64: Buffer.from(message).toString('base64') }
