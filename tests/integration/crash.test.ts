import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCompanionProcess } from '../../companion/daemon/spawn.ts'
import type { RunRecord } from '../../companion/ports/state.ts'
import { pathsOf } from '../../companion/state/paths.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { addAdapters } from '../support/overlay.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { assertExited, isAlive } from '../support/processes.ts'
import { CLI, type Product, startProduct } from '../support/product.ts'
import { seededRandom } from '../support/seeded-random.ts'

const KILLS = 50
/** Half a minute where nothing else runs; starting a companion fifty times is most of it. */
const WITHIN_MS = 240_000
/** A run takes about as long at the site: the moment of a kill falls anywhere in it. */
const SITE_MS = 40
const SEED = 20261130

describe('a companion that is killed in the middle of its work', () => {
  const random = seededRandom(SEED)
  let product: Product
  let site: PageServer
  /** What the site was asked to do, by the key in the request. */
  const done = new Map<string, number>()
  const answered = new Map<string, Envelope>()

  beforeAll(async () => {
    ;[product, site] = await Promise.all([
      startProduct(),
      startPageServer({
        '/work': (request, response) => {
          const { key } = JSON.parse(request.body || '{}') as { key?: string }
          const name = key ?? new URL(request.path, 'http://x').searchParams.get('key') ?? ''
          done.set(name, (done.get(name) ?? 0) + 1)
          setTimeout(() => {
            response.writeHead(200, { 'content-type': 'application/json' })
            response.end(JSON.stringify([{ key: name }]))
          }, random.int(SITE_MS))
        },
      }),
    ])
    const head = (effect: string) =>
      `description: Do what the drill wants.\ntype: web-api\nstrategy: public\neffect: ${effect}\nbase: ${site.url}\n` +
      'args:\n  key: { required: true, positional: true }\n'
    await addAdapters(product, 'drill', {
      read: `${head('read')}pipeline:\n  - fetch: { url: work, query: { key: '\${{ args.key }}' } }\n`,
      write: `${head('write')}pipeline:\n  - fetch: { url: work, method: POST, json: { key: '\${{ args.key }}' } }\n`,
    })
  })
  afterAll(async () => {
    await product?.close()
    await site?.close()
  })

  const paths = () => pathsOf(product.env.env)
  const ensureRunning = async () => {
    const { pid } = await product.discovery()
    if (!isAlive(pid)) await startCompanionProcess(paths(), join(CLI, '..', 'companion.js'), product.env.env)
  }

  /** Asks over HTTP; an answer that is lost is nothing. */
  const ask = async (command: string, key: string): Promise<void> => {
    try {
      answered.set(key, await product.run(`drill.${command}`, { key }))
    } catch (error) {
      // fetch says no more of a connection that broke.
      if (!(error instanceof TypeError)) throw error
    }
  }

  const strike = async (round: number): Promise<void> => {
    await ensureRunning()
    const { pid } = await product.discovery()
    const reached = site.nextRequest('/work')
    const calls = ['write', 'read', 'write', 'read'].map((command, at) => ask(command, `${round}-${at}`))
    // The thin client starts a new companion where there is none, and must not send a write anew.
    if (round % 10 === 0) calls.push(product.cli('drill', 'write', `${round}-cli`).then(() => undefined))
    // However slow the machine is, kills fall before a run, while it is at the site, and after an answer.
    if (round % 3 > 0) await (round % 3 === 1 ? reached : Promise.race(calls))
    await delay(random.int(SITE_MS))
    process.kill(pid, 'SIGKILL')
    await assertExited(pid)
    await Promise.all(calls)
  }

  it('opens its ledger again, has no run left open, and does no write twice', {
    timeout: WITHIN_MS,
  }, async () => {
    for (let round = 0; round < KILLS; round++) await strike(round)
    await ensureRunning()
    const runs = JSON.parse((await product.cli('runs', 'export', '--limit', '1000')).stdout) as RunRecord[]
    const byKey = new Map(runs.map(run => [String(run.args.key), run]))

    expect(
      [...done].filter(([key, times]) => times > 1 && byKey.get(key)?.operation !== 'drill.read'),
    ).toEqual([])
    // What reached the site was written down before it left.
    expect([...done.keys()].filter(key => !byKey.has(key))).toEqual([])
    expect(runs.filter(({ state }) => state === 'running' || state === 'waiting')).toEqual([])
    for (const [key, { ok }] of answered)
      if (ok) expect(['ok', 'interrupted'], key).toContain(byKey.get(key)?.state)
    // The drill is one only when kills fell before, in and after runs.
    const states = new Set(runs.map(run => run.state))
    expect([...states].toSorted()).toEqual(expect.arrayContaining(['interrupted', 'ok']))
    expect(answered.size).toBeGreaterThan(0)
    expect((await readdir(product.env.unicliHome)).filter(name => name.includes('corrupt'))).toEqual([])
  })
})
