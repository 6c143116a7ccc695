-- The lexical index over one column: weighing fields against each other is the ranking's business.

CREATE VIRTUAL TABLE files_fts USING fts5 (
  fts_text,
  content = 'files',
  content_rowid = 'id',
  tokenize = 'porter unicode61 remove_diacritics 2'
);

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
