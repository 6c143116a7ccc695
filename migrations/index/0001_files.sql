-- One row a memory file, and what hangs from it. Every row is computed from a file of the tree.

CREATE TABLE files (
  -- Full-text rowids and vector rows point here: `path` is the identity and moves, this never does.
  id              INTEGER PRIMARY KEY,
  path            TEXT NOT NULL UNIQUE,
  blob_sha        TEXT NOT NULL,
  content_hash    TEXT NOT NULL,
  memory_type     TEXT NOT NULL CHECK (memory_type IN (
                    'episodic', 'semantic', 'procedural', 'agent_insight', 'user_preference',
                    'error_pattern', 'verdict', 'precedent', 'arc')),
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
  frame_key       TEXT,
  indexed_at      TEXT NOT NULL,
  row_digest      TEXT NOT NULL
) STRICT;

-- No two active memories say the same; archived copies may pile up.
CREATE UNIQUE INDEX ix_files_content_hash_active ON files (content_hash) WHERE archived = 0;
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
-- Not unique: two active memories of one claim slot are a finding, not an error.
CREATE INDEX ix_files_frame_key ON files (frame_key) WHERE frame_key IS NOT NULL AND archived = 0;

-- Children follow a moved path (ON UPDATE CASCADE): keys are checked at once, so without it no file could move.

CREATE TABLE file_tags (
  path TEXT NOT NULL REFERENCES files (path) ON DELETE CASCADE ON UPDATE CASCADE,
  tag  TEXT NOT NULL,
  PRIMARY KEY (path, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_file_tags_tag ON file_tags (tag);

CREATE TABLE file_entities (
  path        TEXT NOT NULL REFERENCES files (path) ON DELETE CASCADE ON UPDATE CASCADE,
  entity_type TEXT NOT NULL,
  entity_name TEXT NOT NULL,
  -- `type:name` with Unicode case folded, which SQL's own lower() cannot do.
  entity_key  TEXT NOT NULL,
  PRIMARY KEY (path, entity_type, entity_name)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_file_entities_entity_type_entity_name ON file_entities (entity_type, entity_name);
CREATE INDEX ix_file_entities_entity_key ON file_entities (entity_key);

CREATE TABLE file_facets (
  path          TEXT NOT NULL REFERENCES files (path) ON DELETE CASCADE ON UPDATE CASCADE,
  name          TEXT NOT NULL,
  value         TEXT NOT NULL,
  numeric_value REAL,
  PRIMARY KEY (path, name, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_file_facets_name ON file_facets (name);

CREATE TABLE file_citations (
  path TEXT NOT NULL REFERENCES files (path) ON DELETE CASCADE ON UPDATE CASCADE,
  text TEXT NOT NULL,
  href TEXT,
  PRIMARY KEY (path, text)
) STRICT, WITHOUT ROWID;
