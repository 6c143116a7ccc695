-- Who opened what, and how it turned out: no file records it. Paths have no foreign key; the index is another file.

CREATE TABLE access (
  path                TEXT NOT NULL PRIMARY KEY,
  -- Finds a memory again whose path vanished.
  content_hash        TEXT,
  access_count        INTEGER NOT NULL DEFAULT 0 CHECK (access_count >= 0),
  reinforcement_count INTEGER NOT NULL DEFAULT 0 CHECK (reinforcement_count >= 0),
  outcome_score       REAL NOT NULL DEFAULT 0.0 CHECK (outcome_score BETWEEN -1.0 AND 1.0),
  last_accessed_at    TEXT,
  last_reinforced_at  TEXT,
  updated_at          TEXT NOT NULL
) STRICT;

CREATE INDEX ix_access_last_accessed_at ON access (last_accessed_at);
CREATE INDEX ix_access_content_hash ON access (content_hash) WHERE content_hash IS NOT NULL;

-- The counts of the other clones: each replaced as a whole at import, summed when read.
CREATE TABLE access_remote (
  clone_id            TEXT NOT NULL,
  path                TEXT NOT NULL,
  content_hash        TEXT,
  access_count        INTEGER NOT NULL DEFAULT 0 CHECK (access_count >= 0),
  reinforcement_count INTEGER NOT NULL DEFAULT 0 CHECK (reinforcement_count >= 0),
  outcome_score       REAL NOT NULL DEFAULT 0.0 CHECK (outcome_score BETWEEN -1.0 AND 1.0),
  last_accessed_at    TEXT,
  last_reinforced_at  TEXT,
  updated_at          TEXT NOT NULL,
  PRIMARY KEY (clone_id, path)
) STRICT;

CREATE INDEX ix_access_remote_path ON access_remote (path);

-- The last move that each index file told us of; telling it twice changes nothing.
CREATE TABLE applied_moves (
  index_id TEXT NOT NULL PRIMARY KEY,
  seq      INTEGER NOT NULL CHECK (seq >= 0)
) STRICT;
