import { parsedJson } from '../../shared/json.ts'
import type { SocketMessage } from '../ports/sockets.ts'

/** JSON as its value, all else as the text that it is. */
export const parsedOrText = (text: string): unknown => parsedJson(text, text)

/** What came over a socket, as steps see it. */
export const received = (message: SocketMessage): unknown =>
  typeof message === 'string' ? parsedOrText(message) : { base64: Buffer.from(message).toString('base64') }
