import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CLI, startProduct } from '../../tests/support/product.ts'
import { type BrowserAgent, connect } from './agent.ts'

/** The built product with a browser of its own, through `unicli mcp serve`: as its peers are driven. */
export async function unicli(): Promise<BrowserAgent> {
  const product = await startProduct()
  await product.browser()
  // Files come from where the person allows it.
  const files = join(product.env.unicliHome, 'files')
  await mkdir(files, { recursive: true })
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...product.env.env }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  )
  const server = { command: process.execPath, args: [CLI, 'mcp', 'serve'], env, cwd: product.env.root }
  const { call, close } = await connect('unicli', server)
  const run = (command: string, args: Record<string, unknown>) =>
    call('run', { operation: `browser.${command}`, args })
  return {
    name: 'unicli',
    files,
    // A page with a draft asks before it is left: as the peers' dialogs are, it is answered yes.
    open: url => run('navigate', { url, dialogs: 'accept' }),
    snapshot: () => call('browser_snapshot', {}),
    find: (text, role, name) => {
      const line = text.split('\n').find(one => one.includes(`${role} "${name}"`)) ?? ''
      return /\[(d\d+e\d+)\]/.exec(line.slice(line.indexOf(`${role} "${name}"`)))?.[1] ?? null
    },
    click: target => call('browser_click', { target }),
    fill: (target, text) => call('browser_type', { target, text }),
    press: key => call('browser_press', { key }),
    select: (target, option) => run('select_option', { target, option }),
    drag: (from, to) => run('drag', { target: from, to }),
    upload: (target, path) => run('upload', { target, path }),
    // Its tabs are never in front.
    behind: async () => undefined,
    settleDialog: async () => undefined,
    call,
    close: async () => {
      await close()
      await product.close()
    },
  }
}
