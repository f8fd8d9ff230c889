import { browser } from 'wxt/browser'
import { z } from 'zod'
import { type NewRoute, Route } from '../../shared/traffic.ts'
import type { Debugger, Hold } from './debugger.ts'
import { DebuggerRoutes } from './debugger-routes.ts'
import { Keep } from './keep.ts'
import { needDebugger } from './need-debugger.ts'
import { hasRequestEvents } from './observer.ts'
import { FIRST_RULE, networkRules } from './route-rules.ts'
import { Serial } from './serial.ts'
import type { Sessions } from './sessions.ts'
import { parseAddress } from './tab-address.ts'

/** `last`: the number of the rule that was made last. */
const Kept = z.record(
  z.string(),
  z.object({ rules: z.array(Route), tabs: z.array(z.number()), last: z.number() }),
)

/** The others are kept by the browser itself, without a banner. */
const needsDebugger = ({ by }: Route): boolean => by === 'debugger'

/** What sessions want to happen to the requests of their tabs, and of no others. It ends with the session. */
export class Routes {
  readonly #sessions: Sessions
  readonly #debug: Debugger
  readonly #keep = new Keep('routes', Kept, () => ({}))
  readonly #held = new Map<number, { routes: DebuggerRoutes; hold: Hold }>()
  readonly #serial = new Serial('a change of the routes')

  constructor(sessions: Sessions, debug: Debugger) {
    this.#sessions = sessions
    this.#debug = debug
    browser.tabs.onRemoved.addListener(tab => this.#held.delete(tab))
    sessions.onEnded(session => this.#serial.run(() => this.#ended(session)))
  }

  /** Gives all of the session. Fails with unsupported where one needs the debugger and it cannot be had. */
  change(address: string, add: NewRoute | null, remove: string | null): Promise<Route[]> {
    const { session } = parseAddress(address)
    return this.#serial.run(async () => {
      const kept = await this.#keep.get()
      const before = kept[session] ?? { rules: [], tabs: [], last: 0 }
      const last = before.last + (add === null ? 0 : 1)
      const left = before.rules.filter(({ id }) => remove !== 'all' && remove !== id)
      const rules = add === null ? left : [...left, this.#made(add, `${last}`)]
      if (add === null && remove === null) return rules
      kept[session] = { ...before, rules, last }
      try {
        await this.#apply(session)
      } catch (error) {
        kept[session] = before
        await this.#apply(session)
        throw error
      }
      return rules
    })
  }

  #made(rule: NewRoute, id: string): Route {
    const does = rule.action.do
    if (does === 'mock' || does === 'throttle') needDebugger(does)
    const isForDebugger = does === 'mock' || does === 'throttle' || !hasRequestEvents()
    return { ...rule, id, by: isForDebugger ? 'debugger' : 'rules' }
  }

  /** To be called before the session's tab is sent to an address. */
  async ready(address: string): Promise<void> {
    const { session } = parseAddress(address)
    const kept = (await this.#keep.get())[session]
    if (kept === undefined) return
    const { tab } = await this.#sessions.open(address, 'about:blank')
    if (!kept.tabs.includes(tab)) await this.#serial.run(() => this.#apply(session))
  }

  async has(session: string): Promise<boolean> {
    return ((await this.#keep.get())[session]?.rules.length ?? 0) > 0
  }

  /** A tab of a session shows itself, perhaps one that came by itself. */
  async seen(session: string, tab: number): Promise<void> {
    const kept = (await this.#keep.get())[session]
    if (kept !== undefined && !kept.tabs.includes(tab)) await this.#serial.run(() => this.#apply(session))
  }

  /** After this worker was started anew, which has taken all rules of the former one away. */
  resume(): Promise<void> {
    return this.#serial.run(async () => {
      for (const session of Object.keys(await this.#keep.get())) await this.#apply(session)
    })
  }

  async #apply(session: string): Promise<void> {
    const kept = (await this.#keep.get())[session]
    const tabs = (await this.#sessions.list(session)).map(({ tab }) => tab)
    if (kept !== undefined) kept.tabs = tabs
    await this.#keep.save()
    await this.#writeRules()
    const rules = (kept?.rules ?? []).filter(needsDebugger)
    await Promise.all(tabs.map(tab => this.#debugged(tab, rules)))
  }

  async #debugged(tab: number, rules: Route[]): Promise<void> {
    const held = this.#held.get(tab)
    if (rules.length === 0) {
      this.#held.delete(tab)
      await held?.routes.set([])
      held?.hold.release()
      return
    }
    if (held !== undefined) return await held.routes.set(rules)
    const routes = new DebuggerRoutes(rules, () => this.#held.delete(tab))
    this.#held.set(tab, { routes, hold: await this.#debug.hold(tab, routes) })
  }

  async #writeRules(): Promise<void> {
    const all = Object.values(await this.#keep.get()).flatMap(({ rules, tabs }) =>
      tabs.length === 0 ? [] : rules.filter(rule => !needsDebugger(rule)).map(rule => ({ rule, tabs })),
    )
    const before = await browser.declarativeNetRequest.getSessionRules()
    await browser.declarativeNetRequest.updateSessionRules({
      removeRuleIds: before.map(({ id }) => id).filter(id => id >= FIRST_RULE),
      addRules: all.map(({ rule, tabs }, index) => networkRules(rule, tabs, FIRST_RULE + index)),
    })
  }

  async #ended(session: string): Promise<void> {
    const kept = await this.#keep.get()
    if (kept[session] === undefined) return
    delete kept[session]
    await this.#keep.save()
    await this.#writeRules()
  }
}
