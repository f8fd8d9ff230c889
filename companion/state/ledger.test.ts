import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import { recordingLog } from '../../tests/support/recording-log.ts'
import type { RunStart } from '../ports/state.ts'
import { type Database, openDatabase } from './database.ts'
import { type Ledger, openLedger } from './ledger.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 29)

let db: Database
const ledgers: Ledger[] = []

beforeEach(() => {
  db = openDatabase({ file: ':memory:', log: recordingLog() })
})
afterEach(() => {
  for (const ledger of ledgers.splice(0)) ledger.close()
  db.close()
})

function ledgerWith(
  options: { days?: number; maxBytes?: number; log?: ReturnType<typeof recordingLog> } = {},
): Ledger {
  const { days = 30, maxBytes = 1e9, log = recordingLog() } = options
  const ledger = openLedger({ db, log, days, maxBytes, now: () => NOW })
  ledgers.push(ledger)
  return ledger
}

function start(run_id: string, over: Partial<RunStart> = {}): RunStart {
  const run = {
    operation: 'wiki.page',
    surface: 'cli',
    args: {},
    options: {},
    started_at: NOW,
    profile: null,
  }
  return { run_id, ...run, ...over }
}

function success(run_id: string, over: Partial<Envelope['meta']> = {}): Envelope {
  const meta: Envelope['meta'] = {
    site: 'wiki',
    command: 'page',
    strategy: 'public',
    strategy_source: 'declared',
    duration_ms: 12,
    count: 1,
    adapter_path: null,
    run_id,
    effect: 'read',
    verdict: null,
    profile: null,
    session: null,
    ...over,
  }
  return { ok: true, version: 'v2', data: ['left out'], meta, evidence: [], error: null, exit_code: 0 }
}

function failure(run_id: string): Envelope {
  const error = {
    code: 'http_error' as const,
    message: 'https://w.example/?token=s3cr3t answered 404.',
    class: 'drift' as const,
    adapter_path: null,
    step: 'fetch',
    step_index: 0,
    adapter_line: null,
    action: null,
    suggestion: 'look',
    retryable: false,
    alternatives: [],
    details: {},
  }
  return { ...success(run_id), ok: false, data: null, error, exit_code: 69 }
}

describe('the ledger', () => {
  it('records a run with its steps and answers it without its data', () => {
    const ledger = ledgerWith()
    ledger.begin(start('r1', { args: { title: 'Bridge' } }))
    ledger.step({
      run_id: 'r1',
      index: 0,
      path: '0',
      step: 'fetch',
      started_at: NOW,
      duration_ms: 9,
      code: null,
    })
    ledger.finish('r1', success('r1', { profile: 'Home' }))
    const record = ledger.get('r1')
    expect(record).toMatchObject({
      state: 'ok',
      args: { title: 'Bridge' },
      duration_ms: 12,
      profile: 'Home',
      meta: { strategy: 'public' },
      error: null,
      steps: [{ step: 'fetch', duration_ms: 9 }],
    })
    expect(JSON.stringify(record)).not.toContain('left out')
  })

  it('shows a run that goes on, with the steps so far', () => {
    const ledger = ledgerWith()
    ledger.begin(start('r1'))
    ledger.step({
      run_id: 'r1',
      index: 0,
      path: '0',
      step: 'fetch',
      started_at: NOW,
      duration_ms: 9,
      code: null,
    })
    expect(ledger.get('r1')).toMatchObject({ state: 'running', meta: null, steps: [{ step: 'fetch' }] })
    expect(ledger.get('r2')).toBeNull()
  })

  it('writes the end of a run after the turn in which its answer left, and before anything is read', async () => {
    const ledger = ledgerWith()
    const stateOf = (id: string) => db.get('SELECT state FROM runs WHERE run_id = ?', [id])?.state
    ledger.begin(start('r1'))
    ledger.finish('r1', success('r1'))
    expect(stateOf('r1')).toBe('running')
    expect(ledger.list({ limit: 1 })).toMatchObject([{ run_id: 'r1', state: 'ok' }])
    ledger.begin(start('r2'))
    ledger.finish('r2', failure('r2'))
    await setImmediate()
    expect(stateOf('r2')).toBe('failed')
  })

  it('keeps what a run asked without the keys in its addresses, and what its data looked like', () => {
    const ledger = ledgerWith()
    const url = 'https://api.example/x?api_key=s3cr3t&q=1'
    ledger.begin(start('r1', { options: { fields: ['a'] } }))
    ledger.request('r1', {
      ...{ method: 'GET', url, status: 200, media_type: 'text/html', request_bytes: 0, response_bytes: 5 },
      ...{ started_at: NOW, duration_ms: 3, code: null },
    })
    ledger.finish('r1', { ...success('r1'), data: [{ a: 1 }, { a: null }] } as Envelope)
    expect(ledger.get('r1')).toMatchObject({
      options: { fields: ['a'] },
      requests: [{ url: 'https://api.example/x?api_key=[redacted]&q=1', status: 200 }],
      shape: { kind: 'list', count: 2, fields: { a: 'null|number' } },
    })
    expect(ledger.get('r1')?.shape?.rows).toHaveLength(2)
  })

  it('finds runs by site and by the time since which they began', () => {
    const ledger = ledgerWith()
    const begun = (id: string, operation: string, ago: number) =>
      ledger.begin(start(id, { operation, started_at: NOW - ago }))
    begun('r1', 'wiki.page', 5000)
    begun('r2', 'wikipedia.page', 4000)
    begun('r3', 'wiki.edit', 1000)
    const ids = (query: object) => ledger.list({ limit: 9, ...query }).map(run => run.run_id)
    expect(ids({ site: 'wiki' })).toEqual(['r3', 'r1'])
    expect(ids({ since: NOW - 4000 })).toEqual(['r3', 'r2'])
    expect(ids({ site: 'wiki', since: NOW - 4000 })).toEqual(['r3'])
  })

  it('calls runs interrupted that an earlier companion left open', () => {
    ledgerWith().begin(start('r1'))
    const log = recordingLog()
    expect(ledgerWith({ log }).list({ limit: 5 })).toMatchObject([{ run_id: 'r1', state: 'interrupted' }])
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { runs: 1 } }])
  })

  it('lists the newest first, by operation and by state', () => {
    const ledger = ledgerWith()
    for (const [i, operation] of ['a.x', 'a.y', 'a.x'].entries())
      ledger.begin(start(`r${i}`, { operation, started_at: NOW + i }))
    ledger.finish('r0', failure('r0'))
    ledger.finish('r1', success('r1'))
    const ids = (query: Parameters<Ledger['list']>[0]) => ledger.list(query).map(run => run.run_id)
    expect(ids({ limit: 2 })).toEqual(['r2', 'r1'])
    expect(ids({ limit: 9, operation: 'a.x' })).toEqual(['r2', 'r0'])
    expect(ids({ limit: 9, state: 'failed' })).toEqual(['r0'])
    expect(ledger.list({ limit: 9, state: 'failed' })).toMatchObject([
      { code: 'http_error' as const, duration_ms: 12 },
    ])
  })

  it('keeps no secret, neither of arguments nor of errors', () => {
    const ledger = ledgerWith()
    ledger.begin(start('r1', { args: { password: 'hunter2', url: 'https://x.example/?token=abc123' } }))
    ledger.finish('r1', failure('r1'))
    const rows = JSON.stringify(db.all('SELECT * FROM runs'))
    for (const secret of ['hunter2', 'abc123', 's3cr3t']) expect(rows).not.toContain(secret)
    expect(ledger.get('r1')?.error?.message).toBe('https://w.example/?token=[redacted] answered 404.')
  })

  it('deletes what is too old when it is opened, but never a run that goes on', () => {
    const first = ledgerWith()
    first.begin(start('old', { started_at: NOW - 31 * DAY }))
    first.finish('old', success('old'))
    first.begin(start('fresh', { started_at: NOW - 29 * DAY }))
    first.finish('fresh', success('fresh'))
    const second = ledgerWith()
    second.begin(start('still', { started_at: NOW - 40 * DAY }))
    expect(second.prune()).toBe(0)
    expect(second.list({ limit: 9 }).map(run => run.run_id)).toEqual(['fresh', 'still'])
  })

  it('deletes the oldest runs until it fits under its size', () => {
    const ledger = ledgerWith({ maxBytes: 300_000 })
    for (let i = 0; i < 600; i++) {
      ledger.begin(start(`r${i}`, { started_at: NOW - 600 + i, args: { text: 'x'.repeat(1000) } }))
      ledger.finish(`r${i}`, success(`r${i}`))
    }
    expect(db.usedBytes()).toBeGreaterThan(300_000)
    expect(ledger.prune()).toBeGreaterThan(100)
    expect(db.usedBytes()).toBeLessThanOrEqual(300_000)
    const left = ledger.list({ limit: 1000 })
    expect(left[0]?.run_id).toBe('r599')
    expect(left.length).toBeGreaterThan(50)
  })

  it('does not fail a run that it cannot record, and says so in the log', () => {
    const log = recordingLog()
    const ledger = ledgerWith({ log })
    db.run('DROP TABLE runs')
    ledger.begin(start('r1'))
    ledger.finish('r1', success('r1'))
    ledger.close()
    expect(log.lines.map(line => [line.level, line.message])).toEqual([
      ['error', 'the ledger could not record the start of a run'],
      ['error', 'the ledger could not record the end of runs'],
    ])
  })
})
