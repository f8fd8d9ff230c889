import type { Failure } from '../../../shared/failures.ts'
import type { Frame } from '../../../shared/frame.ts'

/** One connection from a native host, as the daemon's server hands it over. */
export interface LinkTransport {
  /** `pid` is the host's own word; it had to show the token to say it. */
  readonly attach: { pid: number; managed?: string | undefined }
  /** Bytes that came, and bytes that the system has taken, so far. */
  readonly received: number
  readonly sent: number
  /** False asks for a pause until `onDrain`. `flushed` is called when the system has taken the whole frame. */
  send(frame: Frame, flushed?: () => void): boolean
  onDrain(listener: () => void): void
  /** Replaces the one listener. */
  onFrame(listener: (frame: Frame) => void): void
  /** Adds a listener; it is called once, at once when the connection has ended already. */
  onClose(listener: (fault: Failure | null) => void): void
  /** `refused` tells the extension why. */
  close(refused?: Failure): void
}
