/**
 * Holds back the links that would open a tab while we act, and tells where they lead: the browser would put that tab
 * in front of the person, who did not ask for it. Trusted clicks are the person's and are left alone. Links that want
 * to be known to the page as their opener, and those that the page itself handles, go the browser's way.
 */
export class LinkWatch {
  readonly #life = new AbortController()
  readonly #opens: string[] = []

  constructor() {
    // In the last phase at the last place: by then the page has said whether it handles the click.
    window.addEventListener('click', event => this.#look(event), { signal: this.#life.signal })
  }

  /** Ends the watching; the addresses that links would have opened tabs for. */
  end(): string[] {
    this.#life.abort()
    return this.#opens
  }

  #look(event: MouseEvent): void {
    const changed = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
    if (event.isTrusted || event.defaultPrevented || event.button !== 0 || changed) return
    const link = event.composedPath().find(isLink)
    if (link === undefined || !opensTab(link)) return
    event.preventDefault()
    this.#opens.push(link.href)
  }
}

type Link = HTMLAnchorElement | HTMLAreaElement

const isLink = (node: EventTarget): node is Link =>
  (node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement) && node.hasAttribute('href')

function opensTab(link: Link): boolean {
  const target = link.target || document.querySelector('base')?.target
  if (target?.toLowerCase() !== '_blank' || link.hasAttribute('download')) return false
  return /^https?:$/.test(link.protocol) && !link.relList.contains('opener')
}
