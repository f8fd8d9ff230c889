import { startFixtureSite } from '../tests/support/fixture-site.ts'
import { HELD_MS, LINK_FAULTS, type LinkRig, strikeAndMeasure } from '../tests/support/link-faults.ts'
import { startOwnBrowser } from '../tests/support/own-browser.ts'
import { startProduct } from '../tests/support/product.ts'
import { row, sample } from './sampling.ts'

export const title =
  'From a broken link to a linked one, nobody helping (ratio: to starting a companion by hand)'

const ROUNDS = 20
const RESTARTS = 5
const inSession = { session: 'kept' }

export async function measure() {
  const [product, site] = await Promise.all([startProduct(), startFixtureSite()])
  const rig: LinkRig = { product, browser: await startOwnBrowser(product, 'own') }
  try {
    await product.run('browser.navigate', { url: `${site.url}/feed` }, inSession)
    const rounds: [string, number[]][] = []
    for (const [name, strike] of Object.entries(LINK_FAULTS)) rounds.push([name, await strikes(rig, strike)])
    rounds.push(['the browser is restarted (from its first answer on)', await restarts(rig)])
    const byHand = await sample(5, async () => {
      await product.cli('daemon', 'stop')
      const started = performance.now()
      await product.cli('daemon', 'start')
      return performance.now() - started
    })
    return [
      row('unicli daemon stop and start', byHand, byHand),
      ...rounds.map(([name, times]) => row(name, times, byHand)),
    ]
  } finally {
    await rig.browser.close()
    await product.close()
    await site.stop()
  }
}

async function strikes(rig: LinkRig, strike: (typeof LINK_FAULTS)[keyof typeof LINK_FAULTS]) {
  const times: number[] = []
  let since = 0
  while (times.length < ROUNDS) {
    await workUntilHeld(rig, since)
    const { ms, linkedAt } = await strikeAndMeasure(rig, strike)
    times.push(ms)
    since = linkedAt
  }
  return times
}

/** As an agent at work does; until the link, and with it the right to an immediate retry, has held. */
async function workUntilHeld({ product }: LinkRig, since: number): Promise<void> {
  do {
    const { ok, error } = await product.run('browser.evaluate', { expression: '1' }, inSession)
    if (!ok) throw new Error(`The link came back and does not work: ${error.message}`)
  } while (Date.now() - since <= HELD_MS)
}

async function restarts(rig: LinkRig): Promise<number[]> {
  const times: number[] = []
  while (times.length < RESTARTS) {
    await rig.browser.close()
    await rig.product.status(({ profiles }) => profiles.every(({ state }) => state === 'lost'))
    rig.browser = await startOwnBrowser(rig.product, 'own')
    times.push(rig.browser.linkedAfterMs - rig.browser.upAfterMs)
  }
  return times
}
