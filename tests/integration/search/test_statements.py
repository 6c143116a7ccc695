"""The statements that a search really runs: what they name, what they read, how SQLite walks them."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import product

import pytest
from builders import memory

from memhtml.app.reading import reading
from memhtml.app.wire import Store
from memhtml.db.open import attach_state
from memhtml.index import listing
from memhtml.index.scope import Scope, scope_of
from memhtml.index.search import answer
from memhtml.resources import migrations
from memhtml.values import Plane

from .conftest import NOW, MakeStore

#: Tables of memories and of their use; a ranking may name no other.
ALLOWED = {
    *("files", "files_fts", "file_tags", "file_entities", "file_facets", "edges", "chunks"),
    *("state.access", "state.access_remote", "json_each"),
}
_TABLE = re.compile(r"\b(?:FROM|JOIN)\s+(\w+(?:\.\w+)?)", re.IGNORECASE)
_WRITE = re.compile(r"\b(INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA|ATTACH)\b", re.IGNORECASE)

SCOPES = (
    Scope(),
    scope_of(include_archived=True),
    scope_of(
        types=["task"], workspace="w", tags=["a", "b"], entity="person:ada", facets=["k=v"], para="areas"
    ),
    scope_of(as_of="2026-04-01"),
)


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """Enough memories that the planner has a choice, and a word that is common beside one that is rare."""
    files = {
        f"areas/{n:03}.html": memory(
            f"Common claim {n}.",
            title="Zeppelin" if n % 300 == 0 else "Note",
            metas=[("entity", f"person:p{n % 7}"), ("tag", f"t{n % 5}")],
            links=[("supports", f"/areas/{n + 1:03}.html"), ("supersedes", f"/areas/{n + 2:03}.html")],
            body=f"<dl><dt>k{n % 3}</dt><dd>{n}</dd></dl>",
        )
        for n in range(320)
    }
    made = make_store(files)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        attach_state(connection, made.state_path, mode="write", migrations=migrations(Plane.STATE), now=NOW)
        connection.execute(
            "INSERT INTO state.access (path, access_count, updated_at) VALUES ('areas/001.html', 1, ?)",
            (NOW,),
        )
    return made


def statements(store: Store) -> Iterator[tuple[str, str]]:
    """Yield every statement of searches and listings in every scope, values in place, with its query plan."""
    with reading(store, "testing", with_state=True) as (connection, has_state, _):
        assert has_state
        seen: list[str] = []
        connection.set_trace_callback(seen.append)
        for query, scope in product(("zeppelin common", '"common claim" zeppelin', ""), SCOPES):
            answer(connection, query, scope=scope, limit=5, now=NOW, has_state=True, explain=True)
            listing.page(connection, scope, limit=5)
        connection.set_trace_callback(None)
        # FTS5 reads its own tables through statements that are traced too, as comments or on `main`.
        ours = dict.fromkeys(sql for sql in seen if not sql.startswith("--") and "'main'." not in sql)
        for sql in ours:
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
            yield sql, "\n".join(row[3] for row in plan)


def test_no_ranking_names_a_table_of_another_plane(store: Store) -> None:
    named = {table for sql, _ in statements(store) for table in _TABLE.findall(sql)}
    assert named - {"best"} <= ALLOWED
    assert {"files_fts", "files", "state.access", "file_entities", "file_facets", "file_tags"} <= named


def test_a_search_writes_nothing(store: Store) -> None:
    assert [sql for sql, _ in statements(store) if _WRITE.search(sql)] == []


def test_salience_joins_the_state_plane_in_one_statement(store: Store) -> None:
    crossing = [sql for sql, _ in statements(store) if "state." in sql]
    assert crossing
    for sql in crossing:
        assert "LEFT JOIN state.access AS a ON a.path = f.path" in sql
        assert "FROM files AS f" in sql
        assert "f.memory_type <> 'task'" in sql
        assert "resources/people/" in sql


def test_scoring_keeps_the_ids_out_of_the_full_text_plan(store: Store) -> None:
    plans = [plan for sql, plan in statements(store) if "+files_fts.rowid IN" in sql]
    assert plans
    for plan in plans:
        # `M` is the match and `=` a row id: with both, FTS5 runs the expression once for every id.
        assert re.search(r"SCAN files_fts VIRTUAL TABLE INDEX 0:M\d+$", plan, re.MULTILINE), plan


def test_children_are_probed_by_path_and_never_scanned(store: Store) -> None:
    plans = [plan for _, plan in statements(store) if "CORRELATED SCALAR SUBQUERY" in plan]
    assert plans
    for plan in plans:
        assert not re.search(r"SCAN (c|e)\b", plan), plan
        for probe in re.findall(r"SEARCH c .*", plan):
            assert "path=?" in probe, probe


def test_what_supersedes_a_hit_is_looked_up_by_what_points_at_it(store: Store) -> None:
    plans = [plan for sql, plan in statements(store) if "supersedes" in sql]
    assert plans
    for plan in plans:
        assert "SEARCH e USING INDEX ix_edges_dst_path_edge_class (dst_path=? AND edge_class=?)" in plan, plan


def test_no_search_for_words_scans_the_memories(store: Store) -> None:
    for sql, plan in statements(store):
        if "count(*)" in sql or "ORDER BY f.path" in sql or "state.access UNION" in sql or " AS at " in sql:
            continue  # counts, listings and the newest, which have tests of their own
        assert not re.search(r"SCAN f\b", plan), (sql, plan)


def test_the_newest_are_read_off_an_index(store: Store) -> None:
    default = "IS NULL AND f.archived = 0 AND f.memory_type <> 'task' ORDER BY"
    plans = [plan for sql, plan in statements(store) if default in sql]
    assert plans
    for plan in plans:
        assert "ix_files_event_at" in plan, plan
        assert "ix_files_updated_at" in plan, plan


def test_a_page_of_a_listing_begins_at_its_cursor(store: Store) -> None:
    plans = [plan for sql, plan in statements(store) if "ORDER BY f.path LIMIT" in sql and "f.path >" in sql]
    assert plans
    for plan in plans:
        assert "(path>?)" in plan or "TEMP B-TREE" in plan, plan
