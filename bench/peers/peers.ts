import { execFile } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findChromium } from '../../tests/support/chromium-profile.ts'
import { type BrowserAgent, connect } from './agent.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, '.cache', 'peers')
const CHROMIUM = findChromium() ?? 'chromium'

/** Puts the peers where they are started from; npm has them after the first time. */
export async function installPeers(): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await cp(join(ROOT, 'bench', 'peers', 'package.json'), join(FOLDER, 'package.json'))
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: FOLDER })
}

const env = (over: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: FOLDER,
  // Without it Chromium cannot read a path that is not ASCII.
  LANG: 'C.UTF-8',
  ...over,
})

const line = (text: string, parts: readonly string[]): string =>
  text.split('\n').find(row => parts.every(part => row.includes(part))) ?? ''

export async function playwrightMcp(): Promise<BrowserAgent> {
  const cli = join(FOLDER, 'node_modules/@playwright/mcp/cli.js')
  const flags = ['--headless', '--isolated', '--no-sandbox', '--executable-path', CHROMIUM]
  const roots = ['--allow-unrestricted-file-access']
  const server = { command: process.execPath, args: [cli, ...flags, ...roots], env: env(), cwd: FOLDER }
  const { call, close } = await connect('playwright', server)
  const at = (target: string) => ({ target, element: target })
  return {
    name: 'playwright-mcp',
    open: url => call('browser_navigate', { url }),
    snapshot: () => call('browser_snapshot'),
    find: (text, role, name) => /\[ref=(\w+)\]/.exec(line(text, [`${role} "${name}"`]))?.[1] ?? null,
    click: target => call('browser_click', at(target)),
    fill: (target, text) => call('browser_type', { ...at(target), text }),
    press: key => call('browser_press_key', { key }),
    select: (target, option) => call('browser_select_option', { ...at(target), values: [option] }),
    drag: (from, to) =>
      call('browser_drag', { startTarget: from, startElement: from, endTarget: to, endElement: to }),
    upload: async (target, path) => {
      const clicked = await call('browser_click', at(target))
      const given = await call('browser_file_upload', { paths: [path] })
      return { ...given, ms: clicked.ms + given.ms }
    },
    behind: async () => {
      await call('browser_tabs', { action: 'new' })
      await call('browser_tabs', { action: 'select', index: 0 })
    },
    settleDialog: async () => void (await call('browser_handle_dialog', { accept: true })),
    call,
    close,
  }
}

export async function chromeDevtoolsMcp(): Promise<BrowserAgent> {
  const cli = join(FOLDER, 'node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js')
  const flags = ['--headless', '--isolated', '--executablePath', CHROMIUM, '--chromeArg=--no-sandbox']
  const quiet = { CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1', CI: '1' }
  const server = { command: process.execPath, args: [cli, ...flags], env: env(quiet), cwd: FOLDER }
  const connection = await connect('devtools', server)
  let page = 1
  const call = (tool: string, args: Record<string, unknown> = {}) =>
    connection.call(tool, { pageId: page, ...args })
  return {
    name: 'chrome-devtools-mcp',
    open: async url => {
      const answer = await call('navigate_page', { type: 'url', url })
      page = Number(/^(\d+): .*\[selected\]/m.exec(answer.text)?.[1] ?? page)
      return answer
    },
    snapshot: () => call('take_snapshot'),
    find: (text, role, name) => /uid=(\w+)/.exec(line(text, [` ${role} "${name}"`]))?.[1] ?? null,
    click: uid => call('click', { uid }),
    fill: (uid, value) => call('fill', { uid, value }),
    press: key => call('press_key', { key }),
    select: (uid, value) => call('fill', { uid, value }),
    drag: (from_uid, to_uid) => call('drag', { from_uid, to_uid }),
    upload: (uid, path) => call('upload_file', { uid, filePath: path, filePaths: [path] }),
    behind: async () => void (await call('new_page', { url: 'about:blank' })),
    settleDialog: async () => void (await call('handle_dialog', { action: 'accept' })),
    call,
    close: connection.close,
  }
}

export async function agentBrowser(): Promise<BrowserAgent> {
  const binary = join(FOLDER, 'node_modules/agent-browser/bin/agent-browser.js')
  const sockets = join(FOLDER, 'sockets')
  await mkdir(sockets, { recursive: true })
  const own = env({
    AGENT_BROWSER_EXECUTABLE_PATH: CHROMIUM,
    AGENT_BROWSER_ARGS: '--no-sandbox',
    AGENT_BROWSER_SESSION: `bench-${process.pid}`,
    AGENT_BROWSER_SOCKET_DIR: sockets,
  })
  const server = { command: process.execPath, args: [binary, 'mcp', '--tools', 'all'], env: own, cwd: FOLDER }
  const { call, close } = await connect('agent-browser', server)
  const tool = (name: string, args: Record<string, unknown> = {}) => call(`agent_browser_${name}`, args)
  return {
    name: 'agent-browser',
    open: url => tool('open', { url }),
    snapshot: () => tool('snapshot'),
    find: (text, role, name) => {
      const ref = /ref=(e\d+)/.exec(line(text, [`- ${role} "${name}"`]))?.[1]
      return ref === undefined ? null : `@${ref}`
    },
    click: selector => tool('click', { selector }),
    fill: (selector, text) => tool('fill', { selector, text }),
    press: key => tool('press', { key }),
    select: (selector, option) => tool('select', { selector, values: [option] }),
    drag: (source, target) => tool('drag', { source, target }),
    upload: (selector, path) => tool('upload', { selector, files: [path] }),
    behind: async () => {
      await tool('tab_new')
      await tool('tab_switch', { tab: 't1' })
    },
    settleDialog: async () => void (await tool('dialog_accept', {})),
    call,
    close: async () => {
      await tool('close', { all: true })
      await close()
    },
  }
}
