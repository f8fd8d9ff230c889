import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { EXTENSION_ID } from '../shared/identity.ts'
import { writeEchoHost } from '../tests/support/echo-host.ts'
import { startFixtureSite } from '../tests/support/fixture-site.ts'
import { writeNativeHostManifest } from '../tests/support/native-host-manifest.ts'
import { startProduct } from '../tests/support/product.ts'
import { row, sample } from './sampling.ts'

export const title =
  'HTTP → page → back, beside a bare native-messaging ping and Playwright (ratio: to the ping)'

const COUNT = 500
/** A companion that has run for a while is what people have: its code is compiled by then. */
const WARM = 300
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
    const ask = asker(url, await product.token())
    const body = JSON.stringify({ args: { expression: '1' } })
    const evaluate = () => ask('POST', '/v1/operations/browser/evaluate', body)
    const ping = await worker.evaluate(pingEcho, { name: ECHO, count: COUNT, warm: WARM })
    const http = await sample(COUNT, evaluate, WARM)
    const own = await sample(COUNT, () => page.evaluate('1'), WARM)
    const health = await sample(COUNT, () => ask('GET', '/v1/health', ''), WARM)
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

/** Asks over one connection that stays open, with as little of its own as can be: fetch would cost 1 ms a call. */
function asker(url: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (method: string, path: string, body: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const length = { 'content-length': Buffer.byteLength(body) }
      const asked = request(
        new URL(path, url),
        { agent, method, headers: { ...headers, ...length } },
        answer => {
          answer.resume()
          answer.once('end', () =>
            answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`)),
          )
        },
      )
      asked.once('error', reject)
      asked.end(body)
    })
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
async function pingEcho({
  name,
  count,
  warm,
}: {
  name: string
  count: number
  warm: number
}): Promise<number[]> {
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
  for (let at = -warm; at < count; at++) {
    const start = performance.now()
    await round()
    if (at >= 0) times.push(performance.now() - start)
  }
  port.disconnect()
  return times
}
