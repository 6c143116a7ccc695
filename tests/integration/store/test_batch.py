"""Many memories in one commit: results in order, all or nothing unless asked, conflicts told, slots consolidated."""

import json
import sqlite3
from contextlib import closing

import pytest
from builders import memory, plant
from conftest import git
from integration.store.conftest import committed, everything_in, head, subjects, words
from planes import assert_equals_rebuild, reading

from memhtml.app import indexing, standing
from memhtml.app.health import check_store
from memhtml.app.op_lines import OpLine, read_op_lines
from memhtml.app.retrieval import read
from memhtml.app.wire import Store
from memhtml.app.write import Provenance, apply, write
from memhtml.errors import StorageFailed
from memhtml.index.frames import rows_of_frames
from memhtml.store.batch import Conflict, OpResult, Options

GO_ON = Options(continue_on_error=True)
DETECT = Options(detect_conflicts=True)
LAST_WINS = Options(last_wins=True)

#: Three values of one claim slot.
MAIN, TRUNK, RELEASE = (
    f"The deploy branch of the gateway is {name}." for name in ("main", "trunk", "release")
)


def ops(*lines: dict[str, object]) -> tuple[OpLine, ...]:
    """Ops from lines as a caller writes them; title and type have defaults."""
    given = ({"op": "write", "title": "A title", "type": "semantic", **line} for line in lines)
    return read_op_lines(b"\n".join(json.dumps(line).encode() for line in given))


def bodies(*texts: str) -> tuple[OpLine, ...]:
    return ops(*({"body": text} for text in texts))


def commits_since(store: Store, before: str) -> int:
    return len(git(store.root, "rev-list", f"{before}..HEAD").split())


def test_a_batch_is_one_commit_with_results_in_order(store: Store) -> None:
    before = head(store.root)
    done = apply(store, bodies("One.", "Two.", "Three. And more."))
    assert [(row.index, row.ok, row.path) for row in done.results] == [
        (0, True, "areas/inbox/a-title.html"),
        (1, True, "areas/inbox/a-title-2.html"),
        (2, True, "areas/inbox/a-title-3.html"),
    ]
    assert done.summary == (3, 3, 0, 0, 0, 0)
    assert done.commit_sha == head(store.root)
    assert commits_since(store, before) == 1
    assert subjects(store.root)[0] == "memhtml(batch): 3 memories"
    assert git(store.root, "status", "--porcelain") == b""
    assert_equals_rebuild(store.root)


def test_a_batch_of_one_is_called_by_its_title(store: Store) -> None:
    apply(store, ops({"title": "Probes\nwarm up", "body": "One."}))
    assert subjects(store.root)[0] == "memhtml(batch): Probes warm up"


def test_the_clock_is_read_once_a_batch(store: Store) -> None:
    done = apply(store, bodies(*(f"Fact {n}." for n in range(5))))
    created = {dict(read(store, row.path or "").metas)["memhtml-created"] for row in done.results}
    assert len(created) == 1


def test_one_refused_op_keeps_everything_from_being_written(store: Store) -> None:
    write(store, words("First."))
    before = everything_in(store.root)
    done = apply(store, ops({"body": "One."}, {"body": "Two.", "type": "folklore"}, {"body": "Three."}))
    assert [(row.ok, row.skipped, row.code, row.path) for row in done.results] == [
        (False, True, None, None),
        (False, False, "ERR_INVALID_MEMORY", None),
        (False, True, None, None),
    ]
    assert done.results[1].error
    assert (done.summary, done.commit_sha) == ((3, 0, 0, 1, 2, 0), None)
    assert everything_in(store.root) == before


def test_asked_to_go_on_a_batch_writes_what_can_be_written(store: Store) -> None:
    before = head(store.root)
    done = apply(
        store,
        ops(
            {"body": "One."},
            {"body": "Two.", "article_html": "<p><mark>Two.</mark></p>"},
            {"body": "Three.", "path": "notes/three.html"},
            {"body": f"Four ghp_{'a1B2' * 9}."},
            {"body": "Five.", "type": "task", "status": "wip"},
            {"body": "Six.", "due": "next friday"},
            {"body": "Seven.", "importance": 7.5},
            {"article_html": "<p>eight</p>"},
            {"body": "Nine."},
        ),
        GO_ON,
    )
    assert [row.code for row in done.results] == [
        None,
        "ERR_INVALID_MEMORY",
        "ERR_PATH_REFUSED",
        "ERR_SECRET_REFUSED",
        *["ERR_INVALID_MEMORY"] * 4,
        None,
    ]
    assert [row.index for row in done.results] == list(range(9))
    assert done.summary == (9, 2, 0, 7, 0, 0)
    assert commits_since(store, before) == 1
    assert len(committed(store.root)) == 2


def test_a_batch_of_nothing_but_refusals_changes_nothing(store: Store) -> None:
    write(store, words("First."))
    before = everything_in(store.root)
    done = apply(store, ops({"type": "x", "body": "One."}, {"type": "y", "body": "Two."}), GO_ON)
    assert (done.summary.failed, done.commit_sha) == (2, None)
    assert everything_in(store.root) == before


def test_equal_words_are_written_once_in_a_batch_and_against_the_store(store: Store) -> None:
    first = write(store, words("Known."))
    done = apply(store, bodies("New.", "Known.", "New.", "New.", "Known."))
    new = done.results[0].path
    assert [(row.ok, row.deduped, row.path, row.existing_path) for row in done.results] == [
        (True, False, new, None),
        (True, True, first.path, first.path),
        (True, True, new, new),
        (True, True, new, new),
        (True, True, first.path, first.path),
    ]
    assert done.summary == (5, 1, 4, 0, 0, 0)


def test_a_batch_that_is_known_already_makes_no_commit(store: Store) -> None:
    apply(store, bodies("One.", "Two."))
    before = everything_in(store.root)
    done = apply(store, bodies("Two.", "One."))
    assert (done.summary, done.commit_sha) == ((2, 0, 2, 0, 0, 0), None)
    assert everything_in(store.root) == before


def test_tasks_of_a_batch_may_repeat_words_in_both_directions(store: Store) -> None:
    task: dict[str, object] = {"body": "Same words.", "type": "task"}
    done = apply(store, ops(task, task, {"body": "Same words."}, {"body": "Same words."}, task))
    assert [row.deduped for row in done.results] == [False, False, False, True, False]
    assert len(committed(store.root)) == 4


def test_equal_words_with_another_date_are_refused_within_a_batch_too(store: Store) -> None:
    article = '<p><mark>It rained.</mark> <time datetime="{}">That day</time>.</p>'
    done = apply(
        store, ops(*({"article_html": article.format(day)} for day in ("2026-03-01", "2026-03-02"))), GO_ON
    )
    assert [row.code for row in done.results] == [None, "ERR_DUPLICATE_CONTENT"]


def test_ops_of_one_title_get_names_of_their_own_past_those_of_the_store(store: Store) -> None:
    write(store, words("First."))
    done = apply(store, bodies("Two.", "Three.", "Four."))
    assert [row.path for row in done.results] == [f"areas/inbox/a-title-{n}.html" for n in (2, 3, 4)]


def test_two_ops_that_choose_one_path_never_overwrite_each_other(store: Store) -> None:
    for other in ("areas/mine.html", "areas/MINE.html", "areas/mine.html/inner.html"):
        lines = ops({"body": "One.", "path": "areas/mine.html"}, {"body": "Two.", "path": other})
        assert [row.code for row in apply(store, lines).results] == [None, "ERR_PATH_REFUSED"]
        assert committed(store.root) == []
    lines = ops({"body": "One.", "path": "areas/Sub/a.html"}, {"body": "Two.", "path": "areas/sub/b.html"})
    assert apply(store, lines).results[1].code == "ERR_PATH_REFUSED"


def test_a_chosen_path_is_not_given_to_a_title(store: Store) -> None:
    lines = ops({"body": "One.", "path": "areas/inbox/a-title.html"}, {"body": "Two."})
    assert [row.path for row in apply(store, lines).results] == [
        "areas/inbox/a-title.html",
        "areas/inbox/a-title-2.html",
    ]


def test_uncommitted_files_are_gone_around_or_refused_op_by_op(store: Store) -> None:
    mine = {"areas/inbox/a-title.html": memory("Mine."), "areas/chosen.html": memory("Mine too.")}
    plant(store.root, mine)
    lines = ops({"body": "One."}, {"body": "Two.", "path": "areas/chosen.html"})
    done = apply(store, lines, GO_ON)
    assert [(row.path, row.code) for row in done.results] == [
        ("areas/inbox/a-title-2.html", None),
        (None, "ERR_PATH_REFUSED"),
    ]
    assert {name: (store.root / name).read_bytes() for name in mine} == mine


def test_an_op_says_where_it_comes_from_or_its_batch_does(store: Store) -> None:
    lines = ops({"body": "One."}, {"body": "Two.", "session_id": "own", "turn_uuid": "t-9"}, {"body": "One."})
    done = apply(store, lines, provenance=Provenance("batch", "p-1", None))
    with closing(sqlite3.connect(store.state_path)) as state:
        links = state.execute(
            "SELECT path, session_id, prompt_id, turn_uuid FROM memory_session_links ORDER BY path"
        ).fetchall()
    assert sorted(links) == sorted(
        [
            (done.results[0].path, "batch", "p-1", None),
            (done.results[1].path, "own", "p-1", "t-9"),
        ]
    )
    trailers = git(store.root, "log", "-1", "--format=%(trailers)").decode().split("\n")
    assert [line for line in trailers if line] == ["Memhtml-Session: batch", "Memhtml-Prompt: p-1"]


def test_the_trailers_are_those_of_the_first_memory_that_says_where_it_comes_from(store: Store) -> None:
    apply(
        store,
        ops({"body": "One."}, {"body": "Two.", "session_id": "s-2"}, {"body": "3.", "session_id": "s-3"}),
    )
    assert b"Memhtml-Session: s-2" in git(store.root, "log", "-1", "--format=%(trailers)")


# Conflicts: told, never in the way.


def test_conflicts_are_told_only_when_asked_for(store: Store) -> None:
    held = write(store, words(MAIN))
    assert apply(store, bodies(TRUNK)).results[0].conflict is None
    done = apply(store, bodies(RELEASE), DETECT)
    assert done.results[0].ok
    assert done.results[0].conflict is not None
    assert done.results[0].conflict.batch_index is None
    assert held.path in committed(store.root)
    assert done.summary == (1, 1, 0, 0, 0, 0)


def test_a_memory_of_the_store_is_told_before_an_earlier_op_and_the_first_op_before_a_later(
    store: Store,
) -> None:
    done = apply(store, bodies(MAIN, TRUNK, RELEASE), DETECT)
    first = Conflict(None, 0, MAIN)
    assert [row.conflict for row in done.results] == [None, first, first]
    again = apply(store, bodies(MAIN.replace("main", "next"), MAIN.replace("main", "last")), DETECT)
    assert [row.conflict and row.conflict.path is not None for row in again.results] == [True, True]


@pytest.mark.parametrize(
    "line",
    [
        {"body": "No slot here."},
        {"article_html": f"<p><mark>{TRUNK}</mark></p>"},
        {"body": TRUNK, "type": "task"},
        {"body": MAIN},
    ],
)
def test_what_has_no_slot_or_says_the_same_is_no_conflict(store: Store, line: dict[str, object]) -> None:
    write(store, words(MAIN))
    assert apply(store, ops(line), DETECT).results[0].conflict is None


def test_archived_memories_and_tasks_fill_no_slot(store: Store) -> None:
    plant(store.root, {"archive/2026/areas/old.html": memory(MAIN, status="archived")})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "archived")
    write(store, words(TRUNK, memory_type="task"))
    assert apply(store, bodies(RELEASE), DETECT).results[0].conflict is None


def test_a_batch_that_is_refused_tells_its_conflicts_all_the_same(store: Store) -> None:
    held = write(store, words(MAIN))
    done = apply(store, ops({"body": TRUNK}, {"body": "x", "type": "folklore"}), DETECT)
    assert done.results[0] == OpResult(0, ok=False, skipped=True, conflict=Conflict(held.path, None, MAIN))


def test_slots_are_looked_up_once_a_batch_and_not_at_all_without_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def counted(connection: sqlite3.Connection, keys: set[str]) -> object:
        asked.append(keys)
        return rows_of_frames(connection, keys)

    monkeypatch.setattr(standing, "rows_of_frames", counted)
    apply(store, bodies("No slot.", "None here."), DETECT)
    assert asked == []
    apply(store, bodies(MAIN, TRUNK, "The kettle of the office is blue."), DETECT)
    assert len(asked) == 1


def test_a_lookup_that_fails_costs_the_hint_and_nothing_else(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(connection: sqlite3.Connection, keys: set[str]) -> object:
        raise sqlite3.OperationalError("disk I/O error")

    write(store, words(MAIN))
    monkeypatch.setattr(standing, "rows_of_frames", broken)
    done = apply(store, bodies(TRUNK), DETECT)
    assert (done.results[0].ok, done.results[0].conflict) == (True, None)
    assert any("conflict" in warning for warning in done.warnings)
    with pytest.raises(StorageFailed):
        apply(store, bodies(RELEASE), LAST_WINS)


def test_the_lookup_searches_the_index_of_slots(store: Store) -> None:
    write(store, words(MAIN))
    with reading(store.index_path) as index:
        statement = (
            "EXPLAIN QUERY PLAN SELECT path FROM files WHERE frame_key IN (SELECT value FROM json_each('[]'))"
            " AND archived = 0 AND memory_type <> 'task'"
        )
        plan = " ".join(row[3] for row in index.execute(statement))
    assert "SEARCH files USING INDEX ix_files_frame_key" in plan


def test_claims_that_nearly_repeat_others_are_told_with_the_conflicts(store: Store) -> None:
    held = write(store, words("Power a soil probe for ten minutes before calibrating it."))
    near = "Power a soil probe for twenty minutes before calibrating it."
    assert apply(store, bodies(near.replace("twenty", "nine"))).similar == ()
    done = apply(store, bodies("Something else entirely is here.", near), DETECT)
    assert {(each.index, each.near.path) for each in done.similar} >= {(1, held.path)}
    assert {each.index for each in done.similar} == {1}


# The last one of a slot wins, when asked for.


def test_the_last_claim_of_a_slot_is_written_in_the_place_of_the_first(store: Store) -> None:
    done = apply(store, bodies("Before.", MAIN, "Between.", TRUNK, RELEASE), LAST_WINS)
    assert [row.consolidated_into for row in done.results] == [None, None, None, 1, 1]
    assert all(row.ok for row in done.results)
    assert done.summary == (5, 3, 0, 0, 0, 2)
    assert read(store, done.results[1].path or "").gist == RELEASE
    assert len(committed(store.root)) == 3


def test_the_memory_that_filled_the_slot_goes_into_the_archive_in_the_same_commit(store: Store) -> None:
    old = write(store, words(MAIN, title="Deploy branch"))
    before = head(store.root)
    done = apply(store, ops({"title": "Deploy branch", "body": TRUNK}), LAST_WINS)
    row = done.results[0]
    assert (row.ok, row.superseded_path) == (True, old.path)
    assert commits_since(store, before) == 1
    archived = f"archive/2026/{old.path}"
    assert sorted(committed(store.root)) == sorted([archived, row.path or ""])
    new, gone = read(store, row.path or ""), read(store, archived)
    assert [(link.rel, link.href) for link in new.links] == [("supersedes", f"/{archived}")]
    metas, fresh = dict(gone.metas), dict(new.metas)
    assert metas["memhtml-superseded-by"] == f"/{row.path}"
    assert (gone.archived, metas["memhtml-status"]) == (True, "archived")
    assert metas["memhtml-valid-until"] == fresh["memhtml-valid-from"] == fresh["memhtml-created"]
    assert_equals_rebuild(store.root)
    assert [f for f in check_store(store.root).findings if f.severity == "error"] == []


def test_an_end_that_is_known_already_is_never_put_off(store: Store) -> None:
    plant(store.root, {"areas/old.html": memory(MAIN, metas=[("valid-until", "2026-01-01")])})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "old")
    apply(store, bodies(TRUNK), LAST_WINS)
    assert dict(read(store, "archive/2026/areas/old.html").metas)["memhtml-valid-until"] == "2026-01-01"


def test_what_one_workspace_decides_archives_nothing_of_another(store: Store) -> None:
    held = write(store, words(MAIN, workspace="a"))
    done = apply(
        store, ops({"body": TRUNK, "workspace": "b"}, {"body": RELEASE, "workspace": "a"}), LAST_WINS
    )
    assert [row.consolidated_into for row in done.results] == [None, None]
    assert [row.superseded_path for row in done.results] == [None, held.path]


def test_without_being_asked_both_values_stay(store: Store) -> None:
    write(store, words(MAIN))
    apply(store, bodies(TRUNK, RELEASE))
    assert len([path for path in committed(store.root) if not path.startswith("archive/")]) == 3


def test_words_that_are_known_supersede_nothing(store: Store) -> None:
    held = write(store, words(MAIN))
    done = apply(store, bodies(TRUNK, MAIN), LAST_WINS)
    assert done.results[0].existing_path == held.path
    assert done.results[1].consolidated_into == 0
    assert done.commit_sha is None


def test_an_op_that_rests_on_a_refused_one_is_not_called_done(store: Store) -> None:
    lines = ops({"body": MAIN}, {"body": TRUNK, "path": "areas/taken.html"})
    plant(store.root, {"areas/taken.html": memory("Taken.")})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "taken")
    done = apply(store, lines, GO_ON._replace(last_wins=True))
    assert [(row.ok, row.code, row.skipped) for row in done.results] == [
        (False, "ERR_PATH_REFUSED", False),
        (False, None, True),
    ]


def test_a_claim_that_is_refused_leaves_its_slot_to_the_one_before(store: Store) -> None:
    lines = ops({"body": MAIN}, {"body": TRUNK}, {"body": RELEASE, "importance": 99})
    done = apply(store, lines, GO_ON._replace(last_wins=True))
    assert [(row.ok, row.consolidated_into) for row in done.results] == [
        (True, None),
        (True, 0),
        (False, None),
    ]
    assert read(store, done.results[0].path or "").gist == TRUNK


def test_a_batch_against_an_index_that_is_behind_knows_what_was_committed(store: Store) -> None:
    indexing.update(store)
    plant(store.root, {"areas/mine.html": memory(MAIN)})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "by hand")
    done = apply(store, bodies(MAIN, TRUNK), DETECT)
    assert done.results[0].existing_path == "areas/mine.html"
    assert done.results[1].conflict == Conflict("areas/mine.html", None, MAIN)  # type: ignore[arg-type]  # a path
