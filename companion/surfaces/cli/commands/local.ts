import type { LeafSpec, OptionSpec } from '../leaf.ts'
import { withOutputOptions } from '../run-flags.ts'

const HELP: OptionSpec = { flags: '-h, --help', doc: 'show this help' }

/** Commands that the thin client does itself, because they are about the companion or speak for it. */
export const setup = withOutputOptions({
  name: 'setup',
  doc: 'Link the browsers of this computer, then prove it by a ping through each hop.',
  operands: [],
  options: [
    {
      flags: '--browser <name>',
      doc: 'only this browser, found or not',
      choices: ['chrome', 'chromium', 'edge', 'brave', 'vivaldi', 'firefox'],
      repeats: true,
    },
    {
      flags: '--user-data-dir <folder>',
      doc: 'only the Chromium profile in this folder, as its option of that name has it',
      repeats: true,
    },
    { flags: '--no-prove', doc: 'install, and ask no browser' },
    { flags: '--wait <seconds>', doc: 'how long to wait for a browser', default: 30 },
    { flags: '--uninstall', doc: 'take back what setup installed' },
  ],
  examples: ['unicli setup', 'unicli setup --browser chromium', 'unicli setup --uninstall'],
} satisfies LeafSpec)

export const daemonStart = withOutputOptions({
  name: 'daemon start',
  doc: 'Start the companion. Every other command does so by itself.',
  operands: [],
  options: [],
  examples: ['unicli daemon start'],
} satisfies LeafSpec)

export const daemonStop = withOutputOptions({
  name: 'daemon stop',
  doc: 'Stop the companion; it stays stopped until a command or "daemon start" wants it.',
  operands: [],
  options: [],
  examples: ['unicli daemon stop'],
} satisfies LeafSpec)

export const daemonStatus = withOutputOptions({
  name: 'daemon status',
  doc: 'Tell whether the companion runs, and where.',
  operands: [],
  options: [],
  examples: ['unicli daemon status', 'unicli daemon status -f json'],
} satisfies LeafSpec)

export const daemonLogs: LeafSpec = {
  name: 'daemon logs',
  doc: "Print the companion's log.",
  operands: [],
  options: [
    { flags: '-f, --follow', doc: 'go on as it grows, until Ctrl-C' },
    { flags: '-n, --lines <number>', doc: 'begin with so many of the newest', default: 50 },
    HELP,
  ],
  examples: ['unicli daemon logs', 'unicli daemon logs -f'],
}

export const mcpServe: LeafSpec = {
  name: 'mcp serve',
  doc: 'Speak the Model Context Protocol on stdin and stdout, for an agent that starts it.',
  operands: [],
  options: [HELP],
  examples: ['claude mcp add unicli -- unicli mcp serve'],
}

export const LOCAL_COMMANDS: readonly LeafSpec[] = [
  setup,
  daemonStart,
  daemonStop,
  daemonStatus,
  daemonLogs,
  mcpServe,
]
