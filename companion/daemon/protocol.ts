import { PROTOCOL } from '../../shared/chunk.ts'
import type { Failure } from '../../shared/failures.ts'
import type { FrameOf } from '../../shared/frame.ts'

/** The answer to an attach, or the reason for which a connection ends. */
export const welcome = (version: string, refused: Failure | null): FrameOf<'welcome'> => ({
  k: 'welcome',
  protocol: PROTOCOL,
  version,
  refused: refused?.toJSON() ?? null,
})

/** Calls that every client may make, whatever else it speaks. */
export const CLIENT_METHOD = {
  /** Stops the companion. */
  stop: 'daemon.stop',
  /** Gives the state record. */
  status: 'daemon.status',
  /** Waits for a linked browser and pings each one anew; gives the links that answered. */
  prove: 'link.prove',
} as const
