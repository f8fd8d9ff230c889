import type { Worker } from 'playwright-core'

/** What a door answered to the hostile extension. */
export interface Attempt {
  /** True when the other side let us in: it answered, or kept the connection open. */
  admitted: boolean
  /** The answer as JSON text, or the browser's reason for the refusal. */
  detail: string
}

/** What an HTTP server answered; `status` 0 stands for "no answer at all". */
export interface HttpAttempt {
  status: number
  headers: Record<string, string>
  body: string
}

export interface HttpAttemptInit {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** What the extension can be told to try. It offers these as `globalThis.attempts` of its service worker. */
export interface Attempts {
  /** Connects to a native messaging host and posts one message. */
  connectNative(host: string, message: unknown): Promise<Attempt>
  /** Fetches with the extension's host permissions, so that no CORS rule holds the answer back. */
  request(url: string, init?: HttpAttemptInit): Promise<HttpAttempt>
  /**
   * From now on the browser itself sets these headers on the extension's requests, also those that fetch may
   * not set, such as Origin, Host or Cookie.
   */
  forgeHeaders(headers: Record<string, string>): Promise<void>
  /** `runtime.sendMessage` to another extension. */
  sendMessage(extensionId: string, message: unknown): Promise<Attempt>
  /** `runtime.connect` to another extension, then one message. */
  connectExtension(extensionId: string, message: unknown): Promise<Attempt>
}

/** Makes the hostile extension try something; `worker` is its service worker. */
export function attempt<Name extends keyof Attempts>(
  worker: Worker,
  name: Name,
  ...args: Parameters<Attempts[Name]>
): Promise<Awaited<ReturnType<Attempts[Name]>>> {
  return worker.evaluate(
    ([which, given]) => {
      const attempts: Record<string, (...args: unknown[]) => never> = Reflect.get(globalThis, 'attempts')
      return attempts[which]?.(...given) as never
    },
    [name, args] as const,
  )
}
