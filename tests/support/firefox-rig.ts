import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import { builtExtension } from './extension-rig.ts'
import { type Firefox, launchFirefox } from './firefox.ts'
import type { PageServer } from './page-server.ts'
import { type Product, startProduct } from './product.ts'

type Args = Record<string, unknown>

/** The built product in a Firefox of its own, and a site of the test's making. */
export interface FirefoxRig<Site extends PageServer = PageServer> {
  product: Product
  site: Site
  firefox: Firefox
  /** Runs `<site>.<command>` in a session, such as `browser.click`; `work/t2` names one tab of it. */
  run(where: string, operation: string, args?: Args): Promise<Envelope>
  /** The same, which has to succeed: its data. */
  does<T = Args>(where: string, operation: string, args?: Args): Promise<T>
  /** Loads one of the pages. */
  open(where: string, path: string): Promise<Args>
  evaluate<T = unknown>(where: string, expression: string): Promise<T>
  close(): Promise<void>
}

/** Longer than any answer of a local page takes on two shared cores. */
const TIMEOUT_MS = 20_000

/** @param settings the person's `config.yaml`; by default nobody is asked */
export async function startFirefoxRig<Site extends PageServer>(
  starting: Promise<Site>,
  settings?: string,
): Promise<FirefoxRig<Site>> {
  const [product, site] = await Promise.all([startProduct(settings), starting])
  const firefox = await linkedFirefox(product)
  const run: FirefoxRig<Site>['run'] = (where, operation, args = {}) => {
    const [session, tab] = where.split('/')
    return product.run(operation, args, { session, tab, timeout_ms: TIMEOUT_MS })
  }
  const does = async <T>(where: string, operation: string, args: Args = {}) => {
    const { data, error } = await run(where, operation, args)
    expect(error, `${operation} ${JSON.stringify(args)}`).toBeNull()
    return data as T
  }
  return {
    ...{ product, site, firefox, run, does },
    open: (where, path) => does(where, 'browser.navigate', { url: site.url + path }),
    evaluate: (where, expression) => does(where, 'browser.evaluate', { expression }),
    close: async () => {
      await firefox.close()
      await product.close()
      await site.close()
    },
  }
}

/** Linked as a person's is: by the manifest that `unicli setup` writes for Firefox. */
async function linkedFirefox(product: Product): Promise<Firefox> {
  await mkdir(join(product.env.home, '.mozilla'))
  const setup = await product.cli('setup', '--browser', 'firefox', '--no-prove')
  if (setup.code !== 0) throw new Error(`setup failed:\n${setup.stderr}${setup.stdout}`)
  const firefox = await launchFirefox({ extensionDir: builtExtension('firefox'), env: product.env.env })
  await product.status(({ profiles }) => profiles.some(({ state }) => state === 'linked'))
  return firefox
}
