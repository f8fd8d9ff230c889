import { expect } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import type { Product } from './product.ts'

type Args = Record<string, unknown>

/** @typeParam D what `does` gives where a call does not say it */
export interface BrowserCalls<D> {
  /** Runs `browser.<command>` in the session; `options` are those of the run. */
  run(session: string, command: string, args?: Args, options?: Args): Promise<Envelope>
  /** The same, which has to succeed: its data. */
  does<T = D>(session: string, command: string, args?: Args, options?: Args): Promise<T>
}

/** The browser's operations as a test calls them. @param product asked for at each call: `beforeAll` starts it */
export function browserCalls<D = unknown>(product: () => Product, timeoutMs = 20_000): BrowserCalls<D> {
  const run: BrowserCalls<D>['run'] = (session, command, args = {}, options = {}) =>
    product().run(`browser.${command}`, args, { session, timeout_ms: timeoutMs, ...options })
  return {
    run,
    does: async <T = D>(...call: Parameters<BrowserCalls<D>['run']>): Promise<T> => {
      const { data, error } = await run(...call)
      const [, command, args] = call
      expect(error, `${command} ${JSON.stringify(args)}`).toBeNull()
      return data as T
    },
  }
}
