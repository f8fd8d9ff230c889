import { browser } from 'wxt/browser'
import { isWithinDomain } from '../../shared/host.ts'

const OWN_HOST = (): string => new URL(browser.runtime.getURL('/')).hostname

interface Held {
  rule: number
  site: string
  users: number
  ready: Promise<void>
}

/**
 * Makes the worker's own requests look as if a page of the site had sent them: Origin, Referer and
 * Sec-Fetch-Site are those of the site. One session rule per target origin while requests are under way; it
 * applies to nothing that a tab, a website's worker or another extension sends.
 */
export class OriginRules {
  readonly #held = new Map<string, Held>()
  #last = Math.floor(Math.random() * 1_000_000)

  /** Drops what a former worker left behind. */
  async clear(): Promise<void> {
    const rules = await browser.declarativeNetRequest.getSessionRules()
    await browser.declarativeNetRequest.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) })
  }

  /** Runs `work`, whose requests to `target` are sent as by a page of `site`; both are origins. */
  async during<T>(target: string, site: string, method: string, work: () => Promise<T>): Promise<T> {
    const key = JSON.stringify([target, site, isSafe(method)])
    const held = this.#held.get(key) ?? this.#hold(key, target, site, method)
    held.users++
    try {
      await held.ready
      return await work()
    } finally {
      held.users--
      if (held.users === 0) {
        this.#held.delete(key)
        await browser.declarativeNetRequest.updateSessionRules({ removeRuleIds: [held.rule] })
      }
    }
  }

  #hold(key: string, target: string, site: string, method: string): Held {
    const rule = ++this.#last
    const ready = browser.declarativeNetRequest.updateSessionRules({
      addRules: [ruleFor(rule, target, site, method)],
    })
    const held = { rule, site, users: 0, ready }
    this.#held.set(key, held)
    return held
  }
}

/** Browsers send no Origin with a GET or HEAD to the page's own origin. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'

type Rule = NonNullable<
  Parameters<typeof browser.declarativeNetRequest.updateSessionRules>[0]['addRules']
>[number]

function ruleFor(id: number, target: string, site: string, method: string): Rule {
  const noOrigin = isSafe(method) && target === site
  return {
    id,
    priority: 1,
    action: {
      type: 'modifyHeaders',
      requestHeaders: [
        noOrigin
          ? { header: 'Origin', operation: 'remove' }
          : { header: 'Origin', operation: 'set', value: site },
        { header: 'Referer', operation: 'set', value: `${site}/` },
        { header: 'Sec-Fetch-Site', operation: 'set', value: siteRelation(target, site) },
        // Chromium sends a request again, a POST too, when a connection that it has used before is closed
        // unanswered. So that a write is sent once, no connection of ours is used twice.
        { header: 'Connection', operation: 'set', value: 'close' },
      ],
    },
    condition: {
      urlFilter: `|${target}/`,
      tabIds: [-1],
      initiatorDomains: [OWN_HOST()],
      resourceTypes: ['xmlhttprequest'],
      requestMethods: isSafe(method) ? ['get', 'head'] : UNSAFE_METHODS,
    },
  }
}

const UNSAFE_METHODS: NonNullable<Rule['condition']['requestMethods']> = [
  'post',
  'put',
  'patch',
  'delete',
  'options',
  'connect',
  'other',
]

/** Without the public suffix list a sibling domain counts as cross-site, which a server never trusts more. */
export function siteRelation(target: string, site: string): 'same-origin' | 'same-site' | 'cross-site' {
  if (target === site) return 'same-origin'
  const [a, b] = [new URL(target), new URL(site)]
  const related = isWithinDomain(a.hostname, b.hostname) || isWithinDomain(b.hostname, a.hostname)
  return a.protocol === b.protocol && related ? 'same-site' : 'cross-site'
}
