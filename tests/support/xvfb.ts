import { findExecutable } from './executables.ts'
import { spawnProcess } from './processes.ts'
import type { Requirement } from './requirement.ts'

/** A virtual screen for headful browsers. */
export interface Xvfb {
  /** The value for DISPLAY, e.g. `:3`. */
  display: string
  stop(): Promise<void>
}

export const XVFB: Requirement = {
  name: 'Debian package xvfb',
  get available() {
    return findExecutable('Xvfb') !== undefined
  },
}

/** Starts an X server on a display number that it chooses itself, so that many can run side by side. */
export async function startXvfb(size = '1280x900'): Promise<Xvfb> {
  const screen = ['-screen', '0', `${size}x24`, '-nolisten', 'tcp', '-displayfd', '3']
  const server = await spawnProcess('Xvfb', screen, { extraPipes: 1 })
  const number = await firstLine(server.child.stdio[3], server.exited)
  return { display: `:${number}`, stop: async () => void (await server.stop()) }
}

async function firstLine(stream: unknown, ended: Promise<unknown>): Promise<string> {
  if (!isReadable(stream)) throw new Error('Xvfb got no pipe to tell its display number.')
  let text = ''
  stream.setEncoding('utf8')
  return new Promise((resolve, reject) => {
    stream.on('data', chunk => {
      text += chunk
      if (text.includes('\n')) resolve(text.trim())
    })
    void ended.then(() => reject(new Error('Xvfb ended before it told its display number.')))
  })
}

function isReadable(stream: unknown): stream is NodeJS.ReadableStream {
  return typeof stream === 'object' && stream !== null && 'setEncoding' in stream
}
