import { type ChildProcess, spawn } from 'node:child_process'
import { FrameConnection } from '../../../companion/daemon/connection.ts'
import { parseFrame } from '../../../companion/daemon/frame-check.ts'
import { PayloadStream } from '../../../companion/daemon/payload-stream.ts'
import { type Frame, type FrameOf, PROTOCOL } from '../../../shared/frame.ts'
import { EXTENSION_ID } from '../../../shared/identity.ts'

/** What the extension does with a call: gives the result or throws a failure; `null` never answers. */
export type Answer = (call: FrameOf<'call'>) => unknown

/** An extension of which nothing is real but the host process that it speaks through. */
export interface ScriptedExtension {
  /** Of the host. */
  pid: number
  host: ChildProcess
  /** Every frame that came, in order; chunks joined. */
  frames: readonly Frame[]
  /** The first frame, past or future, that fits. Rejects when the host ends before. */
  frame<K extends Frame['k']>(kind: K, fits?: (frame: FrameOf<K>) => boolean): Promise<FrameOf<K>>
  send(frame: Frame): void
  /** Past all framing. */
  sendBytes(bytes: Buffer): void
  /** Says hello and resolves with the companion's welcome. */
  hello(over?: Partial<FrameOf<'hello'>>): Promise<FrameOf<'welcome'>>
  /** Resolves with the exit code, or with the signal that ended the host. */
  ended: Promise<number | NodeJS.Signals | null>
  /** Ends the host as the browser does, by closing its stdin, and waits for its end. */
  close(): Promise<void>
}

export interface ExtensionSettings {
  /** A script for Node, or the program that a manifest names. */
  host: string
  env: Record<string, string>
  answer?: Answer
  argv?: readonly string[]
}

export function startExtension({ host, env, answer, argv }: ExtensionSettings): ScriptedExtension {
  const callerArgv = argv ?? [`chrome-extension://${EXTENSION_ID}/`]
  const [program, ...script] = host.endsWith('.js') ? [process.execPath, host] : [host]
  const child = spawn(program, [...script, ...callerArgv], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const frames: Frame[] = []
  const watchers = new Set<() => void>()
  const connection = new FrameConnection(new PayloadStream(child.stdout, child.stdin), {
    parse: parseFrame,
    onFrame: frame => {
      frames.push(frame)
      if (frame.k === 'ping') connection.send({ k: 'pong', id: frame.id })
      if (frame.k === 'call' && answer) reply(connection, frame, answer)
      for (const watcher of watchers) watcher()
    },
  })
  const ended = new Promise<number | NodeJS.Signals | null>(resolve => {
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  const frame: ScriptedExtension['frame'] = (kind, fits = () => true) =>
    new Promise((resolve, reject) => {
      const look = () => {
        for (const candidate of frames)
          if (isKind(candidate, kind) && fits(candidate)) {
            watchers.delete(look)
            resolve(candidate)
            return
          }
      }
      watchers.add(look)
      void ended.then(how => reject(new Error(`the host ended (${how}) before ${kind} came`)))
      look()
    })
  return {
    pid: child.pid ?? 0,
    host: child,
    frames,
    frame,
    ended,
    send: out => void connection.send(out),
    sendBytes: bytes => void child.stdin.write(bytes),
    hello: over => {
      connection.send({ ...HELLO, ...over })
      return frame('welcome')
    },
    close: async () => {
      connection.close()
      child.kill('SIGCONT')
      await ended
    },
  }
}

const HELLO: FrameOf<'hello'> = {
  k: 'hello',
  protocol: PROTOCOL,
  version: '9.9.9',
  capabilities: ['page', 'capture', 'http', 'cookies', 'person'],
  profile: { id: 'profile-1', name: 'Work' },
  browser: { name: 'Chromium', version: '156' },
}

const isKind = <K extends Frame['k']>(frame: Frame, kind: K): frame is FrameOf<K> => frame.k === kind

function reply(connection: FrameConnection, call: FrameOf<'call'>, answer: Answer): void {
  try {
    const result = answer(call)
    if (result !== null) connection.send({ k: 'done', id: call.id, result })
  } catch (error) {
    const failure = error as { toJSON(): { code: string; params: Record<string, unknown> } }
    connection.send({ k: 'fail', id: call.id, failure: failure.toJSON() })
  }
}
