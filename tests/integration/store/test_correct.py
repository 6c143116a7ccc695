"""A correction: one commit, two files, linked both ways, and what was left unsaid as it was."""

import sqlite3
from contextlib import closing

import pytest
from builders import memory
from conftest import git
from integration.store.conftest import committed, everything_in, head, subjects, words
from integration.store.test_archive import PROBE, bytes_at, planted, sound

from memhtml.app.archive import archive
from memhtml.app.correct import Correction, correct
from memhtml.app.wire import Store
from memhtml.app.write import Provenance, write
from memhtml.errors import (
    InvalidMemory,
    MemhtmlError,
    PathNotFound,
    PathRefused,
    SaidElsewhere,
    SecretRefused,
)
from memhtml.format.parse import parse

TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def probed(store: Store) -> Store:
    metas = [
        ("importance", "8"),
        ("entity", "device:probe"),
        ("tag", "sensors"),
        ("tag", "cold"),
        ("alias", "the probe"),
    ]
    return planted(
        store, {PROBE: memory("A probe reads low.", title="Probe", type_="procedural", metas=metas)}
    )


def test_a_correction_is_one_commit_with_the_old_memory_in_the_archive(probed: Store) -> None:
    before, old = head(probed.root), bytes_at(probed, PROBE)
    done = correct(probed, PROBE, Correction(claim="A probe reads high.", title="Probe, corrected"))
    assert done.path == "areas/sensors/probe-corrected.html"
    assert done.archived_path == f"archive/2026/{PROBE}"
    assert sorted(committed(probed.root)) == sorted([done.path, done.archived_path])
    assert git(probed.root, "rev-list", "--count", f"{before}..HEAD").strip() == b"1"
    assert subjects(probed.root)[0] == "memhtml(correct): Probe, corrected"
    new, gone = parse(bytes_at(probed, done.path)), parse(bytes_at(probed, done.archived_path))
    assert [(link.rel, link.href) for link in new.links] == [("memhtml-supersedes", f"/{done.archived_path}")]
    assert (gone.superseded_by, gone.status) == (f"/{done.path}", "archived")
    assert gone.valid_until == new.valid_from == new.created
    kept = bytes_at(probed, done.archived_path)
    assert kept[kept.index(b"<article>") :] == old[old.index(b"<article>") :]
    log = git(probed.root, "log", "--follow", "--format=%s", "--", done.archived_path)
    assert b"memories" in log
    sound(probed)


def test_what_is_left_unsaid_stays_as_it_was(probed: Store) -> None:
    done = correct(probed, PROBE, Correction(claim="A probe reads high."))
    new = parse(bytes_at(probed, done.path))
    assert done.path == "areas/sensors/probe-2.html"
    assert (new.title, new.memory_type, new.importance) == ("Probe", "procedural", 8)
    assert (new.tags, new.entities, new.aliases) == (("sensors", "cold"), ("device:probe",), ("the probe",))
    assert new.confidence is None


def test_what_is_said_anew_stands_in_its_place(probed: Store) -> None:
    correction = Correction(
        body=("A probe reads high. In the sun.",),
        memory_type="semantic",
        workspace="Hive",
        tags=("sun",),
        entities=("device:sun",),
        importance=2,
        confidence=0.4,
    )
    done = correct(probed, PROBE, correction)
    new = parse(bytes_at(probed, done.path))
    assert done.path == "projects/hive/probe.html"
    assert (new.gist, new.memory_type, new.tags, new.entities) == (
        "A probe reads high.",
        "semantic",
        ("sun",),
        ("device:sun",),
    )
    assert (new.importance, new.confidence) == (2, 0.4)


def test_the_reason_and_the_session_are_in_the_commit(probed: Store) -> None:
    source = Provenance("s-1", "p-1", "t-1")
    correction = Correction(
        claim="A probe reads high.", reason="measured\n\nMemhtml-Run: no", provenance=source
    )
    done = correct(probed, PROBE, correction)
    message = git(probed.root, "log", "-1", "--format=%B").decode()
    assert "  measured" in message
    trailers = git(probed.root, "log", "-1", "--format=%(trailers)").decode().split()
    assert trailers == ["Memhtml-Session:", "s-1", "Memhtml-Prompt:", "p-1"]
    with closing(sqlite3.connect(probed.state_path)) as state:
        rows = state.execute("SELECT path, session_id, link_kind FROM memory_session_links").fetchall()
    assert rows == [(done.path, "s-1", "corrected")]


def test_the_old_memory_ends_when_the_event_of_the_new_one_was(probed: Store) -> None:
    article = (
        '<p><mark>It reads high</mark> since <time datetime="2026-02-01T10:00:00+02:00">then</time>.</p>'
    )
    done = correct(probed, PROBE, Correction(article_html=article))
    assert parse(bytes_at(probed, done.path)).valid_from == "2026-02-01T08:00:00Z"
    assert parse(bytes_at(probed, done.archived_path)).valid_until == "2026-02-01T08:00:00Z"


@pytest.mark.parametrize(
    ("known", "kept"), [("2026-01-01", True), ("2026-02-28T23:59:59Z", True), ("2027-01-01", False)]
)
def test_of_two_ends_the_earlier_one_holds(store: Store, known: str, *, kept: bool) -> None:
    planted(store, {PROBE: memory(metas=[("valid-until", known)])})
    done = correct(store, PROBE, Correction(claim="A probe reads high."))
    assert (parse(bytes_at(store, done.archived_path)).valid_until == known) is kept


def test_a_task_stays_as_far_as_it_was(store: Store) -> None:
    path = "projects/hive/tasks/paint.html"
    metas = [("task-status", "doing"), ("due", "2026-09-01")]
    planted(store, {path: memory("Paint it.", title="Paint", type_="task", metas=metas)})
    done = correct(store, path, Correction(claim="Paint it blue."))
    new = parse(bytes_at(store, done.path))
    assert done.path == "projects/hive/tasks/paint-2.html"
    assert (new.task_status, new.due) == ("doing", "2026-09-01")


def test_a_correction_of_the_title_alone_repeats_the_words(probed: Store) -> None:
    done = correct(probed, PROBE, Correction(claim="A probe reads low.", title="What a probe reads"))
    assert parse(bytes_at(probed, done.path)).title == "What a probe reads"
    sound(probed)


def test_corrections_can_be_corrected(probed: Store) -> None:
    first = correct(probed, PROBE, Correction(claim="A probe reads high."))
    second = correct(probed, first.path, Correction(claim="A probe reads right."))
    third = correct(probed, second.path, Correction(claim="A probe reads well."))
    assert len(committed(probed.root)) == 4
    assert third.path == first.path, "the name is free again"
    sound(probed)


@pytest.mark.parametrize(
    ("target", "correction", "error"),
    [
        ("areas/none.html", Correction(claim="A claim."), PathNotFound),
        ("../../outside.html", Correction(claim="A claim."), PathRefused),
        (PROBE, Correction(article_html="<p>no claim</p>"), InvalidMemory),
        (PROBE, Correction(), InvalidMemory),
        (PROBE, Correction(claim="A claim.", memory_type="arc"), InvalidMemory),
        (PROBE, Correction(claim=f"The token is {TOKEN}."), SecretRefused),
        (PROBE, Correction(claim="A claim.", reason=f"it was {TOKEN}"), SecretRefused),
        (PROBE, Correction(claim="A claim.", importance=11), InvalidMemory),
    ],
)
def test_a_refused_correction_leaves_everything_as_it_was(
    probed: Store, target: str, correction: Correction, error: type[MemhtmlError]
) -> None:
    before = everything_in(probed.root)
    with pytest.raises(error):
        correct(probed, target, correction)
    assert everything_in(probed.root) == before


def test_words_of_a_third_memory_and_an_archived_target_are_refused(probed: Store) -> None:
    third = write(probed, words("A probe reads high.", title="Third"))
    away = archive(probed, write(probed, words("Noise.", title="Noise")).path, "noise")
    before = everything_in(probed.root)
    with pytest.raises(SaidElsewhere) as caught:
        correct(probed, PROBE, Correction(claim="A probe reads high."))
    assert caught.value.path == third.path
    with pytest.raises(PathRefused):
        correct(probed, away.archive_path, Correction(claim="Silence."))
    assert everything_in(probed.root) == before
