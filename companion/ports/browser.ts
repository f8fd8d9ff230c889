import type { LinkState } from '../../shared/status.ts'
import type { CaptureEntry } from '../../shared/values.ts'
import type { WireMethod, WireParams, WireResult } from '../../shared/wire.ts'

export interface CallOptions {
  signal: AbortSignal
  /** Absolute, epoch ms. */
  deadline: number
  /** Origins of the sites that a call to the browser may touch; without it, none. */
  granted?: readonly string[]
}

type WithoutSession<P> = Omit<P, 'session'>

/** One named session in one browser profile; everything in it happens in tabs of its own. */
export interface BrowserSession {
  readonly profile: { id: string; name: string }
  readonly session: string
  /** Fails with the extension's own failure, or link_lost (reads), outcome_unknown (writes), deadline_exceeded. */
  call<M extends WireMethod>(
    method: M,
    params: WithoutSession<WireParams<M>>,
    options: CallOptions,
  ): Promise<WireResult<M>>
  /** Entries of this session's captures from now on; returns what ends it. */
  onCapture(listener: (entry: CaptureEntry) => void): () => void
}

export interface BrowserPort {
  /** `profile` is an id or a name; null takes the only linked one. Calls that name no tab act on `tab`, and without it
   *  on the session's current one. Fails with no_browser, profile_ambiguous or profile_unknown, version_skew. */
  open(request: { profile: string | null; session: string; tab?: string | undefined }): BrowserSession
  links(): LinkState[]
  /** Waits, a few seconds at most, for browsers that are on their way back to a companion that just started. */
  settled(options: CallOptions): Promise<void>
}
