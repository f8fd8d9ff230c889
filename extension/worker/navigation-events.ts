import { browser } from 'wxt/browser'

/**
 * Registers for every step of navigations for good, so that whoever listens for one later misses none: a browser tells
 * a thing only to workers that are registered for it when it happens, and it may hear of a new listener after a call
 * that was made later and after what came of that call. Further listeners to the same event need no registration.
 */
export function hearNavigations(): void {
  const events = browser.webNavigation
  for (const event of [
    events.onBeforeNavigate,
    events.onCommitted,
    events.onDOMContentLoaded,
    events.onCompleted,
    events.onHistoryStateUpdated,
    events.onReferenceFragmentUpdated,
    events.onErrorOccurred,
  ])
    event.addListener(() => undefined)
}
