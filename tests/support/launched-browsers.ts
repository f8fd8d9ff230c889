import { expect } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import { launchRawChromium, type RawChromium } from './chromium-raw.ts'
import { type Product, startProduct } from './product.ts'

type Args = Record<string, unknown>

/** How a browser without a person comes to be linked. */
export const WAYS = ['launched', 'attached'] as const
export type Way = (typeof WAYS)[number]

/** One browser of each way: started by `browser.launch`, and started by someone else and attached by its port. */
export interface LaunchedBrowsers {
  product: Product
  /** The one that someone else started. */
  raw: RawChromium
  /** Runs an operation such as `network.list` in the browser, in the session `main` unless the options say otherwise. */
  run(way: Way, operation: string, args?: Args, options?: Args): Promise<Envelope>
  /** The same, which has to succeed: its data. */
  does<T = Record<string, unknown>>(way: Way, operation: string, args?: Args, options?: Args): Promise<T>
  close(): Promise<void>
}

export async function launchBrowsers(): Promise<LaunchedBrowsers> {
  const [product, raw] = await Promise.all([startProduct(), launchRawChromium()])
  const run: LaunchedBrowsers['run'] = (profile, operation, args = {}, options = {}) =>
    product.run(operation, args, { profile, session: 'main', timeout_ms: 30_000, ...options })
  const does: LaunchedBrowsers['does'] = async <T>(...call: Parameters<LaunchedBrowsers['run']>) => {
    const { data, error } = await run(...call)
    expect(error, call.slice(0, 2).join(' ')).toBeNull()
    return data as T
  }
  const close = async (): Promise<void> => {
    for (const name of WAYS) await product.run('browser.quit', { name })
    await raw.close()
    await product.close()
  }
  const started = await Promise.all([
    product.cli('browser', 'launch', '--name', 'launched', '--headless'),
    product.cli('browser', 'launch', '--name', 'attached', '--cdp', `http://${new URL(raw.wsUrl).host}`),
  ])
  for (const { code, stdout, stderr } of started) {
    if (code === 0) continue
    await close()
    throw new Error(`A browser was not launched:\n${stderr}${stdout}`)
  }
  return { product, raw, run, does, close }
}
