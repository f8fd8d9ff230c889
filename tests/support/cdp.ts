import type { ProtocolClient } from './browser-protocol.ts'

/** What Chromium tells about one page, worker or frame. */
export interface Target {
  targetId: string
  type: string
  url: string
  title: string
  attached: boolean
}

export async function targets(client: ProtocolClient): Promise<Target[]> {
  const { targetInfos } = await client.send<{ targetInfos: Target[] }>('Target.getTargets')
  return targetInfos
}

export async function serviceWorkerTarget(
  client: ProtocolClient,
  extensionId: string,
): Promise<Target | undefined> {
  const origin = `chrome-extension://${extensionId}/`
  return (await targets(client)).find(
    target => target.type === 'service_worker' && target.url.startsWith(origin),
  )
}

/**
 * Kills the extension's service worker as Chromium does with an idle one; resolves when it has stopped. It comes
 * back only when an event wakes it, and then under the same target while somebody (Playwright) is attached to it.
 *
 * @throws when no worker of this extension runs
 */
export async function killServiceWorker(client: ProtocolClient, extensionId: string): Promise<void> {
  const worker = await serviceWorkerTarget(client, extensionId)
  if (!worker) throw new Error(`No service worker of ${extensionId} is running.`)
  const { targetId } = worker
  await withSession(client, targetId, async sessionId => {
    await client.send('Inspector.enable', {}, sessionId)
    const stopped = client.waitForEvent('Inspector.targetCrashed', (_, session) => session === sessionId)
    await client.send('Target.closeTarget', { targetId })
    await stopped
  })
}

/** Opens a tab and resolves, once the page has loaded, with the id of its target. */
export async function openTab(client: ProtocolClient, url: string): Promise<string> {
  const { targetId } = await client.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
  await withSession(client, targetId, async sessionId => {
    await client.send('Page.enable', {}, sessionId)
    const loaded = client.waitForEvent('Page.loadEventFired', (_, session) => session === sessionId)
    await client.send('Page.navigate', { url }, sessionId)
    await loaded
  })
  return targetId
}

/**
 * Evaluates an expression in a target and resolves with its JSON value; a promise is awaited.
 *
 * @throws with the page's own exception
 */
export async function evaluateIn<Value>(
  client: ProtocolClient,
  targetId: string,
  expression: string,
): Promise<Value> {
  return withSession(client, targetId, async sessionId => {
    const { result, exceptionDetails } = await client.send<{
      result: { value: Value }
      exceptionDetails?: { text: string; exception?: { description?: string } }
    }>('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId)
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  })
}

async function withSession<T>(
  client: ProtocolClient,
  targetId: string,
  use: (sessionId: string) => Promise<T>,
): Promise<T> {
  const { sessionId } = await client.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  })
  try {
    return await use(sessionId)
  } finally {
    await client.send('Target.detachFromTarget', { sessionId })
  }
}
