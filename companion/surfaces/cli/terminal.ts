import pc from 'picocolors'
import type { CliRequest } from './request.ts'

export type Paint = ReturnType<typeof pc.createColors>

/** How the two output streams are to be written to. */
export interface Terminal {
  out: Stream
  err: Stream
  /** Somebody sits there who can be asked: both stdin and stderr are a terminal, and it is no CI run. */
  interactive: boolean
}
export interface Stream {
  tty: boolean
  /** A line may be drawn over. */
  redraws: boolean
  paint: Paint
  /** Columns to fit into; null for a pipe or a file. */
  width: number | null
}

const WIDTH_UNKNOWN = 80

export function terminalOf({ env, tty }: CliRequest): Terminal {
  const dumb = env.TERM === 'dumb'
  const stream = (isTty: boolean): Stream => ({
    tty: isTty,
    redraws: isTty && !dumb,
    paint: pc.createColors(wantsColor(env, isTty && !dumb)),
    width: isTty ? (tty.columns ?? WIDTH_UNKNOWN) : null,
  })
  return { out: stream(tty.stdout), err: stream(tty.stderr), interactive: tty.stdin && tty.stderr && !env.CI }
}

/** https://no-color.org: any value but the empty one. FORCE_COLOR is the wish against the guess, not against that. */
function wantsColor(env: CliRequest['env'], guess: boolean): boolean {
  if (env.NO_COLOR) return false
  const force = env.FORCE_COLOR
  if (force === undefined) return guess
  return force !== '0' && force !== 'false'
}
