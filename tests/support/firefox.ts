import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { closeBrowser } from './browser-exit.ts'
import { connectProtocol, type ProtocolClient } from './browser-protocol.ts'
import { findExecutable } from './executables.ts'
import { type NativeHostManifest, writeNativeHostManifest } from './native-host-manifest.ts'
import { type Spawned, spawnProcess } from './processes.ts'
import type { Requirement } from './requirement.ts'
import { isolatedEnv } from './temp.ts'

export interface FirefoxSettings {
  /** Folder of a built extension; installed as a temporary add-on. */
  extensionDir?: string
  /** The browser's whole environment; native hosts inherit it. Default: an isolated one. */
  env?: Record<string, string>
  /** Registered in the HOME of `env`, which therefore has to be a temporary one. */
  nativeHostManifest?: NativeHostManifest
  /** Default true. */
  headless?: boolean
  /** Lets the tests open the extension's own pages. Default false. */
  systemAccess?: boolean
}

/** A Firefox driven by WebDriver BiDi, with a profile of its own. */
export interface Firefox {
  pid: number
  bidi: ProtocolClient
  /** The add-on's id; undefined when none was loaded. */
  extensionId: string | undefined
  /** `moz-extension://<uuid>`, where its pages are. */
  extensionOrigin: string | undefined
  /** Opens a tab, waits until it is loaded, and resolves with its browsing context. */
  openTab(url: string): Promise<string>
  /** Evaluates an expression in the tab and resolves with its JSON value; a promise is awaited. */
  evaluate<Value>(tab: string, expression: string): Promise<Value>
  /** Closes the browser as a person does, waits for its end, and deletes the profile. */
  close(): Promise<void>
}

export const FIREFOX: Requirement = {
  name: 'Firefox (Debian package firefox-esr)',
  get available() {
    return findFirefox() !== undefined
  },
}

export async function launchFirefox(settings: FirefoxSettings = {}): Promise<Firefox> {
  const executable = findFirefox()
  if (!executable) throw new Error('Neither firefox-esr nor firefox is on PATH.')
  const own = await isolatedEnv()
  const env = settings.env ?? own.env
  const manifest = settings.nativeHostManifest
  if (manifest)
    await writeNativeHostManifest(join(env.HOME ?? own.home, '.mozilla/native-messaging-hosts'), manifest)
  const addOn = settings.extensionDir === undefined ? undefined : await readAddOn(settings.extensionDir)
  const profile = join(own.root, 'f')
  await mkdir(profile)
  await writeFile(join(profile, 'user.js'), preferences(addOn))
  const browser = await spawnProcess(executable, flags(profile, settings), { env })
  try {
    const bidi = await connect(browser)
    if (addOn)
      await bidi.send('webExtension.install', { extensionData: { type: 'path', path: addOn.folder } })
    return {
      pid: browser.pid,
      bidi,
      extensionId: addOn?.id,
      extensionOrigin: addOn && `moz-extension://${addOn.uuid}`,
      openTab: url => openTab(bidi, url),
      evaluate: (tab, expression) => evaluate(bidi, tab, expression),
      close: async () => {
        await closeBrowser(browser, bidi, 'browser.close')
        await own.remove()
      },
    }
  } catch (error) {
    await browser.stop()
    await own.remove()
    throw error
  }
}

interface AddOn {
  folder: string
  id: string
  uuid: string
}

function findFirefox(): string | undefined {
  return findExecutable('firefox-esr', 'firefox')
}

function flags(profile: string, settings: FirefoxSettings): string[] {
  return [
    ...((settings.headless ?? true) ? ['--headless'] : []),
    ...['--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    ...(settings.systemAccess ? ['--remote-allow-system-access'] : []),
  ]
}

/** The address of an add-on's pages is random; naming it in the profile beforehand makes it known. */
async function readAddOn(folder: string): Promise<AddOn> {
  const manifest: { browser_specific_settings?: { gecko?: { id?: string } } } = JSON.parse(
    await readFile(join(folder, 'manifest.json'), 'utf8'),
  )
  const id = manifest.browser_specific_settings?.gecko?.id
  if (id === undefined)
    throw new Error(`The manifest in ${folder} has no browser_specific_settings.gecko.id.`)
  return { folder, id, uuid: randomUUID() }
}

/** A browser that asks nothing, reports nothing and looks for no updates. */
function preferences(addOn: AddOn | undefined): string {
  const values = {
    'app.normandy.enabled': false,
    'app.update.disabledForTesting': true,
    'browser.shell.checkDefaultBrowser': false,
    'browser.startup.homepage': 'about:blank',
    'browser.startup.page': 0,
    'datareporting.policy.dataSubmissionEnabled': false,
    'datareporting.policy.dataSubmissionPolicyBypassNotification': true,
    'extensions.getAddons.cache.enabled': false,
    'extensions.systemAddon.update.enabled': false,
    'extensions.update.enabled': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
    'services.settings.server': 'data:,',
    'toolkit.telemetry.enabled': false,
    ...(addOn && { 'extensions.webextensions.uuids': JSON.stringify({ [addOn.id]: addOn.uuid }) }),
  }
  return Object.entries(values)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('')
}

async function connect(browser: Spawned): Promise<ProtocolClient> {
  const [, url] = await browser.waitForLine(/WebDriver BiDi listening on (ws:\S+)/)
  const bidi = await connectProtocol(`${url}/session`)
  // Else the session would answer the dialogs of pages, which nobody does for a person.
  const alwaysMatch = { unhandledPromptBehavior: { default: 'ignore' } }
  await bidi.send('session.new', { capabilities: { alwaysMatch } })
  return bidi
}

async function openTab(bidi: ProtocolClient, url: string): Promise<string> {
  const { context } = await bidi.send<{ context: string }>('browsingContext.create', { type: 'tab' })
  await bidi.send('browsingContext.navigate', { context, url, wait: 'complete' })
  return context
}

async function evaluate<Value>(bidi: ProtocolClient, tab: string, expression: string): Promise<Value> {
  const answer = await bidi.send<{ result?: { value?: string }; exceptionDetails?: { text: string } }>(
    'script.evaluate',
    {
      expression: `Promise.resolve(${expression}).then(value => JSON.stringify({ value }))`,
      target: { context: tab },
      awaitPromise: true,
    },
  )
  if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text)
  return JSON.parse(answer.result?.value ?? '{}').value
}
