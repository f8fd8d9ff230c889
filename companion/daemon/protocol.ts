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

/** The call by which a client stops the companion; the server answers it itself. */
export const STOP_METHOD = 'daemon.stop'
