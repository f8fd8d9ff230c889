/** What the scripts of the extension's own world in a page and its worker say to each other, as runtime messages. */

/** Relay → worker: is this tab captured? Answered by true or false. */
export const CAPTURE_ASK = 'capture.ask'
/** Relay → worker, with `entry`: untrusted until it was parsed. */
export const CAPTURE_ENTRY = 'capture.entry'
/** Relay → worker, with `line`: what the page wrote to its console; untrusted until it was parsed. */
export const CAPTURE_LINE = 'capture.line'
/** Worker → relay of a document: answered by true when all that was seen until now has been passed on. */
export const CAPTURE_TOLD = 'capture.told'
/** Worker → relays of a tab: take the hook off. */
export const CAPTURE_OFF = 'capture.off'

/** Page agent → worker: from here on an act may have an effect. */
export const ACTED = 'page.acted'
