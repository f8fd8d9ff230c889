import { join } from 'node:path'
import type { LinkState } from '../../shared/status.ts'
import type { ChromiumSettings } from './chromium-profile.ts'
import { launchRawChromium, type RawChromium } from './chromium-raw.ts'
import { builtExtension } from './extension-rig.ts'
import { isLinkedSince, type Product } from './product.ts'

/** A browser as a person starts it, with a profile that stays, linked to the product's companion. */
export interface OwnBrowser extends RawChromium {
  profile: LinkState['profile']
  /** From the start of its process to its first answer, and to its link, in milliseconds. */
  upAfterMs: number
  linkedAfterMs: number
}

const LINKED_WITHIN_MS = 60_000

/**
 * Starts a browser on the profile of this name; the same name again takes up the same profile.
 *
 * @param settings the folder of another extension than the built one, further flags, whether it is headless (`env` must hold a DISPLAY where not), what is added to its environment
 */
export async function startOwnBrowser(
  product: Product,
  name: string,
  {
    args = [],
    headless = true,
    env = {},
    extension = builtExtension('chrome'),
  }: Pick<ChromiumSettings, 'args' | 'headless' | 'env'> & { extension?: string } = {},
): Promise<OwnBrowser> {
  const userDataDir = join(product.env.root, `profile-${name}`)
  const setup = await product.cli('setup', '--user-data-dir', userDataDir, '--no-prove')
  if (setup.code !== 0) throw new Error(`setup failed:\n${setup.stderr}${setup.stdout}`)
  const startedAt = Date.now()
  const browser = await launchRawChromium({
    extension,
    userDataDir,
    env: { ...product.env.env, ...env },
    headless,
    args,
  })
  const upAfterMs = Date.now() - startedAt
  const isNew = isLinkedSince(startedAt)
  const { profiles } = await product.status(status => status.profiles.some(isNew), LINKED_WITHIN_MS)
  const link = profiles.find(isNew)
  if (link === undefined) throw new Error('The record that fits has no link that is new.')
  return { ...browser, profile: link.profile, upAfterMs, linkedAfterMs: link.since - startedAt }
}
