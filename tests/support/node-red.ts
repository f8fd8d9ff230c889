import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { SEEDED_FLOWS } from './node-red-flows.ts'
import { spawnProcess } from './processes.ts'
import { ensureRig } from './rigs.ts'
import { isolatedEnv } from './temp.ts'

/** A running Node-RED that asks for a login, with the flow of node-red-flows.ts. */
export interface NodeRed {
  /** Without a trailing slash: the editor and the admin API; the flow's own endpoint is `${url}/hello`. */
  url: string
  user: string
  password: string
  stop(): Promise<void>
}

const USER = 'admin'
const PASSWORD = 'node-red-demo'

/** Starts a Node-RED of its own on a port that the system chooses. The first start on a machine installs it. */
export async function startNodeRed(): Promise<NodeRed> {
  const rig = await ensureRig('node-red')
  const own = await isolatedEnv({ NODE_RED_DISABLE_TELEMETRY: 'true' })
  const userDir = join(own.root, 'n')
  await mkdir(userDir)
  await writeFile(join(userDir, 'flows.json'), JSON.stringify(SEEDED_FLOWS))
  await writeFile(join(userDir, 'settings.json'), '{}')
  await writeFile(
    join(userDir, 'settings.js'),
    `module.exports = ${JSON.stringify(await settings(rig), null, 2)}\n`,
  )
  const program = join(rig, 'node_modules/node-red/red.js')
  const server = await spawnProcess(process.execPath, [program, '--userDir', userDir], {
    cwd: userDir,
    env: own.env,
  })
  const stop = async () => {
    await server.stop()
    await own.remove()
  }
  try {
    const [, url = ''] = await server.waitForLine(/Server now running at (http:\S+?)\/?$/, {
      timeoutMs: 60_000,
    })
    return { url, user: USER, password: PASSWORD, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Logs in as a person does, in the editor's own dialog; resolves when the editor shows the flow. */
export async function logInToNodeRed(page: Page, nodeRed: NodeRed): Promise<void> {
  await page.goto(nodeRed.url, { waitUntil: 'domcontentloaded' })
  // The dialog moves the focus to its first field when it opens; keys typed before that go astray.
  await page.locator('#node-dialog-login-username:focus').waitFor()
  await page.locator('#node-dialog-login-username').pressSequentially(nodeRed.user)
  await page.locator('#node-dialog-login-password').pressSequentially(nodeRed.password)
  await page.locator('#node-dialog-login-submit').click()
  await page.locator('#red-ui-workspace-chart .red-ui-flow-node').first().waitFor()
}

/** Alone on loopback, silent towards the world: no telemetry, no update check, no palette to install from. */
async function settings(rig: string) {
  return {
    uiHost: '127.0.0.1',
    uiPort: 0,
    flowFile: 'flows.json',
    credentialSecret: false,
    adminAuth: {
      type: 'credentials',
      users: [{ username: USER, password: await bcryptHash(rig, PASSWORD), permissions: '*' }],
    },
    telemetry: { enabled: false, updateNotification: false },
    externalModules: {
      palette: { allowInstall: false, allowUpload: false },
      modules: { allowInstall: false },
    },
    editorTheme: { tours: false, projects: { enabled: false }, palette: { catalogues: [] } },
    logging: { console: { level: 'info', metrics: false, audit: false } },
  }
}

/** Node-RED's own hash function; few rounds, since this password protects nothing. */
async function bcryptHash(rig: string, password: string): Promise<string> {
  const bcrypt: { hash(text: string, rounds: number): Promise<string> } = createRequire(
    join(rig, 'package.json'),
  )('bcryptjs')
  return bcrypt.hash(password, 4)
}
