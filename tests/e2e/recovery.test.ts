import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import { targets } from '../support/cdp.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { HELD_MS, LINK_FAULTS, type LinkRig, strikeAndMeasure } from '../support/link-faults.ts'
import { addAdapters } from '../support/overlay.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { crowding } from '../support/pace.ts'
import { waitFor } from '../support/processes.ts'
import { type Product, startProduct } from '../support/product.ts'

const RESTARTS = 3
/** Of every round, and of the middle one, on a quiet machine. */
const HARD_MS = 5000
const MEDIAN_MS = 2000

let product: Product
let site: FixtureSite
let browser: OwnBrowser

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startFixtureSite()])
  await addAdapters(product, 'probe', probes(site.url))
  browser = await startOwnBrowser(product, 'own')
  const opened = await product.run('browser.navigate', { url: `${site.url}/feed` }, inSession)
  expect(opened.error).toBeNull()
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.stop()
})

/** A slow read, and writes by each way in which a request leaves, which the site answers late or never. */
function probes(base: string): Record<string, string> {
  const head = (strategy: string) =>
    `base: ${base}\ndescription: Ask.\ntype: web-api\nstrategy: ${strategy}\n`
  const write = (strategy: string, url: string) => `${head(strategy)}effect: write
args: { ms: { type: integer, default: 0 }, drop: { type: integer, default: 0 } }
pipeline:
  - fetch:
      url: ${url}
      method: POST
      query: { ms: "\${{ args.ms }}", drop: "\${{ args.drop }}" }
      json: { title: once }
`
  return {
    read: `${head('cookie')}effect: read
args: { ms: { type: integer, default: 0 } }
pipeline: [{ fetch: { url: /api/slow, query: { ms: "\${{ args.ms }}" } } }]
`,
    write: write('cookie', '/api/echo'),
    'write-public': write('public', '/api/echo'),
    watch: `${head('intercept')}effect: read
pipeline: [{ intercept: { match: /never, navigate: /feed, timeout_ms: 3000 } }]
`,
    'write-header': write('header', '/api/notes'),
  }
}

const inSession = { session: 'kept' }
const titleOf = () => product.run('browser.evaluate', { expression: 'document.title' }, inSession)

interface Fault {
  name: keyof typeof LINK_FAULTS
  rounds: number
  /** Whoever asked over HTTP gets an envelope; when the companion itself is killed only the CLI can give one. */
  survivesFor: 'http' | 'cli'
}

const FAULTS: Fault[] = [
  { name: 'the host is killed', rounds: 5, survivesFor: 'http' },
  { name: 'the worker is killed', rounds: 5, survivesFor: 'http' },
  { name: 'the companion is killed', rounds: 5, survivesFor: 'cli' },
  { name: 'the host is suspended', rounds: 5, survivesFor: 'http' },
]

const struckBy = (name: Fault['name']) =>
  strikeAndMeasure({ product, browser } satisfies LinkRig, LINK_FAULTS[name])

/** Asks the page again and again until the link, and with it the right to an immediate retry, has held. */
async function workUntilHeld(since: number): Promise<void> {
  do expect(await titleOf()).toMatchObject({ ok: true, data: 'Feed' })
  while (Date.now() - since <= HELD_MS)
}

interface Round {
  ms: number
  /** How crowded the machine was before and after, whichever was worse. */
  crowded: number
}

/** Plays the rounds; each gives its milliseconds. */
async function play(rounds: number, round: () => Promise<number>): Promise<Round[]> {
  const played: Round[] = []
  let before = crowding()
  for (let count = 0; count < rounds; count += 1) {
    const ms = await round()
    const after = crowding()
    played.push({ ms, crowded: Math.max(before, after) })
    before = after
  }
  return played
}

function judge(what: string, rounds: readonly Round[]): void {
  const told = rounds.map(
    ({ ms, crowded }) => `${ms}${crowded > 1.5 ? ` (crowded ${crowded.toFixed(1)}×)` : ''}`,
  )
  const alone = rounds.map(({ ms, crowded }) => ms / crowded).toSorted((a, b) => a - b)
  console.log(`${what}: linked again after ${told.join(', ')} ms`)
  expect(alone.at(-1)).toBeLessThan(HARD_MS)
  expect(alone[Math.floor(alone.length / 2)]).toBeLessThan(MEDIAN_MS)
}

interface Ended {
  envelope: Envelope
  /** Epoch ms. */
  at: number
}

/** Starts an operation and resolves when the site has seen that it is under way. */
async function underWay(
  method: string,
  path: string,
  start: () => Promise<Envelope>,
): Promise<{ end: Promise<Ended> }> {
  const seen = site.nextRequest(method, path)
  const end = start().then(envelope => ({ envelope, at: Date.now() }))
  await Promise.race([seen, end.then(early => Promise.reject(new Error(JSON.stringify(early))))])
  return { end }
}

const TIMEOUT_MS = 20_000

/** One operation by the surface that can tell of this fault. */
async function runBy(
  surface: Fault['survivesFor'],
  operation: string,
  args: Record<string, unknown>,
  session?: string,
): Promise<Envelope> {
  const options = session === undefined ? {} : { session }
  if (surface === 'http') return product.run(operation, args, { ...options, timeout_ms: TIMEOUT_MS })
  const flags = [`--timeout=${TIMEOUT_MS}`, ...(session === undefined ? [] : [`--session=${session}`])]
  const run = await product.cli(...operation.split('.'), '--args', JSON.stringify(args), ...flags)
  expect(run.code).toBe(run.json().exit_code)
  return run.json()
}

/** What the page waits for has begun, and it never ends. */
const NEVER = "fetch('/api/slow?page').then(() => new Promise(() => undefined))"

describe.each(FAULTS)('when $name', ({ name, rounds, survivesFor }) => {
  test('the link comes back without a person, and the sessions with it', async () => {
    await workUntilHeld(0)
    const played = await play(rounds, async () => {
      const { ms, linkedAt } = await struckBy(name)
      await workUntilHeld(linkedAt)
      return ms
    })
    judge(name, played)
  })

  test('a script that waits in the page ends at once, its outcome unknown', async () => {
    const { end } = await underWay('GET', '/api/slow', () =>
      runBy(survivesFor, 'browser.evaluate', { expression: NEVER }, inSession.session),
    )
    const struck = Date.now()
    const { linkedAt } = await struckBy(name)
    const { envelope, at } = await end
    expect(envelope).toMatchObject({ ok: false, exit_code: 1, error: { code: 'outcome_unknown' } })
    expect(at - struck).toBeLessThan(HARD_MS)
    await workUntilHeld(linkedAt)
  })

  test('a write is sent once, and its outcome is unknown', async () => {
    const before = site.count('POST', '/api/echo')
    const { end } = await underWay('POST', '/api/echo', () =>
      runBy(survivesFor, 'probe.write', { ms: 60_000 }),
    )
    const struck = Date.now()
    const { linkedAt } = await struckBy(name)
    const { envelope, at } = await end
    expect(envelope).toMatchObject({
      ok: false,
      exit_code: 1,
      error: { code: 'outcome_unknown', retryable: false },
    })
    expect(at - struck).toBeLessThan(HARD_MS)
    await workUntilHeld(linkedAt)
    expect(site.count('POST', '/api/echo')).toBe(before + 1)
  })

  test('a read is asked once more, or ends with a failure that may be tried again', async () => {
    const before = site.count('GET', '/api/slow')
    const { end } = await underWay('GET', '/api/slow', () => runBy(survivesFor, 'probe.read', { ms: 1500 }))
    const { linkedAt } = await struckBy(name)
    const { envelope } = await end
    if (survivesFor === 'http') expect(envelope).toMatchObject({ ok: true, data: { waited_ms: 1500 } })
    else
      expect(envelope).toMatchObject({
        ok: false,
        exit_code: 75,
        error: { code: 'link_lost', retryable: true },
      })
    expect(site.count('GET', '/api/slow')).toBe(before + (survivesFor === 'http' ? 2 : 1))
    await workUntilHeld(linkedAt)
  })

  test('the tab that a run had for itself is closed', async () => {
    const before = await openTabs()
    const { end } = await underWay('GET', '/feed', () => runBy(survivesFor, 'probe.watch', {}))
    await waitFor(async () => (await openTabs()).length > before.length, { what: 'the tab of the run' })
    const { linkedAt } = await struckBy(name)
    expect((await end).envelope.ok).toBe(false)
    const closed = async () => (await openTabs()).length === before.length
    await waitFor(closed, { what: 'the tab of the run to be closed' })
    await workUntilHeld(linkedAt)
  })
})

const openTabs = async (): Promise<string[]> =>
  (await targets(browser.cdp)).filter(({ type }) => type === 'page').map(({ url }) => url)

describe('a link that has just come back', () => {
  test('is watched though nobody asks anything of it', async () => {
    await workUntilHeld(0)
    await struckBy('the host is killed')
    const played = await play(1, async () => {
      const { ms } = await struckBy('the host is suspended')
      return ms
    })
    judge('the host is suspended while nobody asks', played)
    await workUntilHeld(Date.now())
  })
})

describe('a companion that was killed', () => {
  test('remembers what it was doing as interrupted', async () => {
    const { end } = await underWay('POST', '/api/echo', () => runBy('cli', 'probe.write', { ms: 60_000 }))
    const { linkedAt } = await struckBy('the companion is killed')
    await end
    const answer = await product.http('/v1/runs?operation=probe.write&limit=1')
    expect(await answer.json()).toMatchObject({ runs: [{ operation: 'probe.write', state: 'interrupted' }] })
    await workUntilHeld(linkedAt)
  })
})

describe('a write whose answer never comes', () => {
  const LOG_IN = `fetch('/login', { method: 'POST', body: new URLSearchParams({ user: 'demo', password: 'demo' }) })`

  test.each([
    ['with cookies', 'probe.write', '/api/echo'],
    ['as nobody', 'probe.write-public', '/api/echo'],
    ['with the token', 'probe.write-header', '/api/notes'],
  ])(
    'is not sent again %s when the site hangs up on a connection that was used before',
    async (_, name, path) => {
      await product.run('browser.evaluate', { expression: `${LOG_IN}.then(() => null)` }, inSession)
      expect(await product.run('probe.read')).toMatchObject({ ok: true })
      expect(await product.run(name)).toMatchObject({ ok: true })
      const before = site.count('POST', path)
      const envelope = await product.run(name, { drop: 1 })
      expect(envelope).toMatchObject({ ok: false, error: { code: 'outcome_unknown', retryable: false } })
      expect(site.count('POST', path)).toBe(before + 1)
    },
  )

  test('ends at its deadline as outcome_unknown', async () => {
    const before = site.count('POST', '/api/echo')
    const started = Date.now()
    const envelope = await product.run('probe.write', { ms: 60_000 }, { timeout_ms: 1000 })
    expect(envelope).toMatchObject({ ok: false, error: { code: 'outcome_unknown' } })
    expect(Date.now() - started).toBeLessThan(2000)
    expect(site.count('POST', '/api/echo')).toBe(before + 1)
  })
})

describe('a browser that hangs as a whole', () => {
  test('holds no operation past its deadline, and is there again when it goes on', async () => {
    process.kill(browser.pid, 'SIGSTOP')
    const started = Date.now()
    try {
      const answers = await Promise.all([
        product.run('browser.evaluate', { expression: '1' }, { ...inSession, timeout_ms: 1500 }),
        product.run('probe.read', {}, { timeout_ms: 1500 }),
        product.run('browser.navigate', { url: `${site.url}/feed` }, { session: 'other', timeout_ms: 1500 }),
      ])
      expect(Date.now() - started).toBeLessThan(2500)
      expect(answers.map(({ error }) => error?.code)).toEqual([
        'outcome_unknown',
        'deadline_exceeded',
        'deadline_exceeded',
      ])
    } finally {
      process.kill(browser.pid, 'SIGCONT')
    }
    expect(await titleOf()).toMatchObject({ ok: true, data: 'Feed' })
  })
})

describe('when the browser is closed and started again', () => {
  test('the profile is linked again without a person', async () => {
    const starts: number[] = []
    const played = await play(RESTARTS, async () => {
      const { profile } = browser
      await browser.close()
      await product.status(({ profiles }) => profiles.every(({ state }) => state === 'lost'))
      browser = await startOwnBrowser(product, 'own')
      expect(browser.profile).toEqual(profile)
      await product.run('browser.navigate', { url: `${site.url}/feed` }, inSession)
      await workUntilHeld(0)
      starts.push(browser.linkedAfterMs)
      return browser.linkedAfterMs - browser.upAfterMs
    })
    console.log(`from the start of its process: ${starts.join(', ')} ms`)
    judge('the browser was started again and is up', played)
  })
})
