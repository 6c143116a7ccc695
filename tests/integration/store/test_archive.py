"""Into the archive and back: moves of files whose article no byte of which changes."""

import itertools

import pytest
from builders import memory, plant
from conftest import git
from hypothesis import given
from hypothesis import strategies as st
from integration.store.conftest import committed, everything_in, subjects, words
from planes import assert_equals_rebuild

from memhtml.app import indexing
from memhtml.app.archive import archive, restore
from memhtml.app.health import check_store
from memhtml.app.retrieval import read
from memhtml.app.wire import Store
from memhtml.app.write import write
from memhtml.errors import (
    DirtyTree,
    InvalidMemory,
    MemhtmlError,
    PathNotFound,
    PathRefused,
    SaidElsewhere,
    SecretRefused,
)
from memhtml.format.parse import parse
from memhtml.git.entries import Entry, EntryKind
from memhtml.git.read import open_reader
from memhtml.store.archive import plan_archive, plan_restore
from memhtml.store.view import HeadView
from memhtml.values import BlobSha, Instant, MemoryPath

PROBE = "areas/sensors/probe.html"
AT = Instant("2026-05-01T10:00:00Z")


def bytes_at(store: Store, path: str, revision: str = "HEAD") -> bytes:
    return git(store.root, "show", f"{revision}:{path}")


def planted(store: Store, files: dict[str, bytes]) -> Store:
    plant(store.root, files)
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "memories")
    indexing.update(store, embed=False)
    return store


@pytest.fixture
def probed(store: Store) -> Store:
    return planted(store, {PROBE: memory("A probe reads low in the cold.", title="Probe")})


def sound(store: Store) -> None:
    assert git(store.root, "status", "--porcelain") == b""
    assert_equals_rebuild(store.root)
    found = check_store(store.root).findings
    assert [f.code for f in found if f.severity.value == "error"] == []


def test_an_archived_memory_moves_with_its_article_as_it_was(probed: Store) -> None:
    before = bytes_at(probed, PROBE)
    done = archive(probed, "/" + PROBE, "sold the probe")
    assert done.archive_path == f"archive/2026/{PROBE}"
    assert PROBE not in committed(probed.root)
    assert done.archive_path in committed(probed.root)
    after = bytes_at(probed, done.archive_path)
    assert after[after.index(b"<article>") :] == before[before.index(b"<article>") :]
    document = parse(after)
    assert document.status == "archived"
    assert document.archived == document.updated
    assert document.superseded_by is None
    assert subjects(probed.root)[0] == f"memhtml(archive): {PROBE} — sold the probe"
    log = git(probed.root, "log", "--follow", "--format=%s", "--", done.archive_path).decode().splitlines()
    assert "memories" in log
    sound(probed)


def test_an_archived_memory_comes_back_as_it_was_but_for_when_it_was_updated(probed: Store) -> None:
    before = bytes_at(probed, PROBE)
    away = archive(probed, PROBE, "a mistake")
    back = restore(probed, away.archive_path)
    assert (back.path, back.successor_path) == (PROBE, None)
    assert committed(probed.root) == [PROBE]
    after = bytes_at(probed, PROBE)
    differing = [(a, b) for a, b in itertools.zip_longest(before.splitlines(), after.splitlines()) if a != b]
    assert len(differing) == 1
    assert b"memhtml-updated" in differing[0][0]
    assert read(probed, PROBE).archived is False
    sound(probed)


def test_a_second_archive_of_one_place_takes_an_ordinal_and_both_come_from_there(probed: Store) -> None:
    first = archive(probed, PROBE, "old")
    plant(probed.root, {PROBE: memory("A probe reads high in the sun.", title="Probe")})
    git(probed.root, "add", "-A")
    git(probed.root, "commit", "-qm", "another")
    second = archive(probed, PROBE, "old too")
    assert second.archive_path == "archive/2026/areas/sensors/probe-2.html"
    assert first.archive_path in committed(probed.root)
    sound(probed)
    back = restore(probed, second.archive_path)
    assert back.path == PROBE
    assert b"origin" not in bytes_at(probed, PROBE)
    before = everything_in(probed.root)
    with pytest.raises(PathRefused):
        restore(probed, first.archive_path)
    assert everything_in(probed.root) == before


def test_an_uncommitted_file_in_the_archive_is_stepped_around(probed: Store) -> None:
    plant(probed.root, {f"archive/2026/{PROBE}": b"notes of a person"})
    done = archive(probed, PROBE, "old")
    assert done.archive_path == "archive/2026/areas/sensors/probe-2.html"
    assert (probed.root / "archive/2026" / PROBE).read_bytes() == b"notes of a person"


def test_a_restored_memory_has_no_successor_any_more(store: Store) -> None:
    old, new = f"archive/2026/{PROBE}", "areas/sensors/probe-new.html"
    planted(
        store,
        {
            old: memory(
                "A probe reads low.",
                status="archived",
                metas=[
                    ("valid-until", "2026-04-01T00:00:00Z"),
                    ("archived", "2026-04-01T00:00:00Z"),
                    ("superseded-by", f"/{new}"),
                ],
            ),
            new: memory(
                "A probe reads high.",
                metas=[("valid-from", "2026-04-01T00:00:00Z")],
                links=[("supersedes", f"/{old}"), ("relates_to", "/areas/other.html")],
            ),
            "areas/other.html": memory("Another fact."),
        },
    )
    back = restore(store, old)
    assert back.successor_path == new
    restored, successor = parse(bytes_at(store, PROBE)), parse(bytes_at(store, new))
    assert (restored.status, restored.superseded_by, restored.valid_until) == ("active", None, None)
    assert [link.rel for link in successor.links] == ["memhtml-relates-to"]
    sound(store)


def test_an_end_that_somebody_set_outlives_the_archive(store: Store) -> None:
    planted(store, {PROBE: memory(metas=[("valid-until", "2026-12-31")])})
    away = archive(store, PROBE, "early")
    restore(store, away.archive_path)
    assert parse(bytes_at(store, PROBE)).valid_until == "2026-12-31"


def test_a_memory_whose_words_were_written_again_stays_in_the_archive(store: Store) -> None:
    first = write(store, words("A probe reads low when it is cold."))
    away = archive(store, first.path, "noise")
    second = write(store, words("A probe reads low when it is cold.", title="Another title"))
    before = everything_in(store.root)
    with pytest.raises(SaidElsewhere) as caught:
        restore(store, away.archive_path)
    assert caught.value.path == second.path
    assert everything_in(store.root) == before


def test_a_done_task_that_comes_back_is_to_be_done(store: Store) -> None:
    path = "archive/2026/projects/hive/tasks/paint.html"
    planted(store, {path: memory(type_="task", status="archived", metas=[("task-status", "done")])})
    back = restore(store, path)
    assert parse(bytes_at(store, back.path)).task_status == "todo"
    sound(store)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("areas/none.html", PathNotFound),
        ("../outside.html", PathRefused),
        ("areas/../../outside.html", PathRefused),
        ("areas/sensors", PathRefused),
        ("", PathRefused),
        ("areas/.git/x.html", PathRefused),
        ("areas/new\nline.html", PathRefused),
        ("areas/\udcff.html", MemhtmlError),
        ("areas/broken.html", InvalidMemory),
        ("areas/link.html", PathNotFound),
    ],
)
def test_what_is_no_memory_is_refused_and_nothing_changes(
    probed: Store, path: str, error: type[MemhtmlError]
) -> None:
    (probed.root / "areas" / "link.html").symlink_to("/etc/passwd")
    planted(probed, {"areas/broken.html": b"<p>no memory</p>"})
    before = everything_in(probed.root)
    with pytest.raises(error):
        archive(probed, path, "gone")
    with pytest.raises(error):
        restore(probed, path)
    assert everything_in(probed.root) == before


def test_the_archive_takes_nothing_twice_and_gives_nothing_that_it_has_not(probed: Store) -> None:
    planted(probed, {"archive/loose.html": memory("Loose.", status="archived")})
    away = archive(probed, PROBE, "old")
    before = everything_in(probed.root)
    for path in (away.archive_path, "archive/loose.html"):
        with pytest.raises(PathRefused) as caught:
            archive(probed, path, "again")
        assert "archived" in caught.value.message
    with pytest.raises(PathRefused):
        restore(probed, "archive/loose.html")
    assert everything_in(probed.root) == before


def test_work_that_nobody_committed_is_left_alone(probed: Store) -> None:
    (probed.root / PROBE).write_bytes(memory("Being edited."))
    before = everything_in(probed.root)
    with pytest.raises(DirtyTree):
        archive(probed, PROBE, "old")
    assert everything_in(probed.root) == before


def test_a_reason_with_a_secret_is_refused(probed: Store) -> None:
    before = everything_in(probed.root)
    with pytest.raises(SecretRefused):
        archive(probed, PROBE, "the token was ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    with pytest.raises(InvalidMemory):
        archive(probed, PROBE, "why " * 1000)
    assert everything_in(probed.root) == before


def test_a_reason_sets_no_trailer(probed: Store) -> None:
    archive(probed, PROBE, "old\n\nMemhtml-Session: forged")
    assert git(probed.root, "log", "-1", "--format=%(trailers)").strip() == b""


def test_an_origin_that_leads_out_of_the_store_is_passed_over(store: Store) -> None:
    path = "archive/2026/areas/x.html"
    data = memory("A claim.", status="archived")
    for origin in ("/../../etc/x.html", "/archive/2025/areas/y.html", "/areas/../../x.html"):
        tag = f'<meta name="x-memhtml-origin" content="{origin}">\n</head>'.encode()
        planted(store, {path: data.replace(b"</head>", tag)})
        view = HeadView(open_reader(store.root), open_reader(store.root).head(), lambda _: None)
        assert plan_restore(view, path=path, at=AT).result.path == "areas/x.html"


@given(
    claim=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=60),
    body=st.text(alphabet="a<>&\" '\n\t\u00e9", max_size=40),
    glue=st.sampled_from([b"\n", b"\r\n", b""]),
)
def test_no_byte_of_an_article_changes_on_the_way_there_and_back(claim: str, body: str, glue: bytes) -> None:
    data = memory(
        claim, metas=[("tag", "a")], body="".join(f"<p>{c}</p>" for c in body.split() if c.isalpha())
    )
    data = data.replace(b"\n", glue)
    kept = data[data.index(b"<body>") :]
    path = MemoryPath("areas/x.html")
    away = MemoryPath("archive/2026/areas/x.html")
    try:
        there = plan_archive(_View({path: data}), path=path, reason="", at=AT).changes[away]
    except InvalidMemory:
        return
    assert there is not None
    assert there.endswith(kept)
    back = plan_restore(_View({away: there}), path=away, at=AT).changes[path]
    assert back is not None
    assert back.endswith(kept)
    assert parse(back).content_hash == parse(data).content_hash


class _View(HeadView):
    """A commit of a few files that no repository holds."""

    def __init__(self, files: dict[MemoryPath, bytes]) -> None:
        super().__init__(_Reader(files), "c", lambda _: None)  # type: ignore[arg-type]  # all that a view asks of one


class _Reader:
    def __init__(self, files: dict[MemoryPath, bytes]) -> None:
        self._files = files

    def entry_at(self, _: str, path: str) -> object:
        if path not in self._files:
            return None
        return Entry(MemoryPath(path), BlobSha(path), EntryKind.FILE)  # its path is its id

    def blob(self, sha: str) -> bytes:
        return self._files[MemoryPath(sha)]

    def names_in(self, _: str, folder: str) -> list[str]:
        below = f"{folder}/" if folder else ""
        return sorted({path[len(below) :].split("/")[0] for path in self._files if path.startswith(below)})
