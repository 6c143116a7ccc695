-- What a model proposed and how often it came back: nothing it proposes counts before it did so twice.

CREATE TABLE edge_corroboration (
  src_path   TEXT NOT NULL,
  rel        TEXT NOT NULL,
  dst_path   TEXT NOT NULL,
  detections INTEGER NOT NULL DEFAULT 1 CHECK (detections >= 1),
  confirmed  INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
  promoted   INTEGER NOT NULL DEFAULT 0 CHECK (promoted IN (0, 1)),
  updated_at TEXT NOT NULL,
  PRIMARY KEY (src_path, rel, dst_path)
) STRICT;

CREATE INDEX ix_edge_corroboration_dst_path ON edge_corroboration (dst_path);

-- Which name is the alias is part of the key: the other way round is another proposal.
CREATE TABLE entity_corroboration (
  entity_type    TEXT NOT NULL,
  alias_name     TEXT NOT NULL,
  canonical_name TEXT NOT NULL,
  detections     INTEGER NOT NULL DEFAULT 1 CHECK (detections >= 1),
  confirmed      INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
  promoted       INTEGER NOT NULL DEFAULT 0 CHECK (promoted IN (0, 1)),
  updated_at     TEXT NOT NULL,
  PRIMARY KEY (entity_type, alias_name, canonical_name)
) STRICT;

CREATE INDEX ix_entity_corroboration_entity_type_promoted ON entity_corroboration (entity_type, promoted);
