import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeEchoHost } from '../../support/echo-host.ts'
import { FIREFOX, launchFirefox } from '../../support/firefox.ts'
import { isAlive } from '../../support/processes.ts'
import { describeNeeding } from '../../support/requirement.ts'
import { isolatedEnv } from '../../support/temp.ts'

const ID = 'rig@unicli.test'

/** Its content script asks the background to ask the native host, and writes the answer into the page. */
async function writeAddOn(folder: string): Promise<void> {
  const manifest = {
    manifest_version: 3,
    name: 'Rig',
    version: '1.0',
    permissions: ['nativeMessaging'],
    host_permissions: ['http://127.0.0.1/*'],
    background: { scripts: ['background.js'] },
    content_scripts: [{ matches: ['http://127.0.0.1/*'], js: ['content.js'] }],
    browser_specific_settings: { gecko: { id: ID } },
  }
  await mkdir(folder)
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
  await writeFile(
    join(folder, 'background.js'),
    'browser.runtime.onMessage.addListener(message => browser.runtime.sendNativeMessage("test.echo", message))',
  )
  await writeFile(
    join(folder, 'content.js'),
    `browser.runtime.sendMessage({ n: 1 }).then(
       answer => { document.title = JSON.stringify(answer) },
       error => { document.title = String(error) },
     )`,
  )
  await writeFile(join(folder, 'own.html'), '<title>own page</title>')
}

describeNeeding(FIREFOX, 'a Firefox under WebDriver BiDi', () => {
  test('runs an extension whose native host inherits the environment, and is gone after close', async () => {
    const own = await isolatedEnv()
    onTestFinished(own.remove)
    const extensionDir = join(own.root, 'add-on')
    await writeAddOn(extensionDir)
    const host = await writeEchoHost(own.root)
    const server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<p>hello'),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())

    const browser = await launchFirefox({
      extensionDir,
      env: own.env,
      systemAccess: true,
      nativeHostManifest: {
        name: 'test.echo',
        description: 'Echo',
        path: host,
        type: 'stdio',
        allowed_extensions: [ID],
      },
    })
    try {
      expect(browser.extensionId).toBe(ID)
      const tab = await browser.openTab(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      const title = await browser.evaluate<string>(
        tab,
        `new Promise(resolve => {
           const look = () => document.title && resolve(document.title)
           new MutationObserver(look).observe(document, { subtree: true, childList: true })
           look()
         })`,
      )
      expect(JSON.parse(title)).toEqual({
        echo: { n: 1 },
        argv: [join(own.home, '.mozilla/native-messaging-hosts/test.echo.json'), ID],
        home: own.unicliHome,
      })
      const page = await browser.openTab(`${browser.extensionOrigin}/own.html`)
      expect(await browser.evaluate(page, 'document.title')).toBe('own page')
      await expect(browser.evaluate(tab, 'null.x')).rejects.toThrow('null')
    } finally {
      await browser.close()
    }
    expect(isAlive(browser.pid)).toBe(false)
  })
})
