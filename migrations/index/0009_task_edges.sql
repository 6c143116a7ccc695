-- Relations between tasks: a fourth class with two rels. A CHECK cannot be altered, so `edges` is built anew.

CREATE TABLE edges_widened (
  src_path   TEXT NOT NULL,
  rel        TEXT NOT NULL,
  dst_path   TEXT NOT NULL,
  edge_class TEXT NOT NULL DEFAULT 'memory',
  derived    INTEGER NOT NULL DEFAULT 0 CHECK (derived IN (0, 1)),
  strength   REAL NOT NULL DEFAULT 1.0 CHECK (strength BETWEEN 0.0 AND 1.0),
  provenance TEXT NOT NULL DEFAULT 'authored' CHECK (provenance IN ('authored', 'sleep', 'import')),
  sleep_run  TEXT,
  src_hash   TEXT,
  dst_hash   TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (src_path, rel, dst_path),
  CHECK (src_path <> dst_path),
  CHECK (derived = 0 OR provenance = 'sleep'),
  CHECK (CASE edge_class
    WHEN 'memory' THEN rel IN ('supersedes', 'contradicts', 'caused_by', 'leads_to', 'part_of', 'relates_to',
                               'example_of', 'supports', 'laterally_related')
    WHEN 'person' THEN rel IN ('about_person', 'authored_by')
    WHEN 'provenance' THEN rel IN ('from_session')
    WHEN 'task' THEN rel IN ('blocks', 'subtask_of')
    ELSE 0 END)
) STRICT, WITHOUT ROWID;

INSERT INTO edges_widened (
  src_path, rel, dst_path, edge_class, derived, strength, provenance, sleep_run, src_hash, dst_hash, created_at)
SELECT
  src_path, rel, dst_path, edge_class, derived, strength, provenance, sleep_run, src_hash, dst_hash, created_at
FROM edges;

DROP TABLE edges;
ALTER TABLE edges_widened RENAME TO edges;

-- The primary key serves walks from a source, and a rel names its class. Each index here holds the whole key again, so
-- an index that no statement asks for would cost as much as the table.
CREATE INDEX ix_edges_dst_path_edge_class ON edges (dst_path, edge_class);
CREATE INDEX ix_edges_rel_derived ON edges (rel) WHERE derived = 1;
