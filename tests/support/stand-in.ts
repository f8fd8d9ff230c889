import { chmod, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { EXTENSION_ID, FIREFOX_ID, HOST_NAME } from '../../shared/identity.ts'
import type { NativeHostManifest } from './native-host-manifest.ts'
import { StandInLink } from './stand-in-link.ts'

/**
 * Stands in for the native host and the companion together, so that the extension can be tested alone, also
 * against what the real ones never send: it holds the native messaging frames of each browser in the test's own
 * hands. The host is a pipe between the browser's stdio and a unix socket, the same framing on both.
 */
export interface StandIn {
  chromiumManifest: NativeHostManifest
  firefoxManifest: NativeHostManifest
  /** For the browser's environment: the host inherits it. */
  env: Record<string, string>
  /** The next link that says hello from now on, already welcomed (or refused, as `answer` says). */
  nextLink(): Promise<StandInLink>
  /** How hello is answered; default: welcome. */
  answerHello(answer: (link: StandInLink) => void): void
  close(): Promise<void>
}

const SOCKET = 'UNICLI_STAND_IN_SOCKET'

const PROGRAM = `
import { connect } from 'node:net'
const socket = connect(process.env.${SOCKET})
const about = Buffer.from(JSON.stringify({ k: 'stand-in', pid: process.pid, argv: process.argv.slice(2) }))
const head = Buffer.alloc(4)
head.writeUInt32LE(about.length)
socket.write(Buffer.concat([head, about]))
process.stdin.pipe(socket)
socket.pipe(process.stdout)
socket.on('error', () => process.exit(1))
socket.on('close', () => process.exit(0))
process.stdin.on('end', () => process.exit(0))
`

/** @param folder short: the socket's path must fit into `sun_path` */
export async function startStandIn(folder: string): Promise<StandIn> {
  const program = join(folder, 'stand-in.mjs')
  const executable = join(folder, 'stand-in')
  const socketPath = join(folder, 's')
  await writeFile(program, PROGRAM)
  await writeFile(executable, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  await chmod(executable, 0o755)
  const waiting: ((link: StandInLink) => void)[] = []
  let answer = (link: StandInLink): void => link.welcome()
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    new StandInLink(socket, link => {
      answer(link)
      for (const take of waiting.splice(0)) take(link)
    })
  })
  await new Promise<void>(resolve => server.listen(socketPath, resolve))
  const manifest = { name: HOST_NAME, description: 'Stand-in', path: executable, type: 'stdio' as const }
  return {
    chromiumManifest: { ...manifest, allowed_origins: [`chrome-extension://${EXTENSION_ID}/`] },
    firefoxManifest: { ...manifest, allowed_extensions: [FIREFOX_ID] },
    env: { [SOCKET]: socketPath },
    nextLink: () => new Promise(resolve => waiting.push(resolve)),
    answerHello: other => {
      answer = other
    },
    close: () => closeServer(server, sockets),
  }
}

function closeServer(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy()
  return new Promise(resolve => server.close(() => resolve()))
}
