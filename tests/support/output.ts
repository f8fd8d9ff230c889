import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'

/** The kept output of one program. */
export interface Output {
  stdout(): string
  stderr(): string
  /**
   * Resolves with the match of the first line of either stream, past or future, that fits. Rejects, with the
   * output's tail, when the program ends before or the time is over.
   */
  waitForLine(
    name: string,
    pattern: RegExp,
    ended: Promise<unknown>,
    timeoutMs?: number,
  ): Promise<RegExpMatchArray>
}

const TAIL_CHARACTERS = 4000

export function captureOutput(child: ChildProcess): Output {
  const watchers = new Set<() => void>()
  const notify = () => {
    for (const watcher of watchers) watcher()
  }
  const stdout = keep(child.stdout, notify)
  const stderr = keep(child.stderr, notify)
  const both = () => `${stdout()}\n${stderr()}`

  const waitForLine: Output['waitForLine'] = (name, pattern, ended, timeoutMs = 60_000) =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer)
        watchers.delete(look)
        act()
      }
      const fail = (why: string) =>
        settle(() =>
          reject(new Error(`${name} ${why} ${pattern}. Its output:\n${both().slice(-TAIL_CHARACTERS)}`)),
        )
      const look = () => {
        const match = firstMatch(both(), pattern)
        if (match) settle(() => resolve(match))
        return match !== undefined
      }
      const timer = setTimeout(() => fail(`did not print within ${timeoutMs} ms`), timeoutMs)
      watchers.add(look)
      if (!look()) void ended.then(() => look() || fail('ended before it printed'))
    })

  return { stdout, stderr, waitForLine }
}

function keep(stream: Readable | null, notify: () => void): () => string {
  let text = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (chunk: string) => {
    text += chunk
    notify()
  })
  return () => text
}

function firstMatch(text: string, pattern: RegExp): RegExpMatchArray | undefined {
  for (const line of text.split(/\r?\n/)) {
    const match = line.match(pattern)
    if (match) return match
  }
  return undefined
}
