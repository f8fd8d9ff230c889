import { spawn } from 'node:child_process'
import { encodePayload } from '../daemon/payload.ts'
import { PayloadStream } from '../daemon/payload-stream.ts'
import { ExtensionEvent } from './extension-event.ts'

/** The native messaging host, started as a browser starts it, and the port to it as an extension has it. */
export function connectNative(
  host: string,
  origin: string,
): {
  postMessage(message: unknown): void
  disconnect(): void
  onMessage: ExtensionEvent<[unknown]>
  onDisconnect: ExtensionEvent<[{ error?: { message: string } }]>
} {
  const child = spawn(process.execPath, [host, origin], { stdio: ['pipe', 'pipe', 'ignore'] })
  const stream = new PayloadStream(child.stdout, child.stdin)
  const onMessage = new ExtensionEvent<[unknown]>()
  const onDisconnect = new ExtensionEvent<[{ error?: { message: string } }]>()
  stream.listen({
    payload: payload => void onMessage.emit(JSON.parse(payload.toString())),
    end: () => undefined,
  })
  child.once('error', error => onDisconnect.emit({ error: { message: error.message } }))
  child.once('exit', () => onDisconnect.emit({ error: { message: 'Native host has exited.' } }))
  return {
    postMessage: message => void stream.send(encodePayload(JSON.stringify(message))),
    // Its input ends, and with it the host.
    disconnect: () => void child.stdin.end(),
    onMessage,
    onDisconnect,
  }
}
