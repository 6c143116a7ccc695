"""Which memories a scope lets through, axis by axis; every arm and the listing share the one predicate."""

import sqlite3
from contextlib import closing

import pytest
from builders import memory

from memhtml.app.retrieval import list_memories, search
from memhtml.errors import InvalidFlag
from memhtml.index.scope import Scope, filter_of, instant_sql, scope_of
from memhtml.values import MemoryType

from .conftest import MakeStore


def note(claim: str, *metas: tuple[str, str], **more: str) -> bytes:
    return memory(claim, title="Zeppelin", metas=metas, **more)  # type: ignore[arg-type]  # passed through


FILES = {
    "areas/plain.html": note("Plain."),
    "areas/proc.html": note("Procedure.", type_="procedural"),
    "areas/tagged.html": note("Tagged.", ("tag", "git"), ("tag", "merge")),
    "areas/other-tag.html": note("Other tag.", ("tag", "ops")),
    "areas/ada.html": note("Ada.", ("entity", "Person:Ada Löwe"), ("tag", "ops")),
    "areas/strasse.html": note("Straße.", ("entity", "place:Lange Straße")),
    "areas/quoted.html": note("Quoted.", ("entity", "person:O'Brien")),
    "areas/facets.html": note("Facets.", body="<dl><dt>port</dt><dd>8080</dd><dt>host</dt><dd>a</dd></dl>"),
    "areas/facets2.html": note(
        "Facets two.", body="<dl><dt>port</dt><dd>8081</dd><dt>host</dt><dd>b</dd></dl>"
    ),
    "projects/w/in.html": note("In the workspace."),
    "projects/w2/in.html": note("In another."),
    "projects/loose.html": note("In none."),
    "areas/inbox/tasks/open.html": note("Open.", ("task-status", "todo"), type_="task"),
    "archive/2025/areas/gone.html": note("Gone.", status="archived"),
    "archive/2025/areas/done.html": note("Done.", ("task-status", "done"), type_="task", status="archived"),
}
HIDDEN = {
    "areas/inbox/tasks/open.html",
    "archive/2025/areas/gone.html",
    "archive/2025/areas/done.html",
}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({}, set(FILES) - HIDDEN),
        (
            {"include_archived": True},
            set(FILES) - {"areas/inbox/tasks/open.html", "archive/2025/areas/done.html"},
        ),
        ({"types": ["task"]}, {"areas/inbox/tasks/open.html"}),
        (
            {"types": ["task"], "include_archived": True},
            {"areas/inbox/tasks/open.html", "archive/2025/areas/done.html"},
        ),
        ({"types": ["procedural"]}, {"areas/proc.html"}),
        ({"types": ["procedural", "task"]}, {"areas/proc.html", "areas/inbox/tasks/open.html"}),
        ({"workspace": "w"}, {"projects/w/in.html"}),
        ({"workspace": ""}, set(FILES) - HIDDEN),
        ({"workspace": "W"}, set()),
        ({"tags": ["git"]}, {"areas/tagged.html"}),
        ({"tags": ["git", "ops"]}, {"areas/tagged.html", "areas/other-tag.html", "areas/ada.html"}),
        ({"tags": ["git", "merge"]}, {"areas/tagged.html"}),
        ({"tags": ["", "  "]}, set(FILES) - HIDDEN),
        ({"entity": "Person:Ada Löwe"}, {"areas/ada.html"}),
        ({"entity": " person:ADA LÖWE "}, {"areas/ada.html"}),
        ({"entity": "place:LANGE STRASSE"}, {"areas/strasse.html"}),
        ({"entity": "ada löwe"}, set()),
        ({"entity": "person:o'brien"}, {"areas/quoted.html"}),
        ({"entity": "person:' OR 1=1 --"}, set()),
        ({"entity": ""}, set(FILES) - HIDDEN),
        ({"entity": "person:ada löwe", "tags": ["ops"]}, {"areas/ada.html"}),
        ({"entity": "person:ada löwe", "tags": ["git"]}, set()),
        ({"facets": ["port=8080"]}, {"areas/facets.html"}),
        ({"facets": ["port=8080", "port=8081"]}, {"areas/facets.html", "areas/facets2.html"}),
        ({"facets": ["port=8080", "host=b"]}, set()),
        ({"facets": ["Port=8080"]}, set()),
        ({"para": "projects"}, {"projects/w/in.html", "projects/w2/in.html", "projects/loose.html"}),
        ({"para": "archive"}, set()),
        ({"para": "archive", "include_archived": True}, {"archive/2025/areas/gone.html"}),
    ],
)
def test_a_scope_lets_through_exactly_its_memories(
    make_store: MakeStore, words: dict[str, object], expected: set[str]
) -> None:
    store = make_store(FILES)
    scope = scope_of(**words)  # type: ignore[arg-type]  # the table's values are of many types
    for query in ("zeppelin", ""):
        found = search(store, query, scope=scope, limit=100)
        assert {hit.path for hit in found.hits} == expected, query
        assert found.scope_empty is (not expected and scope.narrows)
        assert found.entity_scope == scope.entity
    assert {file.path for file in list_memories(store, scope=scope).files} == expected


def test_a_scope_given_back_finds_the_neighbours_of_a_hit(make_store: MakeStore) -> None:
    store = make_store(FILES | {"areas/ada2.html": note("More of Ada.", ("entity", "person:ada löwe"))})
    first = search(store, "ada").hits[0]
    found = search(store, "zeppelin", scope=scope_of(entity=first.entities[0]))
    assert {hit.path for hit in found.hits} == {"areas/ada.html", "areas/ada2.html"}


@pytest.mark.parametrize(
    "words",
    [
        {"types": ["semantics"]},
        {"types": ["semantic", "unheard-of"]},
        {"types": [""]},
        {"para": "inbox"},
        {"facets": ["port"]},
        {"facets": ["=8080"]},
        {"as_of": "yesterday"},
        {"as_of": "2026-02-30"},
        {"as_of": "2026-07"},
    ],
)
def test_a_scope_that_means_nothing_is_refused(words: dict[str, object]) -> None:
    with pytest.raises(InvalidFlag):
        scope_of(**words)  # type: ignore[arg-type]  # the table's values are of many types


def test_the_refusal_of_a_type_names_the_legal_ones() -> None:
    with pytest.raises(InvalidFlag) as refused:
        scope_of(types=["semantics"])
    assert refused.value.hints == tuple(MemoryType)


CHAIN = {
    "archive/2026/areas/a.html": note(
        "First.", ("valid-from", "2026-01-01"), ("valid-until", "2026-02-01T00:00:00Z"), status="archived"
    ),
    "archive/2026/areas/b.html": note(
        "Second.",
        ("valid-from", "2026-02-01T00:00:00Z"),
        ("valid-until", "2026-03-01"),
        status="archived",
    ),
    "areas/c.html": note("Third.", ("valid-from", "2026-03-01"), created="2026-03-01T00:00:00Z"),
}


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2025-12-31", []),
        ("2026-01-01", ["archive/2026/areas/a.html"]),
        ("2026-01-01T00:00:00Z", ["archive/2026/areas/a.html"]),
        ("2026-01-31T23:59:59Z", ["archive/2026/areas/a.html"]),
        ("2026-01-31", ["archive/2026/areas/a.html"]),
        ("2026-02-01T00:00:00Z", ["archive/2026/areas/b.html"]),
        ("2026-02-01T02:00:00+03:00", ["archive/2026/areas/a.html"]),
        ("2026-02-28 23:59:59.9", ["archive/2026/areas/b.html"]),
        ("2026-03-01", ["areas/c.html"]),
        ("2026-03-01T00:00:00Z", ["areas/c.html"]),
        (None, ["areas/c.html"]),
    ],
)
def test_each_window_of_a_chain_answers_for_itself(
    make_store: MakeStore, as_of: str | None, expected: list[str]
) -> None:
    store = make_store(CHAIN)
    found = search(store, "zeppelin", scope=scope_of(as_of=as_of))
    assert [hit.path for hit in found.hits] == expected
    assert found.archived_matches == (0 if as_of else 2)


@pytest.mark.parametrize(
    ("as_of", "held"), [("2026-03-01", True), ("2026-03-01T08:59:59Z", False), ("2026-02-28", False)]
)
def test_a_day_means_its_end(make_store: MakeStore, as_of: str, held: bool) -> None:
    store = make_store({"areas/a.html": note("Since nine.", ("valid-from", "2026-03-01T09:00:00Z"))})
    assert bool(search(store, "zeppelin", scope=scope_of(as_of=as_of)).hits) is held


@pytest.mark.parametrize(
    ("stored", "compared"),
    [
        ("2026-03-01", "2026-03-01T00:00:00Z"),
        ("2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z"),
        (None, None),
    ],
)
def test_a_stored_day_is_compared_as_its_first_second(stored: str | None, compared: str | None) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        sql = f"SELECT {instant_sql('at')} FROM (SELECT ? AS at)"
        assert connection.execute(sql, (stored,)).fetchone() == (compared,)


def test_an_answer_as_of_then_says_what_replaced_it(make_store: MakeStore) -> None:
    newer = memory(
        "Newer.", title="Zeppelin", created="2026-04-01T00:00:00Z", links=[("supersedes", "/areas/a.html")]
    )
    store = make_store({"areas/a.html": note("Older."), "areas/b.html": newer})
    found = search(store, "zeppelin", scope=scope_of(as_of="2026-03-10"))
    assert [(hit.path, hit.superseded_by) for hit in found.hits] == [("areas/a.html", "areas/b.html")]


def test_without_an_instant_the_filter_is_the_plain_one() -> None:
    assert filter_of(Scope()).sql == "f.archived = 0 AND f.memory_type <> 'task'"


def test_no_value_stands_in_the_sql() -> None:
    scope = scope_of(
        types=["semantic"],
        workspace="needle",
        tags=["needle"],
        entity="x:needle",
        facets=["needle=needle"],
        para="areas",
        as_of="2026-01-01",
    )
    where = filter_of(scope)
    assert "needle" not in where.sql
    assert "2026" not in where.sql
    assert len(set(where.values)) == len(where.values) == 8
