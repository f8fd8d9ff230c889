import { EXTENSION_ID } from '../../shared/identity.ts'
import { killServiceWorker } from './cdp.ts'
import type { OwnBrowser } from './own-browser.ts'
import { hostsOfHome } from './process-table.ts'
import { isLinkedSince, type Product } from './product.ts'

/** A link from a browser to the companion, with all that it leads over. */
export interface LinkRig {
  product: Product
  browser: OwnBrowser
}

type Strike = (rig: LinkRig) => Promise<unknown>

/** What a link has to come back from without a person. */
export const LINK_FAULTS = {
  'the host is killed': async ({ product }) => process.kill(await theHost(product), 'SIGKILL'),
  'the worker is killed': ({ browser }) => killServiceWorker(browser.cdp, EXTENSION_ID),
  'the companion is killed': async ({ product }) => process.kill((await product.discovery()).pid, 'SIGKILL'),
  'the host is suspended': async ({ product }) => process.kill(await theHost(product), 'SIGSTOP'),
} as const satisfies Record<string, Strike>

/** A link that broke sooner than this after the last time is opened again after a pause, on purpose. */
export const HELD_MS = 1000

async function theHost(product: Product): Promise<number> {
  const [pid, ...more] = await hostsOfHome(product.env.unicliHome)
  if (pid === undefined || more.length > 0) throw new Error(`There are ${more.length + 1} hosts, or none.`)
  return pid
}

/** Strikes and resolves with the milliseconds until a state record says that the browser is linked again. */
export async function strikeAndMeasure(
  rig: LinkRig,
  strike: Strike,
): Promise<{ ms: number; linkedAt: number }> {
  const { product, browser } = rig
  const at = Date.now()
  const record = product.status(({ profiles }) => profiles.some(isLinkedSince(at)))
  await strike(rig)
  const { profiles } = await record
  const [link, ...others] = profiles
  if (link?.profile.id !== browser.profile.id || others.length > 0)
    throw new Error(`The profiles are ${JSON.stringify(profiles)}.`)
  return { ms: Date.now() - at, linkedAt: link.since }
}
