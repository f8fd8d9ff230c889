import type { ProtocolClient } from './browser-protocol.ts'
import type { Spawned } from './processes.ts'

/**
 * Asks a browser to close itself and waits until it has ended; one that does not within ten seconds is killed.
 *
 * @param command the protocol's own word for it. It may end the connection before it is answered.
 */
export async function closeBrowser(browser: Spawned, client: ProtocolClient, command: string): Promise<void> {
  await Promise.allSettled([client.send(command)])
  const late = setTimeout(() => browser.kill('SIGKILL'), 10_000)
  await browser.exited
  clearTimeout(late)
}
