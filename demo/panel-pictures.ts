import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { EXTENSION_ID } from '../shared/identity.ts'
import type { RunBrief, Status } from '../shared/status.ts'
import { type ExtensionRig, startExtension } from '../tests/support/extension-rig.ts'

/** The pictures of docs/panel.md: the real extension in each of its states, in both languages, light and dark. */
const LANGUAGES = { en: 'en-US', zh: 'zh-CN' } as const
type Language = keyof typeof LANGUAGES
const SCHEMES = ['light', 'dark'] as const

const WIDTH = 360
const MINUTE = 60_000

/** Takes all of them into a folder; existing ones are replaced. */
export async function takePanelPictures(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { port, close } = await serveSites()
  const args = [`--host-resolver-rules=MAP *.example 127.0.0.1:${port}`]
  try {
    for (const language of Object.keys(LANGUAGES) as Language[]) {
      const rig = await startExtension({ args: [...args, `--lang=${LANGUAGES[language]}`] })
      try {
        await takeIn(rig, language, folder)
      } finally {
        await rig.close()
      }
    }
  } finally {
    close()
  }
}

async function takeIn(rig: ExtensionRig, language: Language, folder: string): Promise<void> {
  const { context } = rig.browser
  let status = quiet()
  rig.link.onCall('person.status', () => status)
  const show = (next: Status): void => {
    status = next
    rig.link.send({ k: 'event', name: 'status.changed', data: next })
  }
  await rig.link.call('page.navigate', { session: 'research', url: 'http://wiki.example/', until: 'load' })
  const panel = await openPage(context, 'sidepanel')
  const front = await context.newPage()
  await front.goto('http://wiki.example/')
  for (const [name, state] of Object.entries(STATES)) {
    show(state())
    await shoot(panel, name, { language, folder })
  }
  const options = await openPage(context, 'options', 640)
  await shoot(options, 'options', { language, folder })
}

async function shoot(page: Page, name: string, { language, folder }: { language: string; folder: string }) {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The state has come when its own words are there: the panel is drawn within the frame after.
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 150))))
    await writeFile(join(folder, `panel-${name}-${language}-${colorScheme}.webp`), await pictureOf(page))
  }
}

/** WebP, which Playwright itself does not make: a quarter of the size. */
async function pictureOf(page: Page): Promise<Buffer> {
  const protocol = await page.context().newCDPSession(page)
  const { width } = page.viewportSize() ?? { width: WIDTH }
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  const { data } = await protocol.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 82,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height, scale: 1 },
  })
  await protocol.detach()
  return Buffer.from(data, 'base64')
}

async function openPage(context: BrowserContext, name: string, width = WIDTH): Promise<Page> {
  const page = await context.newPage()
  await page.setViewportSize({ width, height: 480 })
  await page.goto(`chrome-extension://${EXTENSION_ID}/${name}.html`)
  await page.locator('main:not([aria-busy])').waitFor()
  return page
}

/** Sites of nobody, so that the pictures show no port of a test. */
async function serveSites(): Promise<{ port: number; close(): void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<title>Recent changes</title><h1>Wiki</h1>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return { port: address.port, close: () => server.close() }
}

const ago = (ms: number): number => Date.now() - ms

const run = (operation: string, more: Partial<RunBrief>): RunBrief => ({
  ...{ run_id: '4c1d0a9be2f37586', operation, profile: null, state: 'ok' },
  ...{ started_at: ago(2 * MINUTE), duration_ms: 412, code: null },
  ...more,
})

const RECENT: RunBrief[] = [
  run('browser.click', { run_id: '0000000000000001', duration_ms: 96, verdict: 'confirmed' }),
  run('mediawiki.watchlist', { run_id: '0000000000000002', duration_ms: 318 }),
  run('shop.order', {
    run_id: '0000000000000003',
    state: 'failed',
    code: 'approval_denied',
    duration_ms: 8240,
  }),
]

const grant = (site: string, word: 'always' | 'session' | 'never', session: string | null = null) => ({
  ...{ site, word, session, granted_at: ago(60 * MINUTE), expires_at: null },
})

const quiet = (): Status => ({
  ...{ version: '0.1.0', protocol: 1, pid: 1, started_at: ago(60 * MINUTE), uptime_ms: 60 * MINUTE },
  ...{ http_url: null, operations: 40, adapter_faults: 0, profiles: [], running: [] },
  last_run: RECENT[0] ?? null,
  recent: RECENT,
  approvals: [],
  sites: [
    grant('wiki.example', 'always'),
    grant('mail.example', 'session', 'research'),
    grant('bank.example', 'never'),
  ],
  policy_profile: 'careful',
  paused: false,
})

const question = (more: object): Status['approvals'][number] => ({
  ...{ id: 'a1', operation: 'browser.navigate', effect: 'read' },
  text: 'Uses https://shop.example/ in your browser\nLoad an address in the session’s own background tab.',
  ...{ asked_at: Date.now(), expires_at: Date.now() + MINUTE },
  ...more,
})

const STATES: Readonly<Record<string, () => Status>> = {
  site: () => ({
    ...quiet(),
    approvals: [
      question({ site: 'shop.example', session: 'research', covers: 'whatever agents do on shop.example' }),
    ],
  }),
  approval: () => ({
    ...quiet(),
    approvals: [
      question({
        operation: 'mediawiki.edit',
        effect: 'write',
        risk: 'publish',
        text: 'Replace the text of a page.\ntitle: "竹笛"\ntext: "竹笛是一种中国乐器。"',
        covers: 'mediawiki.edit at https://wiki.example with title "竹笛", whatever else it is given',
      }),
    ],
  }),
  running: () => ({
    ...quiet(),
    running: [
      run('mediawiki.watchlist', {
        ...{ run_id: 'r1', state: 'running', started_at: ago(3200), duration_ms: null },
        ...{ site: 'wiki.example', step: 'fetch', session: 'research' },
      }),
      run('browser.wait', {
        ...{ run_id: 'r2', state: 'running', started_at: ago(900), duration_ms: null },
        ...{ site: 'wiki.example', step: 'wait', session: 'research' },
      }),
    ],
  }),
  paused: () => ({ ...quiet(), paused: true }),
}
