import type { CallOptions } from '../../ports/browser.ts'
import type { HttpPort } from '../../ports/http.ts'

/** A strategy's client. */
export interface HttpClient extends HttpPort {
  /** As whom an address is asked, without a secret in it: equal for equal profile and cookies, and only then. */
  identity(url: string, options: CallOptions): Promise<string>
}

/** Judges an address before anything is sent there. */
export type HopCheck = (url: string, method: string) => Promise<void>
