/** Each entry takes the database from its index to the next version. Never change one that was released: add one. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    operation TEXT NOT NULL,
    surface TEXT NOT NULL,
    args TEXT NOT NULL,
    profile TEXT,
    state TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    duration_ms INTEGER,
    code TEXT,
    meta TEXT,
    error TEXT,
    steps TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX runs_by_time ON runs (started_at);
  CREATE TABLE strategies (
    operation TEXT NOT NULL,
    profile TEXT NOT NULL,
    strategy TEXT NOT NULL,
    found_at INTEGER NOT NULL,
    PRIMARY KEY (operation, profile)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE blobs (
    id TEXT PRIMARY KEY,
    media_type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    used_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX blobs_by_use ON blobs (used_at)
  `,
  `
  CREATE TABLE grants (
    key TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    operation TEXT NOT NULL,
    covers TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT
  `,
  `
  ALTER TABLE runs ADD COLUMN options TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE runs ADD COLUMN requests TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE runs ADD COLUMN evidence TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE runs ADD COLUMN shape TEXT;
  CREATE INDEX runs_by_operation ON runs (operation, started_at)
  `,
  `
  ALTER TABLE strategies ADD COLUMN login TEXT
  `,
  `
  CREATE TABLE sites (
    site TEXT PRIMARY KEY,
    word TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT
  `,
]
