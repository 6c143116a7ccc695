-- What consolidation runs did, for reports; the commits' trailers are the record.

CREATE TABLE sleep_runs (
  run_id     TEXT NOT NULL PRIMARY KEY,
  branch     TEXT NOT NULL,
  base_sha   TEXT NOT NULL,
  head_sha   TEXT,
  status     TEXT NOT NULL CHECK (status IN ('running', 'review', 'merged', 'abandoned', 'failed')),
  started_at TEXT NOT NULL,
  ended_at   TEXT
) STRICT;

CREATE INDEX ix_sleep_runs_started_at ON sleep_runs (started_at);

CREATE TABLE sleep_phases (
  run_id      TEXT NOT NULL REFERENCES sleep_runs (run_id) ON DELETE CASCADE ON UPDATE CASCADE,
  phase       TEXT NOT NULL,
  ordinal     INTEGER NOT NULL CHECK (ordinal >= 1),
  status      TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'skipped')),
  commit_sha  TEXT,
  counts_json TEXT NOT NULL DEFAULT '{}',
  error       TEXT,
  llm_calls   INTEGER NOT NULL DEFAULT 0 CHECK (llm_calls >= 0),
  started_at  TEXT NOT NULL,
  ended_at    TEXT,
  PRIMARY KEY (run_id, phase)
) STRICT;
