"""Findings about the index: held against the tree, against its own digests, and against SQLite's checks."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from builders import memory, plant
from embedders import HashingEmbedder
from integration.doctor.stores import (
    KETTLE,
    PROBE,
    change_index,
    codes,
    commit,
    examine,
    good_store,
    indexed,
    only,
    store_of,
)

from memhtml.app import indexing
from memhtml.doctor.findings import FindingCode, Severity
from memhtml.index.folder import IndexFolder, held

X = "areas/inbox/x.html"


@pytest.fixture
def store(repo: Path) -> Path:
    """A good store with an index that has caught up."""
    return indexed(good_store(repo))


def test_an_index_that_keeps_step_with_a_good_tree_has_nothing_wrong(store: Path) -> None:
    report = examine(store)
    assert report.findings == ()
    assert report.healthy
    assert report.index_fresh is True
    assert report.index_head_sha == report.head_sha


def test_skipped_files_and_duplicates_are_no_difference_between_index_and_tree(repo: Path) -> None:
    twin = memory("The kettle boils at 94 degrees.", created="2026-04-01T00:00:00Z")
    root = indexed(good_store(repo, {X: twin, "areas/broken.html": b"<p>"}))
    assert not [code for code in codes(examine(root)) if code.startswith(("INDEX", "CHUNKS", "FTS"))]


def test_uncommitted_work_that_was_indexed_is_no_difference_either(store: Path) -> None:
    plant(store, {X: memory("Not yet committed.")})
    (store / KETTLE).unlink()
    indexing.update(store_of(store))
    assert codes(examine(store)) == ["TREE_DIRTY", "LINK_DANGLING"]


def test_an_index_of_another_commit_is_stale_and_stays_so(store: Path) -> None:
    commit(store, {X: memory("New.")})
    before = (store / ".memhtml/index.db").read_bytes()
    report = examine(store)
    assert only(report, FindingCode.INDEX_STALE).severity is Severity.WARNING
    assert report.index_fresh is False
    assert not report.healthy
    assert (store / ".memhtml/index.db").read_bytes() == before


def test_an_index_of_another_projection_is_stale(store: Path) -> None:
    change_index(store, "UPDATE index_state SET projector = 'rows 0'")
    assert "projected" in only(examine(store), FindingCode.INDEX_STALE).message


def test_an_edit_that_was_not_indexed_yet_is_a_note(store: Path) -> None:
    plant(store, {X: memory("Not yet indexed.")})
    report = examine(store)
    assert codes(report) == ["INDEX_BEHIND_TREE", "TREE_DIRTY"]
    assert report.healthy
    assert report.dirty == (X,)


def test_head_alone_is_judged_where_that_is_asked_for(store: Path) -> None:
    plant(store, {X: b"<p>"})
    assert "FORMAT_VIOLATION" in codes(examine(store))
    report = examine(store, committed=True)
    assert codes(report) == []
    assert report.dirty == ()
    assert report.committed_only


@pytest.mark.parametrize(
    ("statement", "path"),
    [
        (f"UPDATE files SET title = 'Other' WHERE path = '{PROBE}'", PROBE),
        (f"UPDATE files SET row_digest = 'x' WHERE path = '{KETTLE}'", KETTLE),
        (f"DELETE FROM file_tags WHERE path = '{KETTLE}'", KETTLE),
        (f"DELETE FROM edges WHERE src_path = '{PROBE}' AND rel = 'relates_to'", PROBE),
        (f"INSERT INTO file_entities VALUES ('{PROBE}', 'a', 'b', 'a:b')", PROBE),
    ],
)
def test_a_row_that_was_changed_is_found_by_its_file(store: Path, statement: str, path: str) -> None:
    change_index(store, statement)
    found = only(examine(store), FindingCode.INDEX_ROWS_WRONG)
    assert (found.path, found.severity) == (path, Severity.ERROR)


@pytest.mark.parametrize(
    "change",
    [
        "file_entities SET entity_key = 'device:other'",
        "edges SET src_hash = 'x'",
        "edges SET src_hash = NULL",
        "edges SET dst_hash = 'x'",
        "edges SET created_at = '2020-01-01T00:00:00Z'",
        "edges SET strength = 0.5",
        "edges SET provenance = 'import'",
        "edges SET sleep_run = 'sleep/2026-01-01'",
    ],
)
def test_a_column_that_does_not_say_what_it_follows_from_is_found(repo: Path, change: str) -> None:
    linked = memory("Both are said.", metas=[("entity", "Device:Probe")], links=[("part_of", f"/{KETTLE}")])
    root = indexed(good_store(repo, {X: linked}))
    column = "path" if change.startswith("file_entities") else "src_path"
    change_index(root, f"UPDATE {change} WHERE {column} = '{X}'")
    found = only(examine(root), FindingCode.INDEX_ROWS_WRONG)
    assert (found.path, found.severity) == (X, Severity.ERROR)


def test_a_mined_link_is_no_wrong_row(repo: Path) -> None:
    root = indexed(good_store(repo))
    mined = f"'{KETTLE}', 'supports', '{PROBE}', 'memory', 1, 0.5, 'sleep', 'run', 'a', 'b', '2026-01-01'"
    change_index(root, f"INSERT INTO edges VALUES ({mined})")
    assert examine(root).findings == ()


def test_a_row_that_is_gone_and_one_of_no_file_are_found(store: Path) -> None:
    change_index(
        store,
        "PRAGMA foreign_keys = ON",
        f"DELETE FROM files WHERE path = '{KETTLE}'",
        f"UPDATE files SET path = 'areas/ghost.html' WHERE path = '{PROBE}'",
    )
    wrong = {(f.path, f.message) for f in examine(store).findings if f.code is FindingCode.INDEX_ROWS_WRONG}
    assert {
        (KETTLE, "the memory has no row"),
        (PROBE, "the memory has no row"),
        ("areas/ghost.html", "a row stands for what is no memory"),
    } <= wrong


def test_a_row_of_other_bytes_is_found_although_its_own_digest_fits(store: Path) -> None:
    other = "e" * 40
    change_index(store, f"UPDATE files SET blob_sha = '{other}' WHERE path = '{KETTLE}'")
    from memhtml.index.digest import recomputed_digests

    with sqlite3.connect(store / ".memhtml/index.db") as connection:
        for path, digest in list(recomputed_digests(connection)):
            connection.execute("UPDATE files SET row_digest = ? WHERE path = ?", (digest, path))
    connection.close()
    found = only(examine(store), FindingCode.INDEX_ROWS_WRONG)
    assert (found.path, found.message) == (KETTLE, "the row is of other bytes than the file")


def test_a_forgotten_reason_is_found(repo: Path) -> None:
    root = indexed(good_store(repo, {"areas/broken.html": b"<p>"}))
    change_index(root, "DELETE FROM skipped_files")
    found = next(f for f in examine(root).findings if f.code is FindingCode.INDEX_ROWS_WRONG)
    assert found.path == "areas/broken.html"


def test_many_wrong_rows_are_counted_after_the_first_fifty(repo: Path) -> None:
    extra = {f"areas/many/m{n}.html": memory(f"Claim {n} holds.") for n in range(60)}
    root = indexed(good_store(repo, extra))
    change_index(root, "UPDATE files SET row_digest = 'x' WHERE path LIKE 'areas/many/%'")
    wrong = [f for f in examine(root).findings if f.code is FindingCode.INDEX_ROWS_WRONG]
    assert len(wrong) == 51
    assert any(f.path is None and f.message.startswith("10 more: ") for f in wrong)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chunks SET text = 'x' WHERE chunk_id = (SELECT min(chunk_id) FROM chunks)",
        "DELETE FROM chunks WHERE chunk_id = (SELECT max(chunk_id) FROM chunks)",
        "INSERT INTO chunks VALUES ('x', 'blake3:zz', 0, 'nobody says this', 16)",
        "INSERT INTO chunks VALUES ('x', 'aaa', 0, 'nobody says this', 16)",
        "INSERT INTO chunks SELECT 'x', content_hash, 7, 'more', 4 FROM chunks LIMIT 1",
    ],
)
def test_chunks_that_are_not_those_of_the_words_are_found(store: Path, statement: str) -> None:
    change_index(store, statement)
    assert only(examine(store), FindingCode.CHUNKS_WRONG).severity is Severity.ERROR


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO files_fts (files_fts, rowid, fts_text) SELECT 'delete', id, fts_text FROM files LIMIT 1",
        "INSERT INTO files_fts (rowid, fts_text) VALUES (999, 'phantom')",
        "DELETE FROM files_fts_docsize WHERE id = (SELECT min(id) FROM files)",
        "UPDATE files_fts_data SET block = x'00' WHERE id = (SELECT max(id) FROM files_fts_data)",
        "INSERT INTO traces_fts (rowid, search_text) VALUES (1, 'phantom')",
    ],
)
def test_a_full_text_index_that_misses_words_is_found_without_a_write(store: Path, statement: str) -> None:
    change_index(store, statement)
    before = (store / ".memhtml/index.db").read_bytes()
    found = only(examine(store), FindingCode.FTS_DAMAGED)
    assert found.severity is Severity.ERROR
    assert found.subject in statement
    assert (store / ".memhtml/index.db").read_bytes() == before


def test_a_trigger_that_is_gone_is_drift_of_the_schema(store: Path) -> None:
    change_index(store, "DROP TRIGGER files_fts_update")
    assert "files_fts_update" in only(examine(store), FindingCode.LEDGER_DRIFT).message


def test_an_index_of_another_history_of_migrations_is_drift(store: Path) -> None:
    change_index(store, "UPDATE schema_migrations SET sha256 = 'x' WHERE name LIKE '0001%'")
    report = examine(store)
    assert only(report, FindingCode.LEDGER_DRIFT).severity is Severity.ERROR
    assert report.index_fresh is None


def test_an_index_of_an_older_schema_is_stale(store: Path) -> None:
    change_index(
        store, "DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)"
    )
    assert only(examine(store), FindingCode.INDEX_STALE).severity is Severity.WARNING


@pytest.mark.parametrize("database", ["index", "state"])
def test_a_database_of_a_newer_memhtml_is_left_alone(store: Path, database: str) -> None:
    _state(store)
    change_index(
        store,
        "INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', '2030-01-01T00:00:00Z')",
        database=f"{database}.db",
    )
    found = only(examine(store), FindingCode.SCHEMA_TOO_NEW)
    assert (found.subject, found.severity) == (database, Severity.ERROR)


@pytest.mark.parametrize("data", [b"no database at all", b"SQLite format 3\x00" + b"\xff" * 8000])
def test_a_file_that_is_no_database_is_damage(store: Path, data: bytes) -> None:
    for name in ("index.db-wal", "index.db-shm"):
        (store / ".memhtml" / name).unlink(missing_ok=True)
    (store / ".memhtml/index.db").write_bytes(data)
    assert only(examine(store), FindingCode.INDEX_DAMAGED).severity is Severity.ERROR


def test_a_page_that_was_overwritten_is_damage(repo: Path) -> None:
    root = indexed(good_store(repo, {f"areas/m{n}.html": memory(f"Claim {n} holds.") for n in range(200)}))
    path = root / ".memhtml/index.db"
    with sqlite3.connect(path) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'ix_files_updated_at'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = b"\xaa" * size
    path.write_bytes(bytes(data))
    assert "INDEX_DAMAGED" in codes(examine(root))


def test_pages_that_can_be_read_and_belong_to_nothing_are_damage(store: Path) -> None:
    change_index(
        store, "PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE name = 'ix_files_para'"
    )
    damage = [f for f in examine(store).findings if f.code is FindingCode.INDEX_DAMAGED]
    assert [f.message for f in damage] == ["the pages of index.db contradict each other in 1 place"]


def test_a_watermark_that_cannot_be_read_is_damage(store: Path) -> None:
    change_index(
        store,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'index_state'",
    )
    change_index(store, "UPDATE index_state SET vector_seq = 'many'")
    assert "INDEX_DAMAGED" in codes(examine(store))


def test_an_index_without_a_first_pass_is_missing(store: Path) -> None:
    change_index(store, "DELETE FROM index_state")
    (found,) = examine(store).findings
    assert found.code is FindingCode.INDEX_MISSING


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ("pending_moves", "pending moves"),
        ("file_facets", "the index's rows"),
        ("chunks", "chunks"),
        ("embeddings", "vectors"),
        ("dirty_paths", "the index's age"),
        ("skipped_files", "the index against the tree"),
    ],
)
def test_a_check_that_fails_is_an_error_and_the_others_are_made(store: Path, table: str, what: str) -> None:
    change_index(store, "PRAGMA foreign_keys = OFF", f"DROP TABLE {table}")
    report = examine(store)
    failed = [f.subject for f in report.findings if f.code is FindingCode.CHECK_FAILED]
    assert what in failed
    assert "LEDGER_DRIFT" in codes(report)
    assert not report.passed


def test_a_running_pass_is_a_note(store: Path) -> None:
    with held(IndexFolder(store).pass_lock):
        report = examine(store)
    assert only(report, FindingCode.LOCK_HELD).severity is Severity.INFO
    assert examine(store).findings == ()


def test_a_lock_file_that_nobody_holds_is_no_finding(store: Path) -> None:
    (store / ".memhtml/pass.lock").touch()
    assert examine(store).findings == ()


def test_vectors_of_the_configured_space_are_no_finding(repo: Path) -> None:
    embedder = HashingEmbedder()
    report = examine(indexed(good_store(repo), embedder), embedder)
    assert report.findings == ()
    assert report.embed_model_matches is True
    assert report.stored_embed_model == report.configured_embed_model == embedder.space.identity


def test_vectors_of_another_space_are_a_mismatch(repo: Path) -> None:
    report = examine(indexed(good_store(repo), HashingEmbedder()), HashingEmbedder("other-test"))
    assert only(report, FindingCode.EMBED_MISMATCH).severity is Severity.ERROR
    assert report.embed_model_matches is False


def test_an_embedder_that_is_merely_absent_is_a_note(repo: Path) -> None:
    report = examine(indexed(good_store(repo), HashingEmbedder()))
    found = only(report, FindingCode.EMBEDDER_ABSENT)
    assert found.severity is Severity.INFO
    assert found.message == "the store uses hashing-test@32, and here no embedder is configured"
    assert report.embed_model_matches is True


def test_chunks_without_a_vector_are_a_note(repo: Path) -> None:
    root, embedder = indexed(good_store(repo), HashingEmbedder()), HashingEmbedder()
    change_index(root, "DELETE FROM embeddings WHERE chunk_id = (SELECT min(chunk_id) FROM embeddings)")
    found = only(examine(root, embedder), FindingCode.EMBED_INCOMPLETE)
    assert (found.severity, found.message) == (Severity.INFO, "1 text has no vector yet")


@pytest.mark.parametrize("statement", ["SET vec = x'00000000'", "SET model = 'stranger'", "SET dim = 7"])
def test_a_vector_of_another_shape_or_space_is_an_error(repo: Path, statement: str) -> None:
    root, embedder = indexed(good_store(repo), HashingEmbedder()), HashingEmbedder()
    change_index(
        root, f"UPDATE embeddings {statement} WHERE chunk_id = (SELECT min(chunk_id) FROM embeddings)"
    )
    assert "VECTORS_WRONG" in codes(examine(root, embedder))


def _state(root: Path, *accessed: str) -> None:
    from memhtml.db.open import attach_state
    from memhtml.resources import migrations
    from memhtml.values import Instant, Plane

    connection = sqlite3.connect(":memory:", isolation_level=None, uri=True)
    attach_state(
        connection,
        root / ".memhtml/state.db",
        mode="write",
        migrations=migrations(Plane.STATE),
        now=Instant("2026-06-01T12:00:00Z"),
    )
    for path in accessed:
        connection.execute(
            "INSERT INTO state.access (path, updated_at) VALUES (?, '2026-06-01T12:00:00Z')", (path,)
        )
    connection.close()


def test_counted_reads_of_a_file_that_is_there_are_no_finding(store: Path) -> None:
    _state(store, PROBE, KETTLE)
    report = examine(store)
    assert report.findings == ()
    assert report.orphan_access_rows == ()


def test_counted_reads_of_no_file_are_orphans_with_and_without_an_index(store: Path) -> None:
    _state(store, PROBE, "areas/typo.html")
    for _ in range(2):
        report = examine(store)
        assert [f.subject for f in report.findings if f.code is FindingCode.STATE_ORPHAN] == [
            "areas/typo.html"
        ]
        assert report.orphan_access_rows == ("areas/typo.html",)
        for name in ("index.db", "index.db-wal", "index.db-shm"):
            (store / ".memhtml" / name).unlink(missing_ok=True)


def test_a_move_that_the_state_plane_has_not_heard_of_makes_no_orphan(store: Path) -> None:
    _state(store, "areas/was.html", "areas/never.html")
    change_index(
        store,
        "INSERT INTO pending_moves (batch, from_path, to_path) VALUES (1, 'areas/was.html', 'areas/then.html')",
        f"INSERT INTO pending_moves (batch, from_path, to_path) VALUES (2, 'areas/then.html', '{KETTLE}')",
    )
    assert examine(store).orphan_access_rows == ("areas/never.html",)


def test_a_state_plane_that_is_no_database_is_damage_and_is_left_alone(store: Path) -> None:
    (store / ".memhtml/state.db").write_bytes(b"no database at all")
    assert only(examine(store), FindingCode.STATE_DAMAGED).severity is Severity.ERROR
    assert (store / ".memhtml/state.db").read_bytes() == b"no database at all"


def test_a_state_plane_whose_schema_was_changed_is_drift(store: Path) -> None:
    _state(store)
    change_index(store, "DROP INDEX ix_access_content_hash", database="state.db")
    assert only(examine(store), FindingCode.LEDGER_DRIFT).subject == "state"


def test_an_index_that_was_deleted_loses_only_the_checks_of_the_index(store: Path) -> None:
    shutil.rmtree(store / ".memhtml")
    (found,) = examine(store).findings
    assert found.code is FindingCode.INDEX_MISSING
