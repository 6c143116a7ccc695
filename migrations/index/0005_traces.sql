-- Pointers into transcripts: where a session is and the heads of its prompts, never its text. Rebuilding memories leaves them alone.

CREATE TABLE traces (
  id           INTEGER PRIMARY KEY,
  session_id   TEXT NOT NULL UNIQUE,
  slug         TEXT NOT NULL,
  cwd          TEXT,
  git_branch   TEXT,
  entrypoint   TEXT,
  model        TEXT,
  version      TEXT,
  started_at   TEXT,
  ended_at     TEXT,
  prompt_count INTEGER NOT NULL DEFAULT 0 CHECK (prompt_count >= 0),
  turn_count   INTEGER NOT NULL DEFAULT 0 CHECK (turn_count >= 0),
  agent_count  INTEGER NOT NULL DEFAULT 0 CHECK (agent_count >= 0),
  first_prompt TEXT NOT NULL DEFAULT '',
  ai_title     TEXT,
  file_path    TEXT NOT NULL,
  file_size    INTEGER NOT NULL CHECK (file_size >= 0),
  file_mtime   TEXT NOT NULL,
  search_text  TEXT NOT NULL DEFAULT '',
  indexed_at   TEXT NOT NULL
) STRICT;

CREATE INDEX ix_traces_slug ON traces (slug);
CREATE INDEX ix_traces_cwd ON traces (cwd);
CREATE INDEX ix_traces_started_at ON traces (started_at);
CREATE INDEX ix_traces_file_mtime ON traces (file_mtime);

CREATE TABLE trace_prompts (
  session_id TEXT NOT NULL REFERENCES traces (session_id) ON DELETE CASCADE,
  prompt_id  TEXT NOT NULL,
  turn_uuid  TEXT NOT NULL,
  ordinal    INTEGER NOT NULL CHECK (ordinal >= 0),
  at         TEXT NOT NULL,
  agent_id   TEXT,
  text_head  TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (session_id, prompt_id)
) STRICT;

CREATE INDEX ix_trace_prompts_session_id_turn_uuid ON trace_prompts (session_id, turn_uuid);

CREATE TABLE trace_watermarks (
  file_path  TEXT NOT NULL PRIMARY KEY,
  size       INTEGER NOT NULL CHECK (size >= 0),
  mtime      TEXT NOT NULL,
  byte_off   INTEGER NOT NULL DEFAULT 0 CHECK (byte_off >= 0),
  scanned_at TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE traces_fts USING fts5 (
  search_text,
  content = 'traces',
  content_rowid = 'id',
  tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER traces_fts_insert AFTER INSERT ON traces BEGIN
  INSERT INTO traces_fts (rowid, search_text) VALUES (new.id, new.search_text);
END;

CREATE TRIGGER traces_fts_delete AFTER DELETE ON traces BEGIN
  INSERT INTO traces_fts (traces_fts, rowid, search_text) VALUES ('delete', old.id, old.search_text);
END;

CREATE TRIGGER traces_fts_update AFTER UPDATE OF search_text ON traces WHEN old.search_text <> new.search_text BEGIN
  INSERT INTO traces_fts (traces_fts, rowid, search_text) VALUES ('delete', old.id, old.search_text);
  INSERT INTO traces_fts (rowid, search_text) VALUES (new.id, new.search_text);
END;
