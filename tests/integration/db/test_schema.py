"""What the tables accept and refuse."""

import sqlite3
from pathlib import Path

import pytest
from databases import NOW, Opener, schema

from memhtml import resources
from memhtml.db.open import attach_state
from memhtml.format.rows import FileRow
from memhtml.values import EDGE_CLASS, Bucket, EdgeClass, EdgeRel, MemoryType, Plane, TaskStatus


@pytest.fixture
def index(opened: Opener) -> sqlite3.Connection:
    return opened()


@pytest.fixture
def both(index: sqlite3.Connection, tmp_path: Path) -> sqlite3.Connection:
    attach_state(
        index, tmp_path / "state.db", mode="write", migrations=resources.migrations(Plane.STATE), now=NOW
    )
    return index


def add(connection: sqlite3.Connection, path: str, **columns: object) -> None:
    row = {
        "path": path,
        "blob_sha": "b",
        "content_hash": f"blake3:{path}",
        "memory_type": "semantic",
        "title": "T",
        "body_text": "B",
        "fts_text": f"words of {path}",
        "para": "areas",
        "created_at": NOW,
        "updated_at": NOW,
        "indexed_at": NOW,
        "row_digest": "d",
        **columns,
    }
    names = ", ".join(row)
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO files ({names}) VALUES ({marks})", tuple(row.values()))


def refused(connection: sqlite3.Connection, sql: str, *values: object) -> bool:
    try:
        connection.execute(sql, values)
    except sqlite3.IntegrityError:
        return True
    return False


def add_refused(connection: sqlite3.Connection, path: str, **columns: object) -> bool:
    try:
        add(connection, path, **columns)
    except sqlite3.IntegrityError:
        return True
    return False


def link(
    src: str, rel: str, dst: str, class_: str, *, derived: int = 0, provenance: str = "authored"
) -> tuple[str, ...]:
    return (
        "INSERT INTO edges (src_path, rel, dst_path, edge_class, derived, provenance, created_at)"
        f" VALUES (?, ?, ?, ?, {derived}, ?, '')",
        src,
        rel,
        dst,
        class_,
        provenance,
    )


def test_files_hold_the_projected_columns_in_their_order(index: sqlite3.Connection) -> None:
    names = [row[1] for row in index.execute("PRAGMA table_info(files)")]
    assert names == ["id", *FileRow._fields, "indexed_at", "row_digest"]


def test_every_index_is_named_after_its_table(both: sqlite3.Connection) -> None:
    for database in ("main", "state"):
        named = both.execute(
            f"SELECT name, tbl_name FROM {database}.sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        )
        for name, table in named:
            assert name.startswith(f"ix_{table}_")


def test_two_active_memories_cannot_say_the_same(index: sqlite3.Connection) -> None:
    add(index, "areas/a.html", content_hash="h")
    assert add_refused(index, "areas/b.html", content_hash="h")
    index.execute("UPDATE files SET archived = 1, para = 'archive' WHERE path = 'areas/a.html'")
    assert not add_refused(index, "areas/b.html", content_hash="h")
    assert not add_refused(index, "archive/c.html", content_hash="h", archived=1)


def test_tasks_may_repeat_each_other_and_a_memory(index: sqlite3.Connection) -> None:
    add(index, "areas/a.html", content_hash="h", memory_type="task", task_status="todo")
    assert not add_refused(index, "areas/b.html", content_hash="h", memory_type="task", task_status="done")
    assert not add_refused(index, "areas/c.html", content_hash="h")
    assert add_refused(index, "areas/d.html", content_hash="h")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("memory_type", "person"),
        ("task_status", "later"),
        ("para", "inbox"),
        ("confidence", 1.2),
        ("confidence", -0.1),
        ("importance", 0),
        ("importance", 11),
        ("importance", "high"),
        ("archived", 2),
        ("reprieves", -1),
        ("needs_revision", 2),
        ("title", None),
        ("word_count", 1.5),
    ],
)
def test_a_value_outside_its_set_is_refused(index: sqlite3.Connection, column: str, value: object) -> None:
    assert add_refused(index, "areas/a.html", **{column: value})


def test_every_word_of_the_vocabulary_is_accepted(index: sqlite3.Connection) -> None:
    for type_ in MemoryType:
        add(index, f"areas/{type_}.html", memory_type=type_)
    for status in (*TaskStatus, None):
        add(index, f"areas/task-{status}.html", memory_type="task", task_status=status)
    for bucket in Bucket:
        add(index, f"{bucket}/a.html", para=bucket)


def test_a_deleted_file_takes_its_children_and_leaves_vectors(index: sqlite3.Connection) -> None:
    add(index, "areas/a.html", content_hash="h")
    children(index, "areas/a.html")
    index.execute("DELETE FROM files")
    for table in ("file_tags", "file_entities", "file_facets", "file_citations"):
        assert index.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert index.execute("SELECT count(*) FROM embeddings").fetchone() == (1,)
    index.execute("DELETE FROM chunks")
    assert index.execute("SELECT count(*) FROM embeddings").fetchone() == (0,)


def test_a_moved_file_keeps_its_id_children_words_and_vectors(index: sqlite3.Connection) -> None:
    add(index, "areas/a.html", content_hash="h", fts_text="sesame")
    children(index, "areas/a.html")
    before = index.execute("SELECT id FROM files").fetchall()
    index.execute("UPDATE files SET path = 'archive/2026/a.html', para = 'archive', archived = 1")
    for table in ("file_tags", "file_entities", "file_facets", "file_citations"):
        assert index.execute(f"SELECT path FROM {table}").fetchall() == [("archive/2026/a.html",)]
    assert index.execute("SELECT id FROM files").fetchall() == before
    assert index.execute("SELECT rowid FROM files_fts WHERE files_fts MATCH 'sesame'").fetchall() == before
    assert index.execute("SELECT count(*) FROM embeddings").fetchone() == (1,)


def children(index: sqlite3.Connection, path: str) -> None:
    index.execute("INSERT INTO file_tags VALUES (?, 'tag')", (path,))
    index.execute("INSERT INTO file_entities VALUES (?, 'Service', 'API', 'service:api')", (path,))
    index.execute("INSERT INTO file_facets VALUES (?, 'port', '8443', 8443.0)", (path,))
    index.execute("INSERT INTO file_citations VALUES (?, 'said', NULL)", (path,))
    index.execute("INSERT INTO chunks VALUES ('c', 'h', 0, 'text', 4)")
    index.execute("INSERT INTO embeddings VALUES ('c', 'm@1', 1, x'00000000', '')")


def test_an_upsert_of_unchanged_words_leaves_the_full_text_index_alone(index: sqlite3.Connection) -> None:
    add(index, "areas/a.html", fts_text="sesame")
    before = index.execute("SELECT * FROM files_fts_data ORDER BY id").fetchall()
    index.execute("UPDATE files SET fts_text = fts_text, title = 'another'")
    assert index.execute("SELECT * FROM files_fts_data ORDER BY id").fetchall() == before
    index.execute("UPDATE files SET fts_text = 'barley'")
    assert index.execute("SELECT count(*) FROM files_fts WHERE files_fts MATCH 'sesame'").fetchone() == (0,)
    assert index.execute("SELECT count(*) FROM files_fts WHERE files_fts MATCH 'barley'").fetchone() == (1,)


def test_words_are_found_without_their_endings_and_marks(index: sqlite3.Connection) -> None:
    add(index, "areas/a.html", fts_text="Deploying the café proxies")
    for query in ("deploy", "deployed", "CAFE", "proxy"):
        hits = index.execute("SELECT count(*) FROM files_fts WHERE files_fts MATCH ?", (query,)).fetchone()
        assert hits == (1,), query


def test_two_memories_may_share_a_claim_slot(index: sqlite3.Connection) -> None:
    add(index, "areas/a.html", frame_key="the port is")
    add(index, "areas/b.html", frame_key="the port is")
    slot = {name: sql for _, name, _, sql in schema(index)}["ix_files_frame_key"]
    assert slot is not None
    assert "UNIQUE" not in slot
    assert slot.endswith("WHERE frame_key IS NOT NULL AND archived = 0 AND memory_type <> 'task'")


@pytest.mark.parametrize("rel", list(EdgeRel))
@pytest.mark.parametrize("class_", list(EdgeClass))
def test_a_rel_belongs_to_its_class_only(index: sqlite3.Connection, rel: EdgeRel, class_: EdgeClass) -> None:
    assert refused(index, *link("areas/a.html", rel, "areas/b.html", class_)) is (
        EDGE_CLASS[rel] is not class_
    )


def test_an_edge_may_dangle_but_not_loop_nor_be_derived_by_hand(index: sqlite3.Connection) -> None:
    assert not refused(index, *link("areas/a.html", "supports", "areas/nowhere.html", "memory"))
    assert refused(index, *link("areas/a.html", "supports", "areas/a.html", "memory"))
    assert refused(index, *link("areas/a.html", "supports", "areas/c.html", "memory", derived=1))
    assert not refused(
        index, *link("areas/a.html", "supports", "areas/c.html", "memory", derived=1, provenance="sleep")
    )
    assert refused(index, *link("areas/a.html", "supports", "areas/d.html", "unheard-of"))
    assert refused(index, *link("areas/a.html", "supports", "areas/d.html", "memory", provenance="guess"))


STATE_ROW = (
    "INSERT INTO index_state (id, embed_model, embed_dim, projector, index_id, rebuilt_at, updated_at)"
    " VALUES (?, ?, ?, 'p', 'i', '', '')"
)


def test_the_index_describes_one_state(index: sqlite3.Connection) -> None:
    assert not refused(index, STATE_ROW, 1, None, None)
    assert refused(index, STATE_ROW, 2, None, None)


@pytest.mark.parametrize(
    ("model", "dim", "accepted"),
    [
        ("m@1024", 1024, True),
        ("m@1024", "1024", True),
        ("m@1024", "1024px", False),
        ("m@1024", 12.5, False),
        ("m@1024", 0, False),
        ("m@1024", None, False),
        (None, 1024, False),
    ],
)
def test_a_vector_space_has_a_whole_dimension(
    index: sqlite3.Connection, model: str | None, dim: object, accepted: bool
) -> None:
    assert refused(index, STATE_ROW, 1, model, dim) is not accepted
    if accepted:
        assert index.execute("SELECT embed_dim FROM index_state").fetchone() == (1024,)


def test_access_counts_stay_in_bounds(both: sqlite3.Connection) -> None:
    sql = "INSERT INTO state.access (path, access_count, outcome_score, updated_at) VALUES (?, ?, ?, '')"
    assert refused(both, sql, "a", 0, 1.5)
    assert refused(both, sql, "a", -1, 0.0)
    assert not refused(both, sql, "a", 0, -0.4)


def test_a_proposal_counts_from_one_and_knows_its_direction(both: sqlite3.Connection) -> None:
    sql = (
        "INSERT INTO state.entity_corroboration"
        " (entity_type, alias_name, canonical_name, detections, promoted, updated_at)"
        " VALUES (?, ?, ?, ?, ?, '')"
    )
    assert refused(both, sql, "person", "api", "api-x", 0, 0)
    assert refused(both, sql, "person", "api", "api-x", 1, 2)
    assert not refused(both, sql, "person", "api", "api-x", 1, 0)
    assert not refused(both, sql, "service", "api", "api-x", 1, 0)
    assert not refused(both, sql, "person", "api-x", "api", 1, 0)
    assert refused(both, sql, "person", "api", "api-x", 1, 0)


def test_a_consolidation_needs_no_trace_and_can_be_repeated(both: sqlite3.Connection) -> None:
    for run in ("one", "two"):
        both.execute(
            "INSERT INTO state.trace_consolidations VALUES ('s', ?, '') ON CONFLICT (session_id)"
            " DO UPDATE SET run_id = excluded.run_id",
            (run,),
        )
    assert both.execute("SELECT run_id FROM state.trace_consolidations").fetchall() == [("two",)]


def test_precious_rows_stand_in_the_state_plane_only(both: sqlite3.Connection) -> None:
    main = {name for (name,) in both.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")}
    state = {name for (name,) in both.execute("SELECT name FROM state.sqlite_schema WHERE type = 'table'")}
    assert main & state == {"schema_migrations"}
    assert {"access", "memory_session_links", "trace_consolidations", "applied_moves"} <= state


@pytest.mark.parametrize(
    ("query", "index_name"),
    [
        ("SELECT path FROM files WHERE content_hash = 'h'", "ix_files_content_hash "),
        (
            "SELECT 1 FROM files f JOIN chunks c ON c.content_hash = f.content_hash WHERE c.chunk_id = 'c'",
            "ix_files_content_hash ",
        ),
        (
            "SELECT dst_path FROM edges WHERE src_path = 'a' AND edge_class = 'memory'",
            "PRIMARY KEY (src_path=?)",
        ),
        (
            "SELECT src_path FROM edges WHERE dst_path = 'a' AND edge_class = 'memory'",
            "ix_edges_dst_path_edge_class",
        ),
        ("SELECT path FROM file_entities WHERE entity_key = 'k'", "ix_file_entities_entity_key"),
        (
            "SELECT entity_type, entity_name, count(*) FROM file_entities GROUP BY 1, 2",
            "ix_file_entities_entity_type_entity_name",
        ),
        ("SELECT path FROM skipped_files WHERE content_hash = 'h'", "ix_skipped_files_content_hash"),
    ],
)
def test_a_frequent_question_is_answered_by_an_index(
    index: sqlite3.Connection, query: str, index_name: str
) -> None:
    plan = " ".join(row[3] + " " for row in index.execute(f"EXPLAIN QUERY PLAN {query}"))
    assert index_name in plan
    assert "TEMP B-TREE" not in plan
