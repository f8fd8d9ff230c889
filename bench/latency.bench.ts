import { join } from 'node:path'
import { EXTENSION_ID } from '../shared/identity.ts'
import { writeEchoHost } from '../tests/support/echo-host.ts'
import { startFixtureSite } from '../tests/support/fixture-site.ts'
import { writeNativeHostManifest } from '../tests/support/native-host-manifest.ts'
import { startProduct } from '../tests/support/product.ts'
import { row, sample } from './sampling.ts'

export const title =
  'HTTP → page → back, beside a bare native-messaging ping and Playwright (ratio: to the ping)'

const COUNT = 300
const ECHO = 'dev.unicli.bench_echo'

export async function measure() {
  const site = await startFixtureSite()
  const product = await startProduct()
  try {
    const userDataDir = join(product.env.root, 'profile-bench')
    await registerEcho(userDataDir, product.env.root)
    const browser = await product.browser({ userDataDir })
    const worker = await browser.serviceWorker()
    const page = await browser.context.newPage()
    await page.goto(`${site.url}/controls`)
    await product.run('browser.navigate', { url: `${site.url}/controls` })
    const { http_url: url } = await product.discovery()
    const headers = { authorization: `Bearer ${await product.token()}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ args: { expression: '1' } })
    const ask = async (path: string, init: RequestInit) =>
      (await fetch(new URL(path, url), { ...init, headers })).text()
    const evaluate = () => ask('/v1/operations/browser/evaluate', { method: 'POST', body })
    const ping = await worker.evaluate(pingEcho, { name: ECHO, count: COUNT })
    const http = await sample(COUNT, evaluate)
    const own = await sample(COUNT, () => page.evaluate('1'))
    const health = await sample(COUNT, () => ask('/v1/health', {}))
    return [
      row('bare native-messaging ping', ping, ping),
      row('HTTP → companion → page → back', http, ping),
      row('Playwright page.evaluate over CDP', own, ping),
      row('HTTP → companion alone', health, ping),
    ]
  } finally {
    await product.close()
    await site.stop()
  }
}

async function registerEcho(userDataDir: string, root: string): Promise<void> {
  await writeNativeHostManifest(join(userDataDir, 'NativeMessagingHosts'), {
    name: ECHO,
    description: 'Echo',
    path: await writeEchoHost(root),
    type: 'stdio',
    allowed_origins: [`chrome-extension://${EXTENSION_ID}/`],
  })
}

/** Runs inside the extension's worker. */
async function pingEcho({ name, count }: { name: string; count: number }): Promise<number[]> {
  const port = chrome.runtime.connectNative(name)
  const round = () =>
    new Promise<void>(resolve => {
      const onMessage = () => {
        port.onMessage.removeListener(onMessage)
        resolve()
      }
      port.onMessage.addListener(onMessage)
      port.postMessage({ at: 1 })
    })
  const times: number[] = []
  for (let at = -20; at < count; at++) {
    const start = performance.now()
    await round()
    if (at >= 0) times.push(performance.now() - start)
  }
  port.disconnect()
  return times
}
