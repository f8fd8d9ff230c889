import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import { PANEL_PORT, type PanelNews, PanelRequest, type PanelState } from '../../shared/panel.ts'
import type { Status } from '../../shared/status.ts'
import type { Link } from './link.ts'
import type { PersonDeeds } from './person-deeds.ts'
import { readProfile, renameProfile } from './profile.ts'
import { isOwnPage } from './senders.ts'
import type { Sessions } from './sessions.ts'
import { SiteMarks } from './site-marks.ts'

interface PanelPort {
  postMessage(message: PanelNews): void
}

/**
 * The person's side: keeps every open panel up to date with one state record, carries out what the person asks,
 * and shows on the toolbar button how many approvals wait.
 */
export class Panel {
  readonly #link: Link
  readonly #sessions: Sessions
  readonly #deeds: PersonDeeds
  readonly #marks = new SiteMarks()
  readonly #ports = new Set<PanelPort>()
  #status: Status | null = null

  constructor(link: Link, sessions: Sessions, deeds: PersonDeeds) {
    this.#link = link
    this.#sessions = sessions
    this.#deeds = deeds
    browser.tabs.onActivated.addListener(() => void this.#push())
    browser.tabs.onRemoved.addListener(() => void this.#push())
    browser.tabs.onUpdated.addListener((_, { url, title }) => {
      if (url !== undefined || title !== undefined) void this.#push()
    })
    link.onView(view => {
      this.#show(view.phase === 'linked' ? this.#status : null)
      void this.#refresh()
    })
    link.onEvent((name, data) => {
      // Parsed by the link with this event's schema.
      if (name === 'status.changed') this.#show(data as Status)
    })
    browser.runtime.onConnect.addListener(port => {
      if (port.name === PANEL_PORT && isOwnPage(port.sender)) this.#opened(port)
    })
  }

  #opened(port: ReturnType<typeof browser.runtime.connect>): void {
    this.#ports.add(port)
    port.onDisconnect.addListener(() => this.#ports.delete(port))
    port.onMessage.addListener((message: unknown) => {
      const request = PanelRequest.safeParse(message)
      if (request.success) void this.#serve(port, request.data)
      else console.warn('the popup sent a faulty request', request.error)
    })
    void this.#push()
    void this.#refresh()
  }

  async #serve(port: PanelPort, request: PanelRequest): Promise<void> {
    try {
      if (request.k === 'evidence') {
        const { evidence } = await this.#link.ask('person.evidence', { run_id: request.run_id })
        return port.postMessage({ k: 'evidence', id: request.id, evidence })
      }
      await this.#carryOut(request)
      port.postMessage({ k: 'did', id: request.id, problem: null })
    } catch (error) {
      port.postMessage({ k: 'did', id: request.id, problem: Failure.from(error).message })
    }
  }

  async #carryOut(request: Exclude<PanelRequest, { k: 'evidence' }>): Promise<void> {
    switch (request.k) {
      case 'stop':
        await this.#link.ask('person.stop', request.run_id === undefined ? {} : { run_id: request.run_id })
        return
      case 'pause':
        await this.#link.ask('person.pause', { paused: request.paused })
        return
      case 'site':
        await this.#link.ask('person.site', { site: request.site, word: request.word })
        return
      case 'show':
        return await this.#deeds.show(request.session, request.tab)
      case 'end':
        await this.#deeds.end(request.session)
        return await this.#push()
      case 'lend':
        await this.#deeds.lend(request.session, request.tab)
        return await this.#push()
      case 'give_back':
        await this.#deeds.giveBack(request.tab)
        return await this.#push()
      case 'answer':
        await this.#link.ask('person.answer', {
          id: request.approval,
          allow: request.allow,
          lasts: request.lasts,
          ...(request.reply === undefined ? {} : { reply: request.reply }),
        })
        return
      case 'rename':
        await renameProfile(request.name)
        this.#link.relink()
        return await this.#push()
      case 'connect':
        return this.#link.ensure()
    }
  }

  /** Asks for the whole record; afterwards `status.changed` events keep it fresh. */
  async #refresh(): Promise<void> {
    if (this.#link.view.phase !== 'linked') return
    try {
      this.#show(await this.#link.ask('person.status', {}))
    } catch (error) {
      console.warn('the state record could not be read', Failure.from(error).message)
    }
  }

  #show(status: Status | null): void {
    this.#status = status
    this.#marks.show(status?.sites ?? [], status?.approvals.length ?? 0)
    void this.#push()
  }

  async #page(): Promise<PanelState['page']> {
    const [{ id: tab, url = '', title = '' } = {}] = await browser.tabs.query({
      active: true,
      lastFocusedWindow: true,
    })
    if (tab === undefined || !/^https?:/.test(url)) return null
    return { tab, url, title, session: await this.#sessions.sessionOf(tab) }
  }

  async #push(): Promise<void> {
    if (this.#ports.size === 0) return
    const [profile, sessions, page] = await Promise.all([
      readProfile(),
      this.#sessions.sessions(),
      this.#page(),
    ])
    // The rest as it is now, so that a push which took longer tells nothing older.
    const state: PanelState = {
      link: this.#link.view,
      profile,
      extension_version: browser.runtime.getManifest().version,
      status: this.#status,
      sessions,
      page,
    }
    for (const port of this.#ports) port.postMessage({ k: 'state', state })
  }
}
