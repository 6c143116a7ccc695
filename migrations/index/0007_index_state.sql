-- What the index describes, and what the next pass has to know of the ones before it.

CREATE TABLE index_state (
  id             INTEGER PRIMARY KEY CHECK (id = 1),
  -- The commit that the index has caught up with.
  head_sha       TEXT,
  -- The one vector space; NULL while nothing was embedded.
  embed_model    TEXT,
  embed_dim      INTEGER CHECK (embed_dim > 0),
  -- Fingerprint of the projection; another one means that every row is stale.
  projector      TEXT NOT NULL,
  -- Random; names this file to whatever is derived from it, together with vector_seq.
  index_id       TEXT NOT NULL,
  vector_seq     INTEGER NOT NULL DEFAULT 0 CHECK (vector_seq >= 0),
  committed_only INTEGER NOT NULL DEFAULT 0 CHECK (committed_only IN (0, 1)),
  rebuilt_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL,
  CHECK ((embed_model IS NULL) = (embed_dim IS NULL))
) STRICT;

-- The vectors that the configured space gave to fixed texts, to notice a model that changed behind its name.
CREATE TABLE probe_vectors (
  space   TEXT NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
  text    TEXT NOT NULL,
  vec     BLOB NOT NULL,
  PRIMARY KEY (space, ordinal)
) STRICT;

-- Files of the tree that became no row, and why; duplicates wait here for their group.
CREATE TABLE skipped_files (
  path         TEXT NOT NULL PRIMARY KEY,
  blob_sha     TEXT NOT NULL,
  code         TEXT NOT NULL,
  reason       TEXT NOT NULL,
  content_hash TEXT,
  created      TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX ix_skipped_files_content_hash ON skipped_files (content_hash) WHERE content_hash IS NOT NULL;

-- What earlier passes took from the working tree; a NULL blob is a deletion that no commit holds yet.
CREATE TABLE dirty_paths (
  path     TEXT NOT NULL PRIMARY KEY,
  blob_sha TEXT
) STRICT;

-- Moves that the state plane has not heard of: the two files share no transaction.
CREATE TABLE pending_moves (
  seq       INTEGER PRIMARY KEY AUTOINCREMENT,
  batch     INTEGER NOT NULL,
  from_path TEXT NOT NULL,
  to_path   TEXT NOT NULL
) STRICT;
