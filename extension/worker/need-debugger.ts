import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import { browserIdentity } from './profile.ts'

/** What is done by the debugger and nothing else, and what to do where the browser has none. */
const NEEDS = {
  debugger: ["What needs the browser's debugger", 'Use Chrome, Chromium or Edge for it.'],
  input: [
    "The browser's own input",
    "Leave hand out: a script's events do the same for most pages. Else use Chrome, Chromium or Edge for this page.",
  ],
  print: [
    'Printing',
    'Take browser.screenshot with full_page, or browser.markdown; or print with Chrome, Chromium or Edge.',
  ],
  emulation: [
    'Emulation',
    'Use Chrome, Chromium or Edge for it; browser.launch starts one with a profile of its own.',
  ],
  isolated: [
    'The isolated world',
    "Leave world out to run it in the page's own world, or read with browser.find and browser.html.",
  ],
  eval: [
    'To evaluate in a page whose policy forbids eval',
    'Read with browser.snapshot, browser.find or browser.html and act with browser.click; or use Chrome, Chromium or Edge.',
  ],
  dialogs: [
    'To leave a dialog open, or to answer one that is',
    'Say dialogs "accept" or "dismiss" with the act that raises it; one that is open only the person can answer.',
  ],
  console: [
    'To read what a page wrote before anybody listened',
    'Run network.start, load the page again with browser.reload, then call console.list.',
  ],
  leave: [
    'To answer whether a page may be left',
    'Leave dialogs out; if the page asks, only the person can answer it.',
  ],
  mock: ['A mock', 'Block the requests or change their headers, or use Chrome, Chromium or Edge.'],
  throttle: ['Throttling', 'Block the requests, or use Chrome, Chromium or Edge.'],
  highlight: ['To mark a place on the page', 'Take browser.screenshot of it.'],
} as const satisfies Record<string, readonly [what: string, hint: string]>

/** Fails with unsupported where the browser has no debugger for extensions. */
export function needDebugger(need: keyof typeof NEEDS): void {
  if (browser.debugger !== undefined) return
  const [what, hint] = NEEDS[need]
  throw new Failure('unsupported', { what, where: browserIdentity().name, hint })
}
