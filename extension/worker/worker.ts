import { browser } from 'wxt/browser'
import { HOST_NAME } from '../../shared/identity.ts'
import { WATCH_PORT } from '../../shared/panel.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import { Acted } from './acted.ts'
import { addressed } from './addressed.ts'
import { Adoption } from './adoption.ts'
import { BegunDownloads } from './begun-downloads.ts'
import { CallTable } from './calls.ts'
import { Camera } from './camera.ts'
import { ContentSettings } from './content-settings.ts'
import { Debugger } from './debugger.ts'
import { Dialogs } from './dialogs.ts'
import { Documents } from './documents.ts'
import { Emulations } from './emulations.ts'
import { Front } from './front.ts'
import { Hands } from './hands.ts'
import { Highlights } from './highlights.ts'
import { type HostPort, Link } from './link.ts'
import { OriginRules } from './origin-rules.ts'
import { Panel } from './panel.ts'
import type { PersonDeeds } from './person-deeds.ts'
import { browserIdentity, readProfile } from './profile.ts'
import { Scripts } from './scripts.ts'
import { openSeeing, type Seeing } from './seeing.ts'
import { isOwnPage } from './senders.ts'
import { Sessions } from './sessions.ts'
import { SiteGate } from './site-gate.ts'
import { ensureWatcher } from './watcher.ts'

const ALARM = 'link'
const ALARM_MINUTES = 0.5

/** What handlers work with. */
export interface WorkerParts extends Pick<Seeing, 'captures' | 'network' | 'routes' | 'beginnings'> {
  acted: Acted
  adoption: Adoption
  begun: BegunDownloads
  sessions: Sessions
  scripts: Scripts
  documents: Documents
  hands: Hands
  debug: Debugger
  dialogs: Dialogs
  camera: Camera
  contentSettings: ContentSettings
  emulations: Emulations
  front: Front
  origins: OriginRules
  gate: SiteGate
  highlights: Highlights
}

/**
 * Starts the background worker. Everything that can wake it registers here in the first turn, as the browser
 * demands, and ends in `link.ensure()`.
 */
export function startWorker(
  makeHandlers: (parts: WorkerParts) => WireHandlers,
  makeDeeds: (parts: WorkerParts) => PersonDeeds,
): void {
  const dialogs = new Dialogs(tab => sessions.sessionOf(tab))
  const debug = new Debugger(dialogs.standing)
  dialogs.use(debug)
  const sessions: Sessions = new Sessions(debug)
  const gate = new SiteGate()
  const seeing = openSeeing({ sessions, debug, gate }, (name, data) => link.emit(name, data))
  const origins = new OriginRules()
  const scripts = new Scripts(gate, tab => dialogs.refuseWhileOpen(tab))
  const documents = new Documents(scripts)
  const front = new Front()
  const parts: WorkerParts = {
    acted: new Acted(),
    adoption: new Adoption(sessions, front, seeing.beginnings),
    begun: new BegunDownloads(debug),
    sessions,
    ...seeing,
    scripts,
    documents,
    hands: new Hands(debug, documents),
    debug,
    dialogs,
    camera: new Camera(debug),
    contentSettings: new ContentSettings(),
    emulations: new Emulations(debug),
    front,
    origins,
    gate,
    highlights: new Highlights(debug),
  }
  const handlers = makeHandlers(parts)
  const calls = new CallTable(
    addressed(handlers, (session, work) => sessions.during(session, work)),
    () => link.onIdle(),
  )
  const link: Link = new Link({ connect: openHostPort, hello, hasDebugger: hasDebugger(), calls })
  new Panel(link, sessions, makeDeeds(parts))
  sessions.onEnded(session => {
    gate.end(session)
    return parts.contentSettings.end(session)
  })
  sessions.onTabClosed((session, tab) => {
    void documents.forget(tab)
    dialogs.forget(tab)
    link.emit('session.tab_closed', { session, tab })
  })
  let linked = false
  link.onView(({ phase }) => {
    // Whoever started a capture went with the link that it came over.
    if (linked && phase !== 'linked') void seeing.captures.stopAll()
    linked = phase === 'linked'
    if (linked) void sessions.verify().then(() => endOld(parts))
    if (linked) seeing.traffic.flush()
  })
  void origins.clear().then(() => Promise.all([seeing.resume(), parts.emulations.resume()]))
  listenForWakes(link, sessions)
}

/** Sessions that are over, and what is left of those that ended while nobody looked. */
async function endOld({ sessions, contentSettings }: WorkerParts): Promise<void> {
  await sessions.enforceLeases()
  await contentSettings.endAllBut((await sessions.sessions()).map(({ session }) => session))
}

/** Whatever wakes this worker ends in a link. */
function listenForWakes(link: Link, sessions: Sessions): void {
  const wake = (): void => {
    link.ensure()
    void ensureWatcher().catch(error => console.warn('the watcher could not be opened', error))
  }
  browser.runtime.onStartup.addListener(wake)
  browser.runtime.onInstalled.addListener(wake)
  browser.runtime.onConnect.addListener(port => {
    if (port.name === WATCH_PORT && isOwnPage(port.sender)) link.ensure()
  })
  browser.alarms.onAlarm.addListener(alarm => {
    if (alarm.name !== ALARM) return
    wake()
    void sessions.enforceLeases()
  })
  void browser.alarms.create(ALARM, { periodInMinutes: ALARM_MINUTES })
  wake()
}

const hasDebugger = (): boolean => browser.debugger !== undefined

async function hello(): Promise<{
  version: string
  profile: { id: string; name: string }
  browser: { name: string; version: string }
}> {
  const { id, name } = await readProfile()
  return {
    version: browser.runtime.getManifest().version,
    profile: { id, name },
    browser: browserIdentity(),
  }
}

function openHostPort(): HostPort {
  const port = browser.runtime.connectNative(HOST_NAME)
  return {
    postMessage: message => port.postMessage(message),
    disconnect: () => port.disconnect(),
    onMessage: { addListener: listener => port.onMessage.addListener(listener) },
    onEnd: listener =>
      port.onDisconnect.addListener(ended => {
        // Firefox tells the reason on the port, Chromium in lastError.
        const told = (ended as { error?: { message?: string } }).error ?? browser.runtime.lastError
        listener(told?.message ?? '')
      }),
  }
}
