/** What the capture relay in a page and the extension's worker say to each other, as runtime messages. */

/** Relay → worker: is this tab captured? Answered by true or false. */
export const CAPTURE_ASK = 'capture.ask'
/** Relay → worker, with `entry`: untrusted until it was parsed. */
export const CAPTURE_ENTRY = 'capture.entry'
/** Worker → relays of a tab: take the hook off. */
export const CAPTURE_OFF = 'capture.off'
