"""What a search finds, in which order, and what it says about it."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from builders import memory, plant
from conftest import git

from memhtml.app import indexing
from memhtml.app.retrieval import MAX_LIMIT, search
from memhtml.app.wire import Store, open_store
from memhtml.db.open import attach_state
from memhtml.errors import InvalidFlag
from memhtml.index.answers import MissReason, SearchResult
from memhtml.index.scope import scope_of
from memhtml.ranking.fusion import Arm
from memhtml.resources import migrations
from memhtml.values import Plane

from .conftest import NOW, MakeStore


def paths(found: SearchResult) -> list[str]:
    return [hit.path for hit in found.hits]


def use(store: Store, path: str, *, times: int, outcome: float = 0.0) -> None:
    """Give a memory a history of use; 0 times makes the state plane and nothing in it."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        attach_state(connection, store.state_path, mode="write", migrations=migrations(Plane.STATE), now=NOW)
        if times:
            connection.execute(
                "INSERT INTO state.access (path, access_count, outcome_score, last_accessed_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (path, times, outcome, NOW, NOW),
            )


def note(claim: str, **more: object) -> bytes:
    return memory(claim, title=str(more.pop("title", "Note")), **more)  # type: ignore[arg-type]  # passed through


def test_the_memory_with_more_of_the_words_comes_first(make_store: MakeStore) -> None:
    store = make_store(
        {
            "areas/dense.html": note("Rollback the schema, then rollback the rollback order."),
            "areas/bare.html": note(
                "A rollback is mentioned in a long claim about the harbour and its many boats."
            ),
            "areas/other.html": note("The harbour opens at dawn."),
        }
    )
    found = search(store, "rollback order")
    assert paths(found) == ["areas/dense.html", "areas/bare.html"]
    assert [hit.rank for hit in found.hits] == [1, 2]
    assert found.hits[0].score > found.hits[1].score


def test_a_word_of_the_title_alone_is_found(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Fill it before dawn.", title="Zeppelin")})
    assert paths(search(store, "zeppelins")) == ["areas/a.html"]


def test_a_question_of_stop_words_alone_still_finds(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("What is the way."), "areas/b.html": note("Nothing here fits.")})
    assert paths(search(store, "what is the")) == ["areas/a.html"]


def test_stop_words_find_nothing_beside_another_word(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("What is the way."), "areas/b.html": note("Zeppelin.")})
    assert paths(search(store, "what is the zeppelin")) == ["areas/b.html"]


def test_a_phrase_is_required_and_other_words_only_order(make_store: MakeStore) -> None:
    store = make_store(
        {
            "areas/a.html": note("The merge base of two branches."),
            "areas/b.html": note("The merge base of two branches is old."),
            "areas/c.html": note("Old branches: merge them at the base, old ones first."),
        }
    )
    assert paths(search(store, '"merge base" old')) == ["areas/b.html", "areas/a.html"]
    assert paths(search(store, '"base merge" old')) == []


def test_words_that_are_nowhere_find_nothing(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Something.")})
    found = search(store, "zeppelin")
    assert (found.hits, found.query_matched, found.scope_empty) == ((), False, False)


def test_equal_memories_are_ordered_by_path(make_store: MakeStore) -> None:
    names = ["areas/b.html", "areas/a.html", "projects/x/c.html"]
    store = make_store({name: note(f"Zeppelin {n}.") for n, name in enumerate(names)})
    assert paths(search(store, "zeppelin")) == sorted(names)
    assert search(store, "zeppelin") == search(store, "zeppelin")


def test_the_limit_is_honoured_and_names_its_bounds(make_store: MakeStore) -> None:
    store = make_store({f"areas/{n}.html": note(f"Zeppelin {n}.") for n in range(12)})
    assert len(search(store, "zeppelin").hits) == 10
    assert len(search(store, "zeppelin", limit=3).hits) == 3
    for limit in (0, -1, MAX_LIMIT + 1):
        with pytest.raises(InvalidFlag):
            search(store, "zeppelin", limit=limit)


@pytest.mark.parametrize("query", ["", "  ", "!!! ???"])
def test_a_question_without_a_word_lists_the_newest(make_store: MakeStore, query: str) -> None:
    store = make_store(
        {
            "areas/old.html": note("Old.", updated="2026-01-01T00:00:00Z"),
            "areas/new.html": note("New.", updated="2026-04-01T00:00:00Z"),
            "areas/event.html": note(
                "",
                article='<p><mark>Then</mark> <time datetime="2026-02-01">x</time></p>',
                updated="2026-04-02T00:00:00Z",
            ),
        }
    )
    found = search(store, query)
    assert paths(found) == ["areas/new.html", "areas/event.html", "areas/old.html"]
    assert found.arms == (Arm.RECENCY,)
    assert not found.query_matched


def test_a_question_without_a_word_lists_much_used_memories_further_up(make_store: MakeStore) -> None:
    files = {
        f"areas/{n:02}.html": note(f"Claim {n}.", updated=f"2026-02-{n + 1:02}T00:00:00Z") for n in range(20)
    }
    store = make_store(files)
    assert paths(search(store, "", limit=20)).index("areas/05.html") == 14
    use(store, "areas/05.html", times=50, outcome=1.0)
    found = search(store, "", limit=20)
    assert found.arms == (Arm.RECENCY, Arm.SALIENCE)
    assert paths(found).index("areas/05.html") == 7


def test_the_newer_of_two_equal_matches_comes_first(make_store: MakeStore) -> None:
    store = make_store(
        {
            "areas/a.html": note("Zeppelin one.", updated="2025-01-01T00:00:00Z"),
            "areas/b.html": note("Zeppelin two.", updated="2026-04-30T00:00:00Z"),
        }
    )
    assert paths(search(store, "zeppelin")) == ["areas/b.html", "areas/a.html"]


def test_the_more_used_of_two_equal_matches_comes_first(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Zeppelin one."), "areas/b.html": note("Zeppelin two.")})
    use(store, "areas/b.html", times=9)
    found = search(store, "zeppelin")
    assert paths(found) == ["areas/b.html", "areas/a.html"]
    assert Arm.SALIENCE in found.arms


def test_neither_age_nor_use_outranks_a_better_match(make_store: MakeStore) -> None:
    filler = {f"areas/f{n}.html": note(f"A probe of kind {n} stands in the shed.") for n in range(8)}
    store = make_store(
        {
            **filler,
            "areas/best.html": note("Calibrate the soil probe.", updated="2020-01-01T00:00:00Z"),
            "areas/used.html": note("The probe was new.", updated="2026-04-30T00:00:00Z"),
        }
    )
    use(store, "areas/used.html", times=10_000, outcome=1.0)
    assert search(store, "calibrate soil probe").hits[0].path == "areas/best.html"


def test_other_clones_counts_are_summed(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Zeppelin one."), "areas/b.html": note("Zeppelin two.")})
    use(store, "areas/a.html", times=3)
    with closing(sqlite3.connect(store.state_path)) as state, state:
        state.executemany(
            "INSERT INTO access_remote (clone_id, path, access_count, last_accessed_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?)",
            [(clone, "areas/b.html", 2, NOW, NOW) for clone in ("one", "two")],
        )
    assert paths(search(store, "zeppelin")) == ["areas/b.html", "areas/a.html"]


def test_tasks_and_people_have_no_salience(make_store: MakeStore) -> None:
    task = note("Zeppelin task.", type_="task", metas=[("task-status", "todo")])
    person = note("Zeppelin person.", metas=[("entity", "person:ada")])
    store = make_store({"areas/inbox/tasks/t.html": task, "resources/people/ada.html": person})
    scope = scope_of(types=["task", "semantic"])
    use(store, "areas/inbox/tasks/t.html", times=0)
    before = search(store, "zeppelin", scope=scope)
    use(store, "areas/inbox/tasks/t.html", times=1_000)
    use(store, "resources/people/ada.html", times=1_000)
    after = search(store, "zeppelin", scope=scope, explain=True)
    assert [(hit.path, hit.score) for hit in after.hits] == [(hit.path, hit.score) for hit in before.hits]
    for hit in after.hits:
        assert hit.explanation is not None
        assert all(share.arm is not Arm.SALIENCE for share in hit.explanation.arms)


def test_without_a_state_plane_there_is_no_salience(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Zeppelin.")})
    assert search(store, "zeppelin").arms == (Arm.FTS, Arm.RECENCY)
    assert not store.state_path.exists()


def test_a_damaged_state_plane_leaves_the_answer_without_salience(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Zeppelin.")})
    store.state_path.write_bytes(b"this is no database" * 200)
    found = search(store, "zeppelin")
    assert (paths(found), found.arms) == (["areas/a.html"], (Arm.FTS, Arm.RECENCY))


def test_a_hit_carries_what_the_file_says(make_store: MakeStore) -> None:
    entities = [("entity", "service:checkout"), ("entity", "person:ada"), ("confidence", "0.5")]
    store = make_store(
        {"areas/a.html": note("Zeppelin.", title="Title", metas=entities, body="<p>More.</p>")}
    )
    (hit,) = search(store, "zeppelin").hits
    assert hit._replace(score=0.0) == (
        "areas/a.html",
        "Title",
        "Zeppelin.",
        "semantic",
        1,
        0.0,
        0.5,
        "2026-03-11T17:42:30Z",
        "Zeppelin. More.",
        ("person:ada", "service:checkout"),
        None,
        False,
        False,
        None,
    )


@pytest.mark.parametrize(
    ("length", "shown"), [(700, "x" * 700), (701, "x" * 699 + "…"), (3000, "x" * 699 + "…")]
)
def test_a_snippet_holds_700_characters(make_store: MakeStore, length: int, shown: str) -> None:
    store = make_store({"areas/a.html": note("x" * length, title="Zeppelin")})
    assert search(store, "zeppelin").hits[0].snippet == shown


def test_a_cut_snippet_has_no_blank_before_the_ellipsis(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("x" * 690 + " " + "y" * 7 + " z z z", title="Zeppelin")})
    assert search(store, "zeppelin").hits[0].snippet == "x" * 690 + " " + "y" * 7 + "…"


def test_expired_and_superseded_memories_are_marked(make_store: MakeStore) -> None:
    store = make_store(
        {
            "areas/day.html": note("Zeppelin day.", metas=[("valid-until", "2026-05-01")]),
            "areas/now.html": note("Zeppelin now.", metas=[("valid-until", NOW)]),
            "areas/soon.html": note("Zeppelin soon.", metas=[("valid-until", "2026-05-01T12:00:01Z")]),
            "areas/old.html": note("Zeppelin old."),
            "areas/new.html": note("Airship.", links=[("supersedes", "/areas/old.html")]),
        }
    )
    hits = {hit.path: hit for hit in search(store, "zeppelin").hits}
    assert {path for path, hit in hits.items() if hit.expired} == {"areas/day.html", "areas/now.html"}
    assert {path: hit.superseded_by for path, hit in hits.items() if hit.superseded_by} == {
        "areas/old.html": "areas/new.html"
    }


def test_archived_matches_are_counted_and_not_shown(make_store: MakeStore) -> None:
    store = make_store(
        {
            "areas/a.html": note("Zeppelin now."),
            "archive/2025/areas/b.html": note("Zeppelin then.", status="archived"),
            "archive/2025/areas/c.html": note("Something else.", status="archived"),
        }
    )
    found = search(store, "zeppelin")
    assert (paths(found), found.archived_matches) == (["areas/a.html"], 1)
    everything = search(store, "zeppelin", scope=scope_of(include_archived=True))
    assert (sorted(paths(everything)), everything.archived_matches) == (
        ["archive/2025/areas/b.html", "areas/a.html"],
        0,
    )
    assert [hit.archived for hit in everything.hits] == [
        hit.path.startswith("archive/") for hit in everything.hits
    ]


def test_an_explanation_says_what_each_arm_gave_and_why_the_rest_is_no_hit(make_store: MakeStore) -> None:
    store = make_store(
        {
            "areas/a.html": note("Zeppelin zeppelin harbour."),
            "areas/b.html": note("Zeppelin."),
            "areas/c.html": note("The harbour is full of boats and ropes."),
            "archive/2025/areas/d.html": note("Zeppelin harbour.", status="archived"),
            "areas/inbox/tasks/t.html": note("Zeppelin.", type_="task", metas=[("task-status", "todo")]),
        }
    )
    found = search(store, "the zeppelin harbour airship", limit=1, explain=True)
    (hit,) = found.hits
    assert hit.explanation is not None
    assert set(hit.explanation.matched) == {"zeppelin", "harbour"}
    assert [share.arm for share in hit.explanation.arms] == [Arm.FTS, Arm.RECENCY]
    assert sum(share.contribution for share in hit.explanation.arms) == pytest.approx(hit.score)
    by_limit = [miss for miss in found.near_misses if miss.reason is MissReason.LIMIT]
    assert [(miss.path, miss.rank) for miss in by_limit] == [("areas/b.html", 2), ("areas/c.html", 3)]
    by_scope = {miss.path: miss.axes for miss in found.near_misses if miss.reason is MissReason.SCOPE}
    assert by_scope == {"archive/2025/areas/d.html": ("archived",), "areas/inbox/tasks/t.html": ("type",)}
    assert search(store, "zeppelin").hits[0].explanation is None


def test_an_index_behind_head_answers_and_says_so(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Zeppelin.")})
    assert search(store, "zeppelin").index_fresh is True
    git(store.root, "commit", "-q", "--allow-empty", "-m", "later")
    assert search(store, "zeppelin").index_fresh is False
    indexing.update(store, embed=False)
    assert search(store, "zeppelin").index_fresh is True


def test_an_edit_takes_the_old_words_out(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Zeppelin.")})
    (store.root / "areas/a.html").write_bytes(note("Airship."))
    indexing.update(store, embed=False)
    assert (paths(search(store, "zeppelin")), paths(search(store, "airship"))) == ([], ["areas/a.html"])


def test_no_vector_means_degraded(make_store: MakeStore) -> None:
    assert search(make_store({"areas/a.html": note("Zeppelin.")}), "zeppelin").degraded


def test_the_clock_is_the_store_s_and_no_other(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Zeppelin.", metas=[("valid-until", "2026-06-01")])})
    later = replace(store, clock=lambda: "2027-01-01T00:00:00Z")
    assert [search(each, "zeppelin").hits[0].expired for each in (store, later)] == [False, True]


@pytest.mark.parametrize("rows", [190, 450])
def test_more_matches_than_the_pool_are_ranked_alike_in_any_scope(make_store: MakeStore, rows: int) -> None:
    """The narrow scope holds only matches that the best rows of all scopes do not reach."""
    files = {f"areas/{n:04}.html": note(f"Zeppelin zeppelin zeppelin {n}.") for n in range(rows)}
    files |= {
        f"projects/w/{n}.html": note(f"Zeppelin {n} among many other words of a claim.") for n in range(5)
    }
    store = make_store(files)
    found = search(store, "zeppelin", scope=scope_of(workspace="w"))
    assert paths(found) == [f"projects/w/{n}.html" for n in range(5)]
    assert paths(search(store, "zeppelin", limit=20)) == [f"areas/{n:04}.html" for n in range(20)]


def test_among_more_equal_matches_than_the_pool_the_first_paths_are_found(make_store: MakeStore) -> None:
    """The row that was added last has the last id, and among equal rows ids are no reason."""
    store = make_store({f"areas/{n:04}.html": note(f"Zeppelin {n:04}.") for n in range(310)})
    plant(store.root, {"areas/!.html": note("Zeppelin 9999."), "areas/0150-a.html": note("Zeppelin 8888.")})
    assert indexing.update(store, embed=False).added == 2
    expected = ["areas/!.html", *(f"areas/{n:04}.html" for n in range(151)), "areas/0150-a.html"]
    assert paths(search(store, "zeppelin", limit=152)) == sorted(expected)[:152]


def test_a_memory_without_a_workspace_is_outside_of_every_workspace(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": note("Zeppelin."), "projects/w/b.html": note("Zeppelin too.")})
    found = search(store, "zeppelin", scope=scope_of(workspace="w"), explain=True)
    assert paths(found) == ["projects/w/b.html"]
    assert [(miss.path, miss.axes) for miss in found.near_misses] == [("areas/a.html", ("workspace",))]


def test_an_empty_corpus_has_an_empty_answer(make_store: MakeStore) -> None:
    store = make_store({"README.md": b"x"})
    for query in ("", "zeppelin"):
        found = search(store, query)
        assert (found.hits, found.scope_empty) == ((), False)


def test_a_store_opened_twice_answers_the_same(make_store: MakeStore) -> None:
    store = make_store({f"areas/{n}.html": note(f"Zeppelin {n}.") for n in range(5)})
    again = open_store(store.root, clock=lambda: NOW)
    assert search(again, "zeppelin") == search(store, "zeppelin")


@pytest.mark.parametrize("query", ["猫", '"猫"', "猫 kettle"])
def test_one_character_of_a_script_without_spaces_finds_what_holds_it(
    make_store: MakeStore, query: str
) -> None:
    store = make_store(
        {
            "areas/inside.html": memory("私は猫が好きです"),
            "areas/last.html": memory("これは猫"),
            "areas/other.html": memory("私は犬が好きです"),
        }
    )
    assert {hit.path for hit in search(store, query).hits} == {"areas/inside.html", "areas/last.html"}
