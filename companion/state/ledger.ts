import type { Envelope } from '../../shared/envelope.ts'
import type { RunBrief } from '../../shared/status.ts'
import { shapeOf } from '../kernel/answer-shape.ts'
import { redactValue } from '../kernel/redact.ts'
import type { LogPort } from '../ports/log.ts'
import type { LedgerPort, RunRecord, RunStart, RunsQuery } from '../ports/state.ts'
import type { Database, Row, SqlValue } from './database.ts'

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
 * The run ledger. A run is one row at its start, before anything is done, and one update at its end; its steps and
 * requests are held in memory until then. The end is written after the answer has left, and before anything is read:
 * no caller waits for it. A run that was killed in between is `interrupted`, although it answered.
 * A ledger that cannot write must not fail the run that it records: it logs the fault, and the run goes on.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const { db, log, now = Date.now } = options
  const traces = new Map<string, Trace>()
  const attempt = (what: string, runId: string, work: () => void): void => {
    try {
      work()
    } catch (error) {
      log.error(`the ledger could not record ${what}`, { run_id: runId, error })
    }
  }
  const ends = new Ends(ended => {
    attempt('the end of runs', ended.map(([runId]) => runId).join(), () =>
      db.transaction(() => {
        for (const [runId, envelope] of ended) updateRun(db, runId, envelope, traces.get(runId) ?? NO_TRACE)
      }),
    )
    for (const [runId] of ended) traces.delete(runId)
  })
  markInterrupted(options)
  const prune = (): number => pruneRuns(options, now())
  const daily = setInterval(() => attempt('that it pruned itself', '', prune), DAY_MS)
  daily.unref()
  attempt('that it pruned itself', '', prune)
  return {
    begin(run) {
      traces.set(run.run_id, { steps: [], requests: [] })
      attempt('the start of a run', run.run_id, () => insertRun(db, run))
    },
    step(record) {
      const kept = traces.get(record.run_id)?.steps
      if (kept && kept.length < MAX_STEPS) kept.push(record)
    },
    request(runId, record) {
      traces.get(runId)?.requests.push(record)
    },
    finish: (runId, envelope) => ends.add(runId, envelope),
    list(query) {
      ends.write()
      return listRuns(db, query)
    },
    get(runId) {
      ends.write()
      const record = readRun(db, runId)
      return record && { ...record, ...traces.get(runId) }
    },
    prune() {
      ends.write()
      return prune()
    },
    close() {
      ends.write()
      clearInterval(daily)
    },
  }
}

/** What is kept of a run while it goes on. */
type Trace = Pick<RunRecord, 'steps' | 'requests'>
const NO_TRACE: Trace = { steps: [], requests: [] }

type Ended = readonly [runId: string, envelope: Envelope]

/** Ends of runs that are not written yet: all that came in one turn of the event loop are written in one go. */
class Ends {
  readonly #write: (ended: readonly Ended[]) => void
  #waiting: Ended[] = []
  #timer: NodeJS.Immediate | null = null

  constructor(write: (ended: readonly Ended[]) => void) {
    this.#write = write
  }

  add(...ended: Ended): void {
    this.#waiting.push(ended)
    this.#timer ??= setImmediate(() => this.write())
  }

  write(): void {
    if (this.#timer !== null) clearImmediate(this.#timer)
    this.#timer = null
    const ended = this.#waiting
    this.#waiting = []
    if (ended.length > 0) this.#write(ended)
  }
}

function markInterrupted({ db, log }: LedgerOptions): void {
  const count = db.run(`UPDATE runs SET state = 'interrupted' WHERE state IN ${OPEN_STATES}`)
  if (count > 0) log.warn('runs were still open when the companion ended', { runs: count })
}

function insertRun(db: Database, run: RunStart): void {
  db.run(
    `INSERT INTO runs (run_id, operation, surface, args, options, profile, state, started_at)
     VALUES (?, ?, ?, ?, ?, ?, 'running', ?)`,
    [
      ...[run.run_id, run.operation, run.surface],
      ...[toJson(run.args), toJson(run.options), run.profile, Math.round(run.started_at)],
    ],
  )
}

function updateRun(db: Database, runId: string, envelope: Envelope, trace: Trace): void {
  const { ok, data, meta, error, evidence } = envelope
  db.run(
    `UPDATE runs SET state = ?, duration_ms = ?, code = ?, profile = ?, meta = ?, error = ?, steps = ?,
       requests = ?, evidence = ?, shape = ? WHERE run_id = ?`,
    [
      ok ? 'ok' : 'failed',
      Math.round(meta.duration_ms),
      error?.code ?? null,
      meta.profile,
      toJson(meta),
      error && toJson(error),
      JSON.stringify(trace.steps),
      toJson(trace.requests),
      JSON.stringify(evidence),
      ok ? JSON.stringify(shapeOf(data)) : null,
      runId,
    ],
  )
}

const toJson = (value: unknown): string => JSON.stringify(redactValue(value))

const BRIEF = 'run_id, operation, profile, state, started_at, duration_ms, code'
const REST = 'surface, args, options, meta, error, steps, requests, evidence, shape'

function listRuns(db: Database, { limit, operation, site, state, since }: RunsQuery): RunBrief[] {
  const conditions: [sql: string, values: SqlValue[]][] = []
  if (operation !== undefined) conditions.push(['operation = ?', [operation]])
  // All that begins with `site.`: a slash is the next character after the dot.
  if (site !== undefined) conditions.push(['operation >= ? AND operation < ?', [`${site}.`, `${site}/`]])
  if (state !== undefined) conditions.push(['state = ?', [state]])
  if (since !== undefined) conditions.push(['started_at >= ?', [since]])
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`
  return db
    .all(`SELECT ${BRIEF} FROM runs ${where} ORDER BY started_at DESC, rowid DESC LIMIT ?`, [
      ...conditions.flatMap(([, values]) => values),
      limit,
    ])
    .map(toBrief)
}

function readRun(db: Database, runId: string): RunRecord | null {
  const row = db.get(`SELECT ${BRIEF}, ${REST} FROM runs WHERE run_id = ?`, [runId])
  if (!row) return null
  return {
    ...toBrief(row),
    surface: String(row.surface),
    args: fromJson(row.args) as RunRecord['args'],
    meta: fromJson(row.meta) as RunRecord['meta'],
    error: fromJson(row.error) as RunRecord['error'],
    options: fromJson(row.options) as RunRecord['options'],
    steps: fromJson(row.steps) as RunRecord['steps'],
    requests: fromJson(row.requests) as RunRecord['requests'],
    evidence: fromJson(row.evidence) as RunRecord['evidence'],
    shape: fromJson(row.shape) as RunRecord['shape'],
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
