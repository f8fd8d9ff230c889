import type { Envelope } from '../../shared/envelope.ts'
import type { RunBrief } from '../../shared/status.ts'
import type { LogPort } from '../ports/log.ts'
import type { LedgerPort, RunRecord, RunStart, StepRecord } from '../ports/state.ts'
import type { Database, Row, SqlValue } from './database.ts'
import { redactValue } from './redact.ts'

export interface LedgerOptions {
  db: Database
  log: LogPort
  /** Runs that began longer ago are deleted. */
  days: number
  /** The oldest runs are deleted while the database holds more data than this. */
  maxBytes: number
  now?: () => number
}

export interface Ledger extends LedgerPort {
  /** Deletes what is over age or size; returns how many runs. Done on opening and once a day by itself. */
  prune(): number
  /** Ends the daily pruning; the database stays open. */
  close(): void
}

const DAY_MS = 86_400_000
const MAX_STEPS = 1000
const OPEN_STATES = "('running', 'waiting')"

/**
 * The run ledger. A run is one row at its start and one update at its end; its steps are held in memory until then.
 * A ledger that cannot write must not fail the run that it records: it logs the fault, and the run goes on.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const { db, log, now = Date.now } = options
  const steps = new Map<string, StepRecord[]>()
  markInterrupted(options)
  const attempt = (what: string, runId: string, work: () => void): void => {
    try {
      work()
    } catch (error) {
      log.error(`the ledger could not record ${what}`, { run_id: runId, error })
    }
  }
  const prune = (): number => pruneRuns(options, now())
  const daily = setInterval(() => attempt('that it pruned itself', '', prune), DAY_MS)
  daily.unref()
  attempt('that it pruned itself', '', prune)
  return {
    begin(run) {
      steps.set(run.run_id, [])
      attempt('the start of a run', run.run_id, () => insertRun(db, run))
    },
    step(record) {
      const kept = steps.get(record.run_id)
      if (kept && kept.length < MAX_STEPS) kept.push(record)
    },
    finish(runId, envelope) {
      const kept = steps.get(runId) ?? []
      steps.delete(runId)
      attempt('the end of a run', runId, () => updateRun(db, runId, envelope, kept))
    },
    list: query => listRuns(db, query),
    get(runId) {
      const record = readRun(db, runId)
      return record && { ...record, steps: steps.get(runId) ?? record.steps }
    },
    prune,
    close: () => clearInterval(daily),
  }
}

function markInterrupted({ db, log }: LedgerOptions): void {
  const count = db.run(`UPDATE runs SET state = 'interrupted' WHERE state IN ${OPEN_STATES}`)
  if (count > 0) log.warn('runs were still open when the companion ended', { runs: count })
}

function insertRun(db: Database, run: RunStart): void {
  db.run(
    "INSERT INTO runs (run_id, operation, surface, args, profile, state, started_at) VALUES (?, ?, ?, ?, ?, 'running', ?)",
    [run.run_id, run.operation, run.surface, toJson(run.args), run.profile, Math.round(run.started_at)],
  )
}

function updateRun(db: Database, runId: string, envelope: Envelope, steps: readonly StepRecord[]): void {
  const { meta, error } = envelope
  db.run(
    'UPDATE runs SET state = ?, duration_ms = ?, code = ?, profile = ?, meta = ?, error = ?, steps = ? WHERE run_id = ?',
    [
      envelope.ok ? 'ok' : 'failed',
      Math.round(meta.duration_ms),
      error?.code ?? null,
      meta.profile,
      toJson(meta),
      error && toJson(error),
      JSON.stringify(steps),
      runId,
    ],
  )
}

const toJson = (value: unknown): string => JSON.stringify(redactValue(value))

const BRIEF = 'run_id, operation, profile, state, started_at, duration_ms, code'

function listRuns(db: Database, query: Parameters<LedgerPort['list']>[0]): RunBrief[] {
  const conditions: string[] = []
  const values: SqlValue[] = []
  if (query.operation !== undefined) {
    conditions.push('operation = ?')
    values.push(query.operation)
  }
  if (query.state !== undefined) {
    conditions.push('state = ?')
    values.push(query.state)
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return db
    .all(`SELECT ${BRIEF} FROM runs ${where} ORDER BY started_at DESC, rowid DESC LIMIT ?`, [
      ...values,
      query.limit,
    ])
    .map(toBrief)
}

function readRun(db: Database, runId: string): RunRecord | null {
  const row = db.get(`SELECT ${BRIEF}, surface, args, meta, error, steps FROM runs WHERE run_id = ?`, [runId])
  if (!row) return null
  return {
    ...toBrief(row),
    surface: String(row.surface),
    args: fromJson(row.args) as RunRecord['args'],
    meta: fromJson(row.meta) as RunRecord['meta'],
    error: fromJson(row.error) as RunRecord['error'],
    steps: fromJson(row.steps) as StepRecord[],
  }
}

/** Columns are written by this file alone, in these types. */
function toBrief(row: Row): RunBrief {
  return {
    run_id: String(row.run_id),
    operation: String(row.operation),
    profile: row.profile === null ? null : String(row.profile),
    state: row.state as RunBrief['state'],
    started_at: Number(row.started_at),
    duration_ms: row.duration_ms === null ? null : Number(row.duration_ms),
    code: row.code === null ? null : String(row.code),
  }
}

const fromJson = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : null)

function pruneRuns({ db, days, maxBytes }: LedgerOptions, now: number): number {
  const cut = now - days * DAY_MS
  let deleted = db.run(`DELETE FROM runs WHERE started_at < ? AND state NOT IN ${OPEN_STATES}`, [cut])
  while (db.usedBytes() > maxBytes) {
    const oldest = db.run(
      `DELETE FROM runs WHERE rowid IN
         (SELECT rowid FROM runs WHERE state NOT IN ${OPEN_STATES} ORDER BY started_at LIMIT
           (SELECT max(1, count(*) / 10) FROM runs))`,
    )
    if (oldest === 0) break
    deleted += oldest
  }
  if (deleted > 0) db.shrink()
  return deleted
}
