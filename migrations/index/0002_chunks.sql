-- Words and their vectors, keyed by what is said. No row here knows a path, so a move costs no embedding call.

CREATE TABLE chunks (
  chunk_id     TEXT NOT NULL PRIMARY KEY,
  content_hash TEXT NOT NULL,
  ordinal      INTEGER NOT NULL CHECK (ordinal >= 0),
  text         TEXT NOT NULL,
  char_count   INTEGER NOT NULL CHECK (char_count >= 0),
  UNIQUE (content_hash, ordinal)
) STRICT;

CREATE TABLE embeddings (
  chunk_id   TEXT NOT NULL PRIMARY KEY REFERENCES chunks (chunk_id) ON DELETE CASCADE,
  model      TEXT NOT NULL,
  dim        INTEGER NOT NULL CHECK (dim > 0),
  vec        BLOB NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX ix_embeddings_model ON embeddings (model);

-- Asked before any call to a model; outlives the chunks, so that a revert finds its vectors again.
CREATE TABLE embedding_cache (
  space        TEXT NOT NULL,
  text_hash    TEXT NOT NULL,
  dim          INTEGER NOT NULL CHECK (dim > 0),
  vec          BLOB NOT NULL,
  last_used_at TEXT NOT NULL,
  PRIMARY KEY (space, text_hash)
) STRICT;

CREATE INDEX ix_embedding_cache_last_used_at ON embedding_cache (last_used_at);
