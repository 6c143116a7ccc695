-- Facts of a moment that neither git nor a transcript gives back.

CREATE TABLE memory_session_links (
  path       TEXT NOT NULL,
  session_id TEXT NOT NULL,
  prompt_id  TEXT,
  turn_uuid  TEXT,
  link_kind  TEXT NOT NULL CHECK (link_kind IN ('wrote', 'read', 'corrected', 'reinforced')),
  at         TEXT NOT NULL,
  PRIMARY KEY (path, session_id, link_kind, at)
) STRICT;

CREATE INDEX ix_memory_session_links_session_id ON memory_session_links (session_id);

-- Sessions that a model has already distilled: work that was paid for.
CREATE TABLE trace_consolidations (
  session_id      TEXT NOT NULL PRIMARY KEY,
  run_id          TEXT NOT NULL,
  consolidated_at TEXT NOT NULL
) STRICT;

CREATE INDEX ix_trace_consolidations_run_id ON trace_consolidations (run_id);
