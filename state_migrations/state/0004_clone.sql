-- Which clone these counts are of. A copied folder brings this row along, so it holds only where it was made.

CREATE TABLE clone (
  id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  clone_id TEXT NOT NULL,
  -- The real path of the store.
  bound_to TEXT NOT NULL
) STRICT;
