import { orAborted } from '../../shared/abort.ts'
import type { BuiltinCall, Kernel } from '../kernel/operation.ts'
import type { CookieStorePort, ServicePort, SignInPort } from '../ports/auth.ts'
import type { BrowserPort } from '../ports/browser.ts'
import type { ConfigPort, CookieFilePort } from '../ports/state.ts'

/** What the operations of `auth` are built on; compose.ts supplies it. */
export interface AuthParts {
  /** Made after its catalogue, of which these operations are a part. */
  kernel: () => Kernel
  config: ConfigPort
  services: ServicePort
  signIns: SignInPort
  cookies: CookieFilePort & CookieStorePort
  browser: Pick<BrowserPort, 'links' | 'settled'>
}

export const isLinked = ({ browser }: AuthParts): boolean =>
  browser.links().some(link => link.state === 'linked')

/** Ends early, with the failure of its signal, when the run does. */
export const pause = (ms: number, { signal }: BuiltinCall): Promise<void> =>
  orAborted(
    new Promise(resolve => {
      setTimeout(resolve, ms)
    }),
    signal,
  )
