import { rename } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import type { RunBrief, Status } from '../../shared/status.ts'
import { type ExtensionRig, startExtension } from '../support/extension-rig.ts'

let rig: ExtensionRig
let popup: Page
let status: Status
const answers: unknown[] = []
let stops = 0

const run = (more: Partial<RunBrief>): RunBrief => ({
  run_id: 'r1',
  operation: 'mediawiki.watchlist',
  profile: null,
  state: 'ok',
  started_at: Date.now() - 65_000,
  duration_ms: 412,
  code: null,
  ...more,
})

beforeAll(async () => {
  rig = await startExtension()
  status = {
    version: '0.1.0',
    protocol: 1,
    pid: 1,
    started_at: Date.now() - 60_000,
    uptime_ms: 60_000,
    http_url: null,
    operations: 40,
    adapter_faults: 0,
    profiles: [],
    running: [],
    last_run: run({}),
    approvals: [],
  }
  rig.link.onCall('person.status', () => status)
  rig.link.onCall('person.answer', params => {
    answers.push(params)
    return { answered: true }
  })
  rig.link.onCall('person.stop', () => ({ stopped: ++stops }))
  popup = await openPopup(rig)
})
afterAll(() => rig.close())

async function openPopup({ browser }: ExtensionRig): Promise<Page> {
  const page = await browser.context.newPage()
  await page.setViewportSize({ width: 320, height: 560 })
  await page.goto(`chrome-extension://${EXTENSION_ID}/popup.html`)
  return page
}

const change = (more: Partial<Status>): void => {
  status = { ...status, ...more }
  rig.link.send({ k: 'event', name: 'status.changed', data: status })
}

describe('the popup', () => {
  test('shows the link and how the last operation ended', async () => {
    await popup.getByText('Linked', { exact: true }).waitFor()
    expect(await popup.getByRole('listitem').allTextContents()).toEqual([
      'This browser',
      'Native hostreached',
      'Companionreached',
    ])
    const last = popup.getByRole('region', { name: 'Last operation' })
    expect(await last.textContent()).toContain('mediawiki.watchlistDone')
    expect(await last.textContent()).toContain('1 minute ago · 412 ms')
    expect(await popup.getByText('Companion 9.9.9').isVisible()).toBe(true)
  })

  test('shows what runs, and stops it', async () => {
    const running = [run({ run_id: 'r2', operation: 'node-red.deploy', state: 'running', duration_ms: null })]
    change({ running, last_run: run({ state: 'failed', code: 'auth_required' }) })
    await popup.getByText('node-red.deploy').waitFor()
    await popup.getByText('auth_required').waitFor()
    const stopped = rig.link.nextFrame(frame => frame.k === 'call' && frame.method === 'person.stop')
    await popup.getByRole('button', { name: 'Stop all' }).click()
    await stopped
    expect(stops).toBe(1)
    change({ running: [] })
    await popup.getByRole('button', { name: 'Stop all' }).waitFor({ state: 'detached' })
  })

  test('lets the person answer what waits, by keyboard alone, and shows on the button how many', async () => {
    const approval = {
      id: 'a1',
      operation: 'mediawiki.edit',
      effect: 'write',
      text: 'Replace the text of “Main Page”.',
      asked_at: Date.now(),
      expires_at: Date.now() + 60_000,
    }
    await popup.clock.install()
    await popup.clock.pauseAt(Date.now() + 1000)
    change({
      approvals: [approval, { ...approval, id: 'a2', text: 'Delete “Old page”.', effect: 'destructive' }],
    })
    await popup.getByText('Replace the text of “Main Page”.').waitFor()
    const worker = await rig.browser.serviceWorker()
    expect(await worker.evaluate(() => chrome.action.getBadgeText({}))).toBe('2')
    const asked = rig.link.nextFrame(frame => frame.k === 'call' && frame.method === 'person.answer')
    // A key that was meant for something else answers nothing that has just come.
    await popup.getByRole('button', { name: 'Refuse' }).first().focus()
    await popup.keyboard.press('Enter')
    expect(await popup.getByRole('button', { name: 'Refuse', disabled: true }).count()).toBe(2)
    await popup.clock.runFor(1000)
    await popup.getByRole('button', { name: 'Refuse', disabled: false }).first().waitFor()
    await popup.keyboard.press('Enter')
    await asked
    expect(answers).toEqual([{ id: 'a1', allow: false, lasts: 'once' }])
    const again = rig.link.nextFrame(frame => frame.k === 'call' && frame.method === 'person.answer')
    await popup.getByRole('button', { name: 'Allow' }).nth(1).click()
    await again
    expect(answers[1]).toEqual({ id: 'a2', allow: true, lasts: 'once' })
    await popup.clock.resume()
    change({ approvals: [] })
    await popup.getByText('Waiting for you').waitFor({ state: 'detached' })
    expect(await worker.evaluate(() => chrome.action.getBadgeText({}))).toBe('')
  })

  test('renames the profile and tells the companion', async () => {
    const next = rig.standIn.nextLink()
    const name = popup.getByLabel('Profile name')
    await name.fill('  Work  ')
    await name.press('Enter')
    const link = await next
    expect(link.hello.profile).toEqual({ id: rig.link.hello.profile.id, name: 'Work' })
    rig.link = link
    link.onCall('person.status', () => status)
    await popup.getByText('Saved').waitFor()
    expect(await name.inputValue()).toBe('Work')
  })
})

describe('the popup without a native host', () => {
  test('names the hop that is broken and the command that mends it', async () => {
    const manifest = `${rig.browser.userDataDir}/NativeMessagingHosts/${rig.standIn.chromiumManifest.name}.json`
    await rename(manifest, `${manifest}.away`)
    process.kill(rig.link.pid, 'SIGKILL')
    await popup.getByText('The native host is not installed for this browser.').waitFor()
    expect(await popup.getByText('unicli setup').isVisible()).toBe(true)
    expect(await popup.getByRole('listitem').nth(1).textContent()).toBe('Native hostnot reached')
    await rename(`${manifest}.away`, manifest)
    const next = rig.standIn.nextLink()
    await popup.getByRole('button', { name: 'Try again' }).click()
    rig.link = await next
    await popup.getByText('Linked', { exact: true }).waitFor()
  })
})
