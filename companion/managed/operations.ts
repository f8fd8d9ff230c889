import { z } from 'zod'
import { builtinOperation } from '../kernel/builtin.ts'
import type { Operation } from '../kernel/operation.ts'
import type { ManagedBrowsers } from './managed-browsers.ts'

const Name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'small letters, digits and hyphens')
  .default('managed')
  .describe('also what --profile calls it by')

/** `browser.launch`, `browser.managed` and `browser.quit`: browsers without a person, for servers and CI. */
export const managedOperations = (browsers: () => ManagedBrowsers): Operation[] => [
  builtinOperation({
    id: 'browser.launch',
    doc: 'Start a browser of its own profile with the extension, or link a remote one by its DevTools endpoint.',
    args: z.strictObject({
      name: Name,
      headless: z.boolean().optional().describe('default: where there is no display'),
      browser: z.string().optional().describe('chromium, edge, brave, vivaldi, chrome, or a path'),
      cdp: z
        .url({ protocol: /^(https?|wss?)$/ })
        .optional()
        .describe('of a remote browser, such as http://127.0.0.1:9222; it needs no extension'),
    }),
    effect: 'write',
    risk: 'none',
    example: { name: 'ci', headless: true },
    aliases: [
      'start browser',
      'managed browser',
      'headless',
      'remote browser',
      'cdp',
      '启动浏览器',
      '无头浏览器',
    ],
    timeoutMs: 60_000,
    run: ({ name, headless = null, browser, cdp }, { signal }) =>
      browsers().launch({ name, headless, browser, cdp }, signal),
  }),
  builtinOperation({
    id: 'browser.managed',
    doc: 'List the browsers that were started by browser.launch and still run.',
    args: z.strictObject({}),
    effect: 'read',
    example: {},
    columns: ['name', 'linked', 'browser', 'endpoint', 'pid'],
    aliases: ['launched browsers', '已启动的浏览器'],
    run: async () => browsers().list(),
  }),
  builtinOperation({
    id: 'browser.quit',
    doc: 'End a browser that browser.launch started, or the link to a remote one, which itself goes on.',
    args: z.strictObject({ name: Name }),
    effect: 'write',
    risk: 'none',
    example: { name: 'ci' },
    aliases: ['stop browser', 'close browser', '退出浏览器'],
    run: async ({ name }) => ({ quit: await browsers().quit(name) }),
  }),
]
