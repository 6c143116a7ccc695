"""Looking around: what is linked with a memory, where it is now, and how it was used."""

import sqlite3
from contextlib import closing

import pytest
from builders import memory
from integration.store.test_archive import PROBE, bytes_at, planted

from memhtml.app import indexing
from memhtml.app.archive import archive, restore
from memhtml.app.correct import Correction, correct
from memhtml.app.judging import Signal, reinforce
from memhtml.app.links import link
from memhtml.app.neighbors import Neighborhood, neighbors, resolve
from memhtml.app.wire import Store, open_store
from memhtml.app.write import Provenance
from memhtml.errors import IndexMissing, PathNotFound, PathRefused
from memhtml.format.parse import parse
from memhtml.index.resolve import MAX_HOPS
from memhtml.values import EdgeRel, Instant

A, B, C, D = (f"areas/{name}.html" for name in "abcd")


@pytest.fixture
def four(store: Store) -> Store:
    """a leads to b, b to c, d to b."""
    return planted(
        store,
        {
            A: memory("A.", title="A", links=[("leads_to", f"/{B}")]),
            B: memory("B.", title="B", links=[("leads_to", f"/{C}")]),
            C: memory("C.", title="C"),
            D: memory("D.", title="D", links=[("supports", f"/{B}"), ("about_person", f"/{A}")]),
        },
    )


def shown(found: Neighborhood) -> list[tuple[str, int, str, str]]:
    return [(node.path, node.hop, node.rel.value, node.direction) for node in found.nodes]


def test_links_are_seen_from_both_of_their_ends(four: Store) -> None:
    assert shown(neighbors(four, "/" + A)) == [(B, 1, "leads_to", "out")]
    found = neighbors(four, B)
    assert shown(found) == [(A, 1, "leads_to", "in"), (C, 1, "leads_to", "out"), (D, 1, "supports", "in")]
    assert found.edges == 3
    assert [node.title for node in found.nodes] == ["A", "C", "D"]


def test_two_links_away_goes_on_the_way_it_went(four: Store) -> None:
    found = neighbors(four, A, depth=2)
    assert shown(found) == [(B, 1, "leads_to", "out"), (C, 2, "leads_to", "out")]
    assert shown(neighbors(four, C, depth=2)) == [
        (B, 1, "leads_to", "in"),
        (A, 2, "leads_to", "in"),
        (D, 2, "supports", "in"),
    ]
    assert shown(neighbors(four, B, rels=[EdgeRel.SUPPORTS])) == [(D, 1, "supports", "in")]


def test_a_memory_that_nothing_knows_has_no_neighbours(four: Store) -> None:
    assert neighbors(four, "areas/none.html").nodes == ()
    with pytest.raises(PathRefused):
        neighbors(four, "../x.html")


def test_links_to_what_was_archived_lead_there(four: Store) -> None:
    away = archive(four, B, "old").archive_path
    assert shown(neighbors(four, A)) == [(away, 1, "leads_to", "out")]
    assert neighbors(four, A).nodes[0].archived is True
    assert shown(neighbors(four, away)) == [
        (A, 1, "leads_to", "in"),
        (C, 1, "leads_to", "out"),
        (D, 1, "supports", "in"),
    ]


def test_tasks_have_tasks_for_neighbours(store: Store) -> None:
    one, two = "areas/inbox/tasks/one.html", "areas/inbox/tasks/two.html"
    metas = [("task-status", "todo")]
    planted(
        store,
        {one: memory("One.", type_="task", metas=metas), two: memory("Two.", type_="task", metas=metas)},
    )
    link(store, one, EdgeRel.BLOCKS, two)
    assert shown(neighbors(store, two)) == [(one, 1, "blocks", "in")]


def test_a_path_is_followed_through_corrections_and_the_archive(four: Store) -> None:
    assert resolve(four, A).stop == "live"
    first = correct(four, A, Correction(claim="A, better.", title="Better"))
    second = correct(four, first.path, Correction(claim="A, best.", title="Best"))
    found = resolve(four, "/" + A)
    assert (found.resolved_path, found.stop) == (second.path, "live")
    assert [(hop.path, hop.via) for hop in found.hops] == [
        (first.archived_path, "archived"),
        (second.archived_path, "superseded"),
        (second.path, "superseded"),
    ]
    assert resolve(four, first.path).resolved_path == second.path
    away = archive(four, second.path, "noise").archive_path
    assert (resolve(four, A).resolved_path, resolve(four, A).stop) == (away, "archived")
    back = restore(four, away)
    assert resolve(four, away).resolved_path == back.path
    assert resolve(four, away).hops[0].via == "restored"
    assert resolve(four, "areas/none.html").stop == "unindexed"


def test_a_memory_whose_archived_name_has_an_ordinal_is_found_from_where_it_stood(four: Store) -> None:
    archive(four, A, "old")
    planted(four, {A: memory("Another A.", title="A")})
    second = archive(four, A, "old too")
    assert second.archive_path.endswith("a-2.html")
    assert resolve(four, A).resolved_path == second.archive_path


def test_circles_and_long_ways_end(store: Store) -> None:
    def gone(n: int) -> str:
        return f"archive/2026/areas/n{n:02}.html"

    files = {
        gone(n): memory(f"N{n}.", status="archived", links=[("supersedes", f"/{gone(n - 1)}")])
        for n in range(1, 20)
    }
    ring = {
        "archive/2026/areas/x.html": memory(
            "X.", status="archived", links=[("supersedes", "/archive/2026/areas/y.html")]
        ),
        "archive/2026/areas/y.html": memory(
            "Y.", status="archived", links=[("supersedes", "/archive/2026/areas/x.html")]
        ),
    }
    planted(store, {gone(0): memory("N0.", status="archived"), **files, **ring})
    long = resolve(store, gone(0))
    assert (long.stop, len(long.hops), long.resolved_path) == ("hop_limit", MAX_HOPS, gone(MAX_HOPS))
    assert resolve(store, gone(19 - MAX_HOPS)).stop == "archived"
    assert resolve(store, "areas/x.html").stop == "cycle"


def test_a_use_is_counted_once_a_quarter_of_an_hour_with_its_session(four: Store) -> None:
    now = ["2026-06-01T12:00:00Z"]
    timed = open_store(four.root, clock=lambda: Instant(now[0]))
    done = reinforce(timed, ["/" + A, A, B], Signal.POSITIVE, source=Provenance("s-1"))
    assert (done.bumped, done.cooled_down, done.signal) == ((A, B), (), "positive")
    now[0] = "2026-06-01T12:14:59Z"
    assert reinforce(timed, [A, C]).cooled_down == (A,)
    now[0] = "2026-06-01T12:15:00Z"
    assert reinforce(timed, [A]).bumped == (A,)
    with closing(sqlite3.connect(four.state_path)) as state:
        (row,) = state.execute(
            "SELECT access_count, reinforcement_count, content_hash FROM access WHERE path = ?", (A,)
        )
        links = state.execute("SELECT path, link_kind FROM memory_session_links ORDER BY path").fetchall()
    assert row == (2, 1, parse(bytes_at(four, A)).content_hash)
    assert links == [(A, "reinforced"), (B, "reinforced")]


def test_a_path_at_which_no_memory_stands_counts_nothing(four: Store) -> None:
    for path, error in (("areas/typo.html", PathNotFound), ("../x.html", PathRefused), ("", PathRefused)):
        with pytest.raises(error):
            reinforce(four, [A, path])
    assert reinforce(four, [A]).bumped == (A,)


def test_nothing_is_looked_up_without_an_index(store: Store) -> None:
    store.index_path.unlink(missing_ok=True)
    for ask in (
        lambda: neighbors(store, PROBE),
        lambda: resolve(store, PROBE),
        lambda: reinforce(store, [PROBE]),
    ):
        with pytest.raises(IndexMissing):
            ask()
    indexing.rebuild(store, embed=False)
    assert resolve(store, PROBE).stop == "unindexed"
