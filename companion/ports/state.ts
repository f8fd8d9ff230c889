import type { Envelope, Strategy } from '../../shared/envelope.ts'
import type { RunBrief } from '../../shared/status.ts'
import type { Cookie } from '../../shared/values.ts'

export interface RunStart {
  run_id: string
  operation: string
  surface: string
  /** Redacted: values of secret arguments are replaced before they come here. */
  args: Record<string, unknown>
  /** What its caller said of the run. */
  options: Record<string, unknown>
  started_at: number
  profile: string | null
}

/** One request of a run as it is remembered: neither bodies nor headers. */
export interface RequestRecord {
  method: string
  url: string
  /** Null when no answer came. */
  status: number | null
  media_type: string | null
  request_bytes: number
  /** Null when it is not known, as of what was streamed. */
  response_bytes: number | null
  started_at: number
  duration_ms: number
  /** Of the failure without an answer. */
  code: string | null
}

/** What an answer looked like, without what it said: enough to tell later whether another one differs. */
export interface AnswerShape {
  kind: 'list' | 'record' | 'value' | 'nothing'
  /** Rows of a list. */
  count: number | null
  /** Types of each field, joined by `|`, over the rows that were looked at; of a lone value, under ``. */
  fields: Record<string, string>
  /** One hash a row, of the first rows only; of anything else, one. */
  rows: string[]
}

export interface StepRecord {
  run_id: string
  index: number
  /** Place in nested pipelines, such as "3.then.0". */
  path: string
  step: string
  started_at: number
  duration_ms: number
  code: string | null
}

export interface RunRecord extends RunStart {
  state: RunBrief['state']
  duration_ms: number | null
  code: string | null
  /** The answer without its data: data stays with the caller. */
  meta: Envelope['meta'] | null
  error: Envelope['error']
  steps: StepRecord[]
  requests: RequestRecord[]
  evidence: Envelope['evidence']
  /** What its data looked like; null when it failed or is still under way. */
  shape: AnswerShape | null
}

export interface RunsQuery {
  limit: number
  operation?: string | undefined
  /** All operations of it. */
  site?: string | undefined
  state?: RunBrief['state'] | undefined
  /** Begun at that time or later, epoch ms. */
  since?: number | undefined
}

/** The run ledger. A run left open by a crash is `interrupted` when the ledger is opened again. */
export interface LedgerPort {
  begin(run: RunStart): void
  step(record: StepRecord): void
  request(runId: string, record: RequestRecord): void
  /** Returns at once: it is written after the answer has left, and before anything is read. */
  finish(runId: string, envelope: Envelope): void
  list(query: RunsQuery): RunBrief[]
  get(runId: string): RunRecord | null
}

export interface StrategyKey {
  operation: string
  profile: string
}

export interface CachedStrategy {
  strategy: Strategy
  login: string | null
  /** Epoch ms. */
  expiresAt: number
}

/** Which strategy answered for a site's command, so that later runs skip the probing. */
export interface StrategyCachePort {
  get(key: StrategyKey): CachedStrategy | null
  /** `login` stands for whoever was logged in; null where nobody's login matters. */
  put(key: StrategyKey, strategy: Strategy, login: string | null): void
  drop(key: StrategyKey): void
}

/** Cookies that a person put into `cookies/<site>.json` on purpose. */
export interface CookieFilePort {
  /** Null when there is no file. Fails with config_invalid. */
  read(site: string): Cookie[] | null
}

export interface ConfigPort {
  /** Undefined when unset and without default. Keys are dotted: `sites.mediawiki.base`. */
  get(key: string): unknown
}

/** One known setting, as `config list` shows it. */
export interface SettingInfo {
  /** `sites.<site>.…` stands for a whole family while nothing of it is set. */
  key: string
  doc: string
  value: unknown
  /** Undefined when the setting has no default. */
  default: unknown
  source: 'file' | 'default' | 'unset'
}

/** What `config get|set|unset|list|path` need. All fail with config_invalid that names the key. */
export interface ConfigStorePort extends ConfigPort {
  /** `text` as a person typed it; returns the typed value that was written. */
  set(key: string, text: string): unknown
  /** False when it was not set. */
  unset(key: string): boolean
  list(): SettingInfo[]
  path(): string
}

/** Contents that back an answer up, by the SHA-256 of their bytes. Fails with state_unavailable. */
export interface EvidencePort {
  put(content: Uint8Array, mediaType: string): string
  /** A value as JSON, with the secrets in it replaced; `bytes` is the size of that. */
  keep(value: unknown): { id: string; bytes: number }
  /** Null when there is none of that id, or no more. */
  get(id: string): { content: Uint8Array; media_type: string } | null
}

/** The person's own adapters, as repairs change them. Fails with state_unavailable. */
export interface OverlayPort {
  /** Writes the person's own copy of an adapter; what stood there before is kept for `restore`. Gives its file. */
  replace(adapter: { site: string; command: string }, text: string): { file: string; backup: string }
  /**
   * Takes back what `replace` did last: the copy that stood there before, or none, so that the packaged one counts
   * again. Null when there is nothing to take back. Fails with usage when somebody has changed the copy since.
   */
  restore(adapter: { site: string; command: string }): { file: string; restored: 'previous' | 'none' } | null
}

/** What became of goals that are worked on in several calls, as JSON. Fails with state_unavailable. */
export interface GoalStatePort {
  /** Null when nothing is known of it. */
  load(key: string): unknown
  save(key: string, state: unknown): void
}
