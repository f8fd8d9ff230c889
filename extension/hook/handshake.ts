/**
 * How the hook in the page's world and the relay in the extension's own world find each other: by two events on
 * the document, both before any script of the page can run, and a MessagePort that only these two hold. Whoever
 * comes first waits for the other; the moment that anything is put into the document, the door is shut for good,
 * so that a script of the page finds nobody to talk to.
 */
const OFFER = 'unicli-offer'
const WANTED = 'unicli-wanted'

/** Hook's side. `onRefused` when no relay came. */
export function offerPort(onTaken: (port: MessagePort) => void, onRefused: () => void): void {
  const offer = (): boolean => {
    const { port1, port2 } = new MessageChannel()
    // Cancelled means taken.
    const taken = !document.dispatchEvent(new MessageEvent(OFFER, { ports: [port2], cancelable: true }))
    if (taken) onTaken(port1)
    return taken
  }
  if (offer()) return
  const door = doorOf(document, onRefused)
  document.addEventListener(WANTED, () => {
    if (door.isOpen() && offer()) door.shut()
  })
}

/** Relay's side: takes the first port that is offered, and no other ever. */
export function takePort(onPort: (port: MessagePort) => void): void {
  const door = doorOf(document, () => document.removeEventListener(OFFER, take))
  function take(event: Event): void {
    const [port] = event instanceof MessageEvent ? event.ports : []
    if (!door.isOpen() || port === undefined) return
    door.shut()
    document.removeEventListener(OFFER, take)
    event.preventDefault()
    onPort(port)
  }
  document.addEventListener(OFFER, take)
  document.dispatchEvent(new Event(WANTED))
}

/**
 * Open until shut, or until a node is added below the document. The observer is told in a microtask, which the
 * parser runs before the first script of the page.
 */
function doorOf(watched: Document, onClosed: () => void): { isOpen(): boolean; shut(): void } {
  let open = true
  const closed = (): void => {
    shut()
    onClosed()
  }
  const observer = new MutationObserver(closed)
  const shut = (): void => {
    open = false
    observer.disconnect()
  }
  observer.observe(watched, { childList: true, subtree: true })
  const isOpen = (): boolean => {
    if (open && observer.takeRecords().length > 0) closed()
    return open
  }
  return { isOpen, shut }
}
