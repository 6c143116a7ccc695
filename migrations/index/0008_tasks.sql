-- Tasks become memories: a tenth type and two columns.
--
-- A CHECK cannot be altered, so `files` is built anew. DROP TABLE deletes its rows first, and the cascade empties every
-- child; foreign keys cannot be switched off inside the transaction that this file runs in. So the children are copied
-- out before and back after. The lexical index stays as it is: it points at `id`, and every id is kept.

CREATE TEMP TABLE kept_file_tags AS SELECT path, tag FROM main.file_tags;
CREATE TEMP TABLE kept_file_entities AS SELECT path, entity_type, entity_name, entity_key FROM main.file_entities;
CREATE TEMP TABLE kept_file_facets AS SELECT path, name, value, numeric_value FROM main.file_facets;
CREATE TEMP TABLE kept_file_citations AS SELECT path, text, href FROM main.file_citations;

CREATE TABLE files_widened (
  -- Full-text rowids and vector rows point here: `path` is the identity and moves, this never does.
  id              INTEGER PRIMARY KEY,
  path            TEXT NOT NULL UNIQUE,
  blob_sha        TEXT NOT NULL,
  content_hash    TEXT NOT NULL,
  memory_type     TEXT NOT NULL CHECK (memory_type IN (
                    'episodic', 'semantic', 'procedural', 'agent_insight', 'user_preference',
                    'error_pattern', 'verdict', 'precedent', 'arc', 'task')),
  title           TEXT NOT NULL,
  body_text       TEXT NOT NULL,
  gist            TEXT NOT NULL DEFAULT '',
  fts_text        TEXT NOT NULL DEFAULT '',
  disclosure_text TEXT NOT NULL DEFAULT '',
  para            TEXT NOT NULL CHECK (para IN ('projects', 'areas', 'resources', 'archive')),
  workspace       TEXT,
  confidence      REAL NOT NULL DEFAULT 1.0 CHECK (confidence BETWEEN 0.0 AND 1.0),
  importance      INTEGER NOT NULL DEFAULT 5 CHECK (importance BETWEEN 1 AND 10),
  archived        INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  origin_path     TEXT,
  word_count      INTEGER NOT NULL DEFAULT 0 CHECK (word_count >= 0),
  created_at      TEXT NOT NULL,
  updated_at      TEXT NOT NULL,
  event_at        TEXT,
  archived_at     TEXT,
  valid_from      TEXT,
  valid_until     TEXT,
  reprieves       INTEGER NOT NULL DEFAULT 0 CHECK (reprieves >= 0),
  needs_revision  INTEGER NOT NULL DEFAULT 0 CHECK (needs_revision IN (0, 1)),
  author          TEXT NOT NULL DEFAULT 'agent',
  session_id      TEXT,
  prompt_id       TEXT,
  turn_uuid       TEXT,
  task_status     TEXT CHECK (task_status IN ('todo', 'doing', 'blocked', 'done')),
  due_at          TEXT,
  frame_key       TEXT,
  indexed_at      TEXT NOT NULL,
  row_digest      TEXT NOT NULL
) STRICT;

INSERT INTO files_widened (
  id, path, blob_sha, content_hash, memory_type, title, body_text, gist, fts_text, disclosure_text, para, workspace,
  confidence, importance, archived, origin_path, word_count, created_at, updated_at, event_at, archived_at, valid_from,
  valid_until, reprieves, needs_revision, author, session_id, prompt_id, turn_uuid, frame_key, indexed_at, row_digest)
SELECT
  id, path, blob_sha, content_hash, memory_type, title, body_text, gist, fts_text, disclosure_text, para, workspace,
  confidence, importance, archived, origin_path, word_count, created_at, updated_at, event_at, archived_at, valid_from,
  valid_until, reprieves, needs_revision, author, session_id, prompt_id, turn_uuid, frame_key, indexed_at, row_digest
FROM files ORDER BY id;

DROP TABLE files;
ALTER TABLE files_widened RENAME TO files;

INSERT INTO file_tags (path, tag) SELECT path, tag FROM temp.kept_file_tags;
INSERT INTO file_entities (path, entity_type, entity_name, entity_key)
SELECT path, entity_type, entity_name, entity_key FROM temp.kept_file_entities;
INSERT INTO file_facets (path, name, value, numeric_value)
SELECT path, name, value, numeric_value FROM temp.kept_file_facets;
INSERT INTO file_citations (path, text, href) SELECT path, text, href FROM temp.kept_file_citations;

DROP TABLE temp.kept_file_tags;
DROP TABLE temp.kept_file_entities;
DROP TABLE temp.kept_file_facets;
DROP TABLE temp.kept_file_citations;

-- Two open tasks may say the same; two memories may not.
CREATE UNIQUE INDEX ix_files_content_hash_active ON files (content_hash)
WHERE archived = 0 AND memory_type <> 'task';
-- The way from a chunk to its files, archived ones too: the partial index above cannot serve it.
CREATE INDEX ix_files_content_hash ON files (content_hash);
CREATE INDEX ix_files_blob_sha ON files (blob_sha);
CREATE INDEX ix_files_memory_type ON files (memory_type) WHERE archived = 0;
CREATE INDEX ix_files_workspace ON files (workspace) WHERE archived = 0;
CREATE INDEX ix_files_para ON files (para);
CREATE INDEX ix_files_updated_at ON files (updated_at) WHERE archived = 0;
CREATE INDEX ix_files_event_at ON files (event_at) WHERE event_at IS NOT NULL;
CREATE INDEX ix_files_session_id ON files (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX ix_files_valid_until ON files (valid_until) WHERE valid_until IS NOT NULL AND archived = 0;
CREATE INDEX ix_files_origin_path ON files (origin_path) WHERE origin_path IS NOT NULL;
CREATE INDEX ix_files_task_status ON files (task_status) WHERE memory_type = 'task' AND archived = 0;
-- Not unique: two active memories of one claim slot are a finding, not an error. Tasks hold no slot.
CREATE INDEX ix_files_frame_key ON files (frame_key)
WHERE frame_key IS NOT NULL AND archived = 0 AND memory_type <> 'task';

-- DROP TABLE took the triggers along.

CREATE TRIGGER files_fts_insert AFTER INSERT ON files BEGIN
  INSERT INTO files_fts (rowid, fts_text) VALUES (new.id, new.fts_text);
END;

-- An external-content index is told the old words: it cannot look them up any more.
CREATE TRIGGER files_fts_delete AFTER DELETE ON files BEGIN
  INSERT INTO files_fts (files_fts, rowid, fts_text) VALUES ('delete', old.id, old.fts_text);
END;

-- An upsert names every column; only changed words touch the index.
CREATE TRIGGER files_fts_update AFTER UPDATE OF fts_text ON files WHEN old.fts_text <> new.fts_text BEGIN
  INSERT INTO files_fts (files_fts, rowid, fts_text) VALUES ('delete', old.id, old.fts_text);
  INSERT INTO files_fts (rowid, fts_text) VALUES (new.id, new.fts_text);
END;
