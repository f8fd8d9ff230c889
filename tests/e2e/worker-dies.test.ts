import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { killServiceWorker } from '../support/cdp.ts'
import { isLinkedSince } from '../support/product.ts'
import { type StateRig, startStateRig } from '../support/state-rig.ts'

let rig: StateRig
beforeAll(async () => {
  rig = await startStateRig()
})
afterAll(() => rig?.close())

const linkedSince = (at: number) => rig.product.status(({ profiles }) => profiles.some(isLinkedSince(at)))

async function killWorker(): Promise<void> {
  const killedAt = Date.now()
  await killServiceWorker(rig.browser.cdp, EXTENSION_ID)
  await linkedSince(killedAt)
}
const network = async (operation: string, args = {}) => {
  const { data, error } = await rig.product.run(`network.${operation}`, args, { session: 'main' })
  expect(error).toBeNull()
  return data
}

const SEEN = `[innerWidth, Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language,
  matchMedia('(prefers-color-scheme: dark)').matches]`

test('a tab goes on to take its device for another, and can be told to stop', async () => {
  await rig.open('/surroundings')
  const real = await rig.evaluate(SEEN)
  const viewport = { width: 400, height: 700, scale: 2, mobile: false, touch: false }
  const emulated = { viewport, timezone: 'Asia/Tokyo', locale: 'ja-JP', color_scheme: 'dark' }
  await rig.does('emulate', emulated)
  await killWorker()
  expect(await rig.does('info')).toMatchObject({ emulated: { timezone: 'Asia/Tokyo' } })
  await rig.open('/surroundings?again')
  expect(await rig.evaluate(SEEN)).toEqual([400, 'Asia/Tokyo', 'ja-JP', true])
  expect(await rig.does('emulate', { reset: true })).toMatchObject({ emulated: {} })
  await rig.open('/surroundings?real')
  expect(await rig.evaluate(SEEN)).toEqual(real)
})

test('routes of a session hold on', async () => {
  await rig.open('/')
  await network('route', { match: '/mocked', mock: { body: 'made up' } })
  await network('route', { match: '/blocked', block: true })
  await killWorker()
  const asks = (path: string) => rig.evaluate<string>(`fetch('${path}').then(r => r.text(), e => String(e))`)
  expect(await network('routes')).toHaveLength(2)
  expect(await asks('/mocked')).toBe('made up')
  expect(await asks('/blocked')).toContain('Failed to fetch')
})

test('the list of requests says what went with a companion that was started anew, and no number means another', async () => {
  await rig.open('/article')
  const before = (await network('list')) as { cursor: number; note?: string }
  expect(before.note).toBeUndefined()
  const killedAt = Date.now()
  process.kill((await rig.product.discovery()).pid, 'SIGKILL')
  expect((await rig.product.cli('daemon', 'start')).code).toBe(0)
  await linkedSince(killedAt)
  const after = (await network('list')) as { requests: string[]; cursor: number; note?: string }
  expect(after.note).toContain('started anew')
  await rig.open('/article?again')
  const { requests } = (await network('list', { since: before.cursor })) as { requests: string[] }
  expect(requests).toEqual([expect.stringMatching(/^r1\d{3} GET 200 document .*again$/)])
  const { error } = await rig.product.run('network.get', { id: 'r1' }, { session: 'main' })
  expect(error?.code).toBe('not_found')
})
