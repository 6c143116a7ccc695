"""Reading one memory: what comes back, what is no memory, and what it leaves behind."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from builders import memory
from conftest import git

from memhtml.app.retrieval import read
from memhtml.app.wire import Store, open_store
from memhtml.db.open import attach_state
from memhtml.errors import InvalidMemory, PathNotFound, RepoRequired
from memhtml.resources import migrations
from memhtml.values import Plane

from .conftest import NOW, MakeStore

FULL = memory(
    "Calibrate the probe first.",
    title="Probes",
    metas=[("entity", "device:probe"), ("tag", "soil")],
    links=[("relates_to", "/areas/b.html")],
    body="<p>Then wait for <dfn>drift</dfn>.</p>",
)


def counts(store: Store) -> list[tuple[object, ...]]:
    if not store.state_path.exists():
        return []
    with closing(sqlite3.connect(store.state_path)) as state:
        return state.execute("SELECT path, access_count, last_accessed_at FROM access").fetchall()


def links(store: Store) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store.state_path)) as state:
        return state.execute("SELECT path, session_id, link_kind, at FROM memory_session_links").fetchall()


@pytest.mark.parametrize("path", ["areas/a.html", "/areas/a.html", "//areas//a.html"])
def test_a_memory_is_what_its_file_says(make_store: MakeStore, path: str) -> None:
    found = read(make_store({"areas/a.html": FULL}), path)
    assert found.path == "areas/a.html"
    assert (found.title, found.memory_type, found.gist) == (
        "Probes",
        "semantic",
        "Calibrate the probe first.",
    )
    assert found.body == ("Then wait for drift.",)
    assert found.entities == ("device:probe", "concept:drift")
    assert found.tags == ("soil",)
    assert [(link.rel, link.href) for link in found.links] == [("relates_to", "/areas/b.html")]
    assert ("memhtml-type", "semantic") in found.metas
    assert found.html.encode() == FULL
    assert (found.archived, found.warnings) == (False, ())


def test_the_working_tree_is_read_and_not_the_index(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": FULL})
    (store.root / "areas/a.html").write_bytes(memory("Edited since."))
    (store.root / "areas/new.html").write_bytes(memory("Never indexed."))
    assert read(store, "areas/a.html").gist == "Edited since."
    assert read(store, "areas/new.html").gist == "Never indexed."


def test_a_bare_repository_is_read_at_head(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store({"areas/a.html": FULL})
    git(tmp_path, "clone", "-q", "--bare", str(store.root), "bare.git")
    bare = open_store(tmp_path / "bare.git", clock=lambda: NOW)
    assert read(bare, "areas/a.html").title == "Probes"
    for path in ("areas/none.html", "areas"):
        with pytest.raises(PathNotFound):
            read(bare, path)


def test_a_warning_is_told_and_refuses_nothing(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": memory(body="<marquee>x</marquee>")})
    assert [code for code, _ in read(store, "areas/a.html").warnings] == ["element-unknown"]


def test_a_file_that_is_no_memory_says_which_rules_it_breaks(make_store: MakeStore) -> None:
    store = make_store({})
    (store.root / "areas").mkdir()
    (store.root / "areas/bad.html").write_bytes(b"<article><p>no mark</p></article>")
    with pytest.raises(InvalidMemory) as refused:
        read(store, "areas/bad.html")
    codes = [code for code, _ in refused.value.violations]
    assert "meta-missing" in codes
    assert "mark-missing" in codes
    assert counts(store) == []


def test_a_huge_file_is_refused_unparsed(make_store: MakeStore) -> None:
    store = make_store({})
    (store.root / "areas").mkdir()
    (store.root / "areas/huge.html").write_bytes(b"<div>" * 300_000)
    with pytest.raises(InvalidMemory) as refused:
        read(store, "areas/huge.html")
    assert [code for code, _ in refused.value.violations] == ["FILE_OVERSIZED"]


@pytest.mark.parametrize(
    "path",
    [
        "areas/none.html",
        "areas",
        "areas/",
        "",
        "/",
        "README.html",
        ".memhtml/index.db",
        ".memhtml/a.html",
        "areas/../README.html",
        "areas/../../outside.html",
        "areas/./a.html",
        "areas/index.html",
        "areas/link.html",
        "areas/linked/a.html",
        "areas/dangling.html",
        "areas/folder.html",
        "areas/pipe.html",
        "areas/\0.html",
        "areas/\ud800.html",
        "areas/a.html/b.html",
        "areas/" + "x" * 300 + ".html",
        "inbox/a.html",
    ],
)
def test_what_is_no_memory_of_the_store_is_not_found(make_store: MakeStore, path: str) -> None:
    store = make_store({"areas/a.html": FULL, "README.html": FULL, "areas/index.html": FULL})
    outside = store.root.parent / "outside.html"
    outside.write_bytes(FULL)
    (store.root / "areas/link.html").symlink_to(outside)
    (store.root / "areas/dangling.html").symlink_to("nowhere")
    (store.root.parent / "folder").mkdir()
    (store.root.parent / "folder/a.html").write_bytes(FULL)
    (store.root / "areas/linked").symlink_to(store.root.parent / "folder")
    (store.root / "areas/folder.html").mkdir()
    os.mkfifo(store.root / "areas/pipe.html")
    with pytest.raises(PathNotFound):
        read(store, path)
    assert counts(store) == []


def test_an_unknown_path_leads_to_a_search_for_its_name(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": FULL})
    with pytest.raises(PathNotFound) as refused:
        read(store, "areas/soil-probe_calibration.html")
    assert refused.value.hints == ("memhtml search 'soil probe calibration'", "memhtml list")


def test_an_archived_memory_is_pointed_to_from_where_it_stood(make_store: MakeStore) -> None:
    store = make_store({"archive/2025/areas/a.html": memory(status="archived")})
    with pytest.raises(PathNotFound) as refused:
        read(store, "areas/a.html")
    assert refused.value.hints[0] == "memhtml read archive/2025/areas/a.html"


def test_an_unknown_path_is_not_found_without_an_index_too(repo: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "nothing")
    with pytest.raises(PathNotFound):
        read(open_store(repo, clock=lambda: NOW), "areas/a.html")


def test_a_folder_outside_of_any_repository_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(RepoRequired):
        read(open_store(tmp_path / "nowhere"), "areas/a.html")


def test_a_reading_is_counted_once_in_fifteen_minutes(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": FULL})
    read(store, "areas/a.html")
    read(store, "areas/a.html")
    assert counts(store) == [("areas/a.html", 1, NOW)]


def test_a_reading_in_a_session_is_linked_to_it(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": FULL})
    read(store, "areas/a.html", session_id="s1")
    read(store, "areas/a.html", session_id="s1")
    assert links(store) == [("areas/a.html", "s1", "read", NOW)]


@pytest.mark.parametrize("damage", ["folder", "text", "read-only"])
def test_a_state_plane_that_cannot_be_written_keeps_no_memory_from_being_read(
    make_store: MakeStore, damage: str
) -> None:
    store = make_store({"areas/a.html": FULL})
    if damage == "folder":
        store.state_path.mkdir()
    elif damage == "text":
        store.state_path.write_bytes(b"this is no database" * 100)
    else:
        store.state_path.write_bytes(b"")
        store.state_path.chmod(0o400)
    assert read(store, "areas/a.html", session_id="s").title == "Probes"


@pytest.mark.parametrize("schema", ["up to date", "none yet", "older"])
def test_a_writer_of_the_state_plane_never_delays_a_reading(make_store: MakeStore, schema: str) -> None:
    """Whoever holds the write lock keeps the reading from being counted, and from nothing else."""
    store = make_store({"areas/a.html": FULL, "areas/b.html": memory("Another one.")})
    if schema == "up to date":
        read(store, "areas/b.html")
    elif schema == "older":
        with closing(sqlite3.connect(":memory:", isolation_level=None, uri=True)) as connection:
            attach_state(
                connection, store.state_path, mode="write", migrations=migrations(Plane.STATE)[:1], now=NOW
            )
    with closing(sqlite3.connect(store.state_path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        assert read(store, "areas/a.html", session_id="s1").title == "Probes"
        assert time.monotonic() - begun < 2.0
        writer.execute("ROLLBACK")
    read(store, "areas/a.html", session_id="s1")
    assert ("areas/a.html", 1, NOW) in counts(store)
    assert links(store) == [("areas/a.html", "s1", "read", NOW)]
