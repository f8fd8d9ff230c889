import { ExtensionEvent } from './extension-event.ts'
import type { RemoteFrame, World } from './frames.ts'
import { connectNative } from './native-port.ts'
import { type RemoteBrowser, type TabRecord, WINDOW } from './remote-browser.ts'
import { remoteContentSettings } from './remote-content-settings.ts'
import { RemoteCookies } from './remote-cookies.ts'
import { RemoteDebugger } from './remote-debugger.ts'
import { RemoteDownloads } from './remote-downloads.ts'
import { RemoteFetch } from './remote-fetch.ts'
import type { RemoteScripting } from './remote-scripting.ts'
import { BINDING, type RemoteTab } from './remote-tab.ts'

export interface ApiSettings {
  browser: RemoteBrowser
  scripting: RemoteScripting
  /** Id and manifest of the extension whose worker runs here. */
  id: string
  manifest: Record<string, unknown>
  /** The native host's file. */
  host: string
  /** Which profile the companion takes this browser for. */
  profile: { id: string; name: string }
}

interface ContentScript {
  id: string
  js: string[]
  world?: World
}

/** The part of `chrome.*` that the extension's worker uses, on a remote browser. What is missing it does without. */
export function extensionApi(settings: ApiSettings) {
  const { browser } = settings
  const cookies = new RemoteCookies(browser.protocol)
  const requests = new RemoteFetch(cookies, globalThis.fetch)
  const downloads = new RemoteDownloads(browser, requests.fetch)
  const api = {
    runtime: runtimeApi(settings),
    tabs: tabsApi(browser),
    windows: windowsApi(browser),
    scripting: scriptingApi(settings),
    webNavigation: navigationApi(browser),
    debugger: new RemoteDebugger(browser),
    downloads,
    cookies: {
      getAll: cookies.getAll,
      set: cookies.set,
      remove: cookies.remove,
      onChanged: new ExtensionEvent(),
    },
    declarativeNetRequest: {
      getSessionRules: requests.getSessionRules,
      updateSessionRules: requests.updateSessionRules,
    },
    storage: {
      local: storageArea({ profile: settings.profile }),
      session: storageArea({}),
      onChanged: new ExtensionEvent(),
    },
    alarms: { create: async () => undefined, clear: async () => true, onAlarm: new ExtensionEvent() },
    action: { setBadgeText: nothing, setTitle: nothing, setBadgeBackgroundColor: nothing, setIcon: nothing },
    contentSettings: remoteContentSettings(browser.protocol),
    notifications: { create: async () => '' },
    permissions: {
      // No person is there to be asked; history and bookmarks are not reached by the protocol.
      contains: async ({ permissions = [] }: { permissions?: string[] }) =>
        permissions.every(name => name === 'contentSettings'),
      onAdded: new ExtensionEvent(),
      onRemoved: new ExtensionEvent(),
    },
  }
  return { api, fetch: requests.fetch, end: () => downloads.close() }
}

/** There is no toolbar to show anything on. */
const nothing = async (): Promise<void> => undefined

function runtimeApi({ browser, id, manifest, host }: ApiSettings) {
  const onMessage = new ExtensionEvent<[unknown, object, (answer: unknown) => void]>()
  browser.onCalled.addListener((tab, frame, payload) => {
    void passMessage(browser, onMessage, { id, tab, frame, payload })
  })
  return {
    id,
    onMessage,
    onConnect: new ExtensionEvent(),
    onStartup: new ExtensionEvent(),
    onInstalled: new ExtensionEvent(),
    onSuspend: new ExtensionEvent(),
    lastError: undefined,
    getManifest: () => manifest,
    getURL: (path: string) => `chrome-extension://${id}${path.startsWith('/') ? '' : '/'}${path}`,
    connectNative: () => connectNative(host, `chrome-extension://${id}/`),
    getContexts: async () => [],
    getPlatformInfo: async () => ({ os: process.platform }),
  }
}

/** From a script in our world of a page to the worker, and its answer back. */
async function passMessage(
  browser: RemoteBrowser,
  onMessage: ExtensionEvent<[unknown, object, (answer: unknown) => void]>,
  { id, tab, frame, payload }: { id: string; tab: RemoteTab; frame: RemoteFrame; payload: string },
): Promise<void> {
  const { number, message } = JSON.parse(payload) as { number: number; message: unknown }
  const sender = {
    id,
    tab: browser.record(tab.id),
    frameId: frame.id,
    url: frame.url,
    documentId: frame.document,
  }
  const answers = await Promise.all(onMessage.emit(message, sender, () => undefined))
  const answer =
    answers.find(one => one !== undefined && one !== true) ?? answers.find(one => one !== undefined)
  try {
    const params = {
      functionDeclaration: `(number, answer) => globalThis.${BINDING}Answers?.(number, answer)`,
      executionContextId: await tab.contextOf(frame, 'ISOLATED'),
      arguments: [{ value: number }, { value: answer ?? null }],
    }
    await browser.protocol.send('Runtime.callFunctionOn', params, frame.session)
  } catch (error) {
    console.debug('the document went away before it was answered', error)
  }
}

/** What a script finds as `chrome` in our world of a page. Run twice, it changes nothing. */
export const prologueOf = (id: string, manifest: Record<string, unknown>): string => `(() => {
  if (globalThis.chrome?.runtime?.id !== undefined) return
  const waiting = new Map()
  let last = 0
  globalThis.${BINDING}Answers = (number, answer) => {
    waiting.get(number)?.(answer)
    waiting.delete(number)
  }
  const never = { addListener() {}, removeListener() {} }
  const runtime = {
    id: ${JSON.stringify(id)},
    getManifest: () => (${JSON.stringify({ version: manifest.version })}),
    getURL: path => 'chrome-extension://${id}' + path,
    onMessage: never,
    sendMessage: message => new Promise(resolve => {
      waiting.set(++last, resolve)
      globalThis.${BINDING}(JSON.stringify({ number: last, message }))
    }),
  }
  Object.defineProperty(globalThis, 'chrome', { value: { runtime }, configurable: true, writable: true })
  Object.defineProperty(globalThis, 'browser', { value: { runtime }, configurable: true, writable: true })
})()`

function tabsApi(browser: RemoteBrowser) {
  const query = async (wanted: Partial<TabRecord> = {}) =>
    browser
      .records()
      .filter(record =>
        Object.entries(wanted).every(([key, value]) => record[key as keyof TabRecord] === value),
      )
  return {
    query,
    get: async (id: number) => browser.record(id),
    create: ({ url = 'about:blank' }: { url?: string }) => browser.create(url),
    update: async (id: number, { url, active }: { url?: string; active?: boolean }) => {
      if (url !== undefined) await browser.navigate(id, url)
      if (active === true) await browser.show(id)
      return browser.record(id)
    },
    reload: async (id: number) => {
      const tab = await browser.tab(id)
      await browser.protocol.send('Page.reload', {}, tab.session)
    },
    goBack: (id: number) => inHistory(browser, id, -1),
    goForward: (id: number) => inHistory(browser, id, 1),
    remove: async (ids: number | number[]) => {
      for (const id of [ids].flat()) await browser.close(id)
    },
    /** Scripts in pages hear nothing from here: what they would be told they learn when they next ask. */
    sendMessage: async () => undefined,
    onCreated: browser.onCreated,
    onUpdated: browser.onUpdated,
    onRemoved: browser.onRemoved,
    onActivated: new ExtensionEvent(),
    onReplaced: new ExtensionEvent(),
    onAttached: new ExtensionEvent(),
    onDetached: new ExtensionEvent(),
    onMoved: new ExtensionEvent(),
  }
}

async function inHistory(browser: RemoteBrowser, id: number, by: number): Promise<void> {
  const { session } = await browser.tab(id)
  const { currentIndex, entries } = await browser.protocol.send<{
    currentIndex: number
    entries: { id: number }[]
  }>('Page.getNavigationHistory', {}, session)
  const entry = entries[currentIndex + by]
  if (entry === undefined) throw new Error('Cannot find a next page in history.')
  await browser.protocol.send('Page.navigateToHistoryEntry', { entryId: entry.id }, session)
}

function windowsApi(browser: RemoteBrowser) {
  const only = { id: WINDOW, type: 'normal', state: 'normal', focused: false, incognito: false }
  return {
    getAll: async () => [only],
    get: async () => only,
    getLastFocused: async () => only,
    update: async () => only,
    create: async ({ url = 'about:blank' }: { url?: string }) => ({
      ...only,
      tabs: [await browser.create(url)],
    }),
    onFocusChanged: new ExtensionEvent(),
    onRemoved: new ExtensionEvent(),
  }
}

function navigationApi(browser: RemoteBrowser) {
  const told = ({ id, parent, url, document }: RemoteFrame) => ({
    ...{ frameId: id, parentFrameId: parent, url, documentId: document },
    documentLifecycle: 'active',
    errorOccurred: false,
  })
  return {
    ...browser.navigations,
    onReferenceFragmentUpdated: new ExtensionEvent(),
    onCreatedNavigationTarget: browser.onOpened,
    getAllFrames: async ({ tabId }: { tabId: number }) => (await browser.tab(tabId)).frames.all().map(told),
    getFrame: async ({ tabId, frameId }: { tabId: number; frameId: number }) => {
      const frame = (await browser.tab(tabId)).frames.byId(frameId)
      return frame === undefined ? null : told(frame)
    },
  }
}

function scriptingApi({ browser, scripting }: ApiSettings) {
  const registered = new Map<string, ContentScript>()
  return {
    executeScript: (injection: Parameters<RemoteScripting['executeScript']>[0]) =>
      scripting.executeScript(injection),
    getRegisteredContentScripts: async ({ ids }: { ids?: string[] } = {}) =>
      [...registered.values()].filter(({ id }) => ids?.includes(id) ?? true),
    /** In the tabs that are looked into now; they take themselves off where they are not wanted. */
    registerContentScripts: async (scripts: ContentScript[]) => {
      for (const script of scripts) {
        registered.set(script.id, script)
        const source = (await Promise.all(script.js.map(file => scripting.read(file)))).join('\n')
        for (const tab of await browser.attachedTabs())
          await tab.addScript(source, script.world ?? 'ISOLATED')
      }
    },
    unregisterContentScripts: async ({ ids }: { ids?: string[] } = {}) => {
      for (const id of ids ?? [...registered.keys()]) registered.delete(id)
    },
  }
}

function storageArea(values: Record<string, unknown>) {
  const kept = new Map(Object.entries(values))
  return {
    get: async (keys?: string | string[] | null) => {
      const wanted = keys == null ? [...kept.keys()] : [keys].flat()
      return Object.fromEntries(wanted.filter(key => kept.has(key)).map(key => [key, kept.get(key)]))
    },
    set: async (items: Record<string, unknown>) => {
      for (const [key, value] of Object.entries(items)) kept.set(key, structuredClone(value))
    },
    remove: async (keys: string | string[]) => {
      for (const key of [keys].flat()) kept.delete(key)
    },
    onChanged: new ExtensionEvent(),
  }
}
