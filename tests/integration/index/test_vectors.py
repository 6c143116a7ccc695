"""Vectors: paid for once, kept by words, never mixed, salvaged from a damaged index."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from embedders import HashingEmbedder
from planes import AT, assert_equals_rebuild, reading

from memhtml.app import indexing
from memhtml.app.wire import Store, open_store
from memhtml.db.open import open_index
from memhtml.errors import EmbedModelMismatch, ModelUnavailable, RebuildNoEmbedRefused
from memhtml.index.embed import PROBES, embed_missing
from memhtml.resources import migrations
from memhtml.values import Instant, Plane

FILES = {f"areas/{n}.html": memory(f"Fact {n}: the kettle trips breaker {n}.") for n in range(20)}


def _commit(root: Path, message: str = "work") -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)


def _begin(root: Path, files: dict[str, bytes] | None = None) -> None:
    plant(root, {".gitignore": b".memhtml/\n", **(FILES if files is None else files)})
    _commit(root)


def _store(root: Path, embedder: HashingEmbedder | None) -> Store:
    return open_store(root, clock=lambda: AT, embedder=embedder)


def _vectors(root: Path) -> dict[str, tuple[str, bytes]]:
    with reading(_store(root, None).index_path) as connection:
        return {
            chunk: (model, vec)
            for chunk, model, vec in connection.execute("SELECT chunk_id, model, vec FROM embeddings")
        }


def test_every_chunk_gets_the_vector_of_its_own_text(repo: Path) -> None:
    _begin(repo)
    embedder = HashingEmbedder()
    report = indexing.rebuild(_store(repo, embedder))
    assert (report.embeddings_written, report.embeddings_remaining) == (20, 0)
    with reading(_store(repo, None).index_path) as connection:
        for text, vec in connection.execute("SELECT text, vec FROM chunks JOIN embeddings USING (chunk_id)"):
            assert vec == embedder.embed_query(text)
    assert [len(request) for request in embedder.requests] == [8, 8, 7]
    assert embedder.requests[0][:3] == list(PROBES)


def test_a_rename_an_archive_move_a_restore_and_a_head_edit_make_no_call(repo: Path) -> None:
    _begin(repo)
    indexing.rebuild(_store(repo, HashingEmbedder()))
    before = _vectors(repo)
    quiet = HashingEmbedder()
    store = _store(repo, quiet)

    (repo / "archive/2026/areas").mkdir(parents=True)
    git(repo, "mv", "areas/0.html", "areas/renamed.html")
    git(repo, "mv", "areas/1.html", "archive/2026/areas/1.html")
    stamped = (
        (repo / "areas/2.html").read_bytes().replace(b'"2026-03-11T17:42:30Z"', b'"2026-05-05T00:00:00Z"')
    )
    (repo / "areas/2.html").write_bytes(stamped)
    _commit(repo)
    report = indexing.update(store)
    assert (report.renamed, report.modified, report.added, report.removed) == (2, 1, 0, 0)
    assert report.embeddings_saved == 3
    git(repo, "mv", "archive/2026/areas/1.html", "areas/1.html")
    _commit(repo)
    assert indexing.update(store).renamed == 1
    indexing.rebuild(store)
    assert quiet.requests == []
    assert _vectors(repo) == before
    assert_equals_rebuild(repo)


def test_a_reverted_edit_finds_its_vector_again(repo: Path) -> None:
    _begin(repo)
    indexing.rebuild(_store(repo, HashingEmbedder()))
    before = _vectors(repo)
    original = (repo / "areas/0.html").read_bytes()
    plant(repo, {"areas/0.html": memory("Something else altogether.")})
    _commit(repo)
    edited = HashingEmbedder()
    assert indexing.update(_store(repo, edited)).embeddings_written == 1
    assert len(edited.texts) == 1 + len(PROBES)
    (repo / "areas/0.html").write_bytes(original)
    _commit(repo)
    quiet = HashingEmbedder()
    report = indexing.update(_store(repo, quiet))
    assert (report.embeddings_written, report.embeddings_saved, quiet.requests) == (1, 1, [])
    assert _vectors(repo) == before


def test_an_update_embeds_its_own_batch_and_embed_closes_the_rest(repo: Path) -> None:
    _begin(repo)
    indexing.rebuild(_store(repo, None))
    plant(repo, {"areas/new.html": memory("The harbour office has a second kettle.")})
    embedder = HashingEmbedder()
    report = indexing.update(_store(repo, embedder))
    assert embedder.texts == [*PROBES, "The harbour office has a second kettle."]
    assert (report.embeddings_written, report.embeddings_remaining) == (1, 20)
    dry = HashingEmbedder()
    plan = indexing.embed(_store(repo, dry), dry_run=True)
    assert (plan.calls, plan.embeddings_written, dry.requests) == (3, 0, [])
    closed = indexing.embed(_store(repo, embedder))
    assert (closed.embeddings_written, closed.embeddings_remaining) == (20, 0)
    assert indexing.embed(_store(repo, embedder)).calls == 0


def test_equal_texts_are_asked_for_once(repo: Path) -> None:
    same = "The ledger hangs behind the door."
    _begin(
        repo,
        {
            "areas/a.html": memory(same),
            "archive/2025/areas/b.html": memory(same, status="archived"),
            "areas/c.html": memory(same, article=f"<p><mark>{same}</mark></p><pre> </pre>"),
        },
    )
    embedder = HashingEmbedder()
    indexing.rebuild(_store(repo, embedder))
    assert embedder.texts.count(same) == 1


def test_a_failure_in_the_middle_keeps_what_landed_and_the_next_run_asks_for_the_rest(repo: Path) -> None:
    _begin(repo)
    failing = HashingEmbedder(fails_from=1)
    report = indexing.rebuild(_store(repo, failing))
    assert (report.files_indexed, report.embeddings_written, report.embeddings_remaining) == (20, 5, 15)
    resumed = HashingEmbedder()
    assert indexing.embed(_store(repo, resumed)).embeddings_written == 15
    assert len(resumed.texts) == 15 + len(PROBES)


def test_a_model_that_never_answers_leaves_a_working_text_index(repo: Path) -> None:
    _begin(repo)
    silent = HashingEmbedder(fails_from=0)
    report = indexing.rebuild(_store(repo, silent))
    assert (report.files_indexed, report.embeddings_written, report.embeddings_remaining) == (20, 0, 20)
    with pytest.raises(ModelUnavailable):
        indexing.embed(_store(repo, silent))
    assert_equals_rebuild(repo)


@pytest.mark.parametrize(
    "distort",
    [
        lambda vectors: vectors[:-1],
        lambda vectors: [*vectors, vectors[0]],
        lambda vectors: [vector[:-4] for vector in vectors],
        lambda vectors: [b"\x00\x00\xc0\x7f" + vector[4:] for vector in vectors],
    ],
    ids=["one short", "one too many", "wrong width", "not a number"],
)
def test_an_answer_that_does_not_fit_the_question_is_refused_whole(repo: Path, distort: object) -> None:
    _begin(repo)
    embedder = HashingEmbedder()
    embedder.distort = distort  # type: ignore[assignment]
    assert indexing.rebuild(_store(repo, embedder)).embeddings_written == 0
    assert _vectors(repo) == {}


def test_another_space_is_refused_before_anything_is_written(repo: Path) -> None:
    _begin(repo)
    indexing.rebuild(_store(repo, HashingEmbedder()))
    before = _vectors(repo)
    plant(repo, {"areas/new.html": memory("New.")})
    other = _store(repo, HashingEmbedder(model="other-test"))
    head = indexing.status(other)
    assert not head.embed_model_matches
    for operation in (indexing.update, indexing.embed):
        with pytest.raises(EmbedModelMismatch) as refusal:
            operation(other)
        assert refusal.value.hints[0] == "memhtml index rebuild --embed"
    assert _vectors(repo) == before
    assert indexing.status(other).digest == head.digest


def test_the_suggested_rebuild_really_moves_the_index_to_the_other_space_and_back_for_free(
    repo: Path,
) -> None:
    _begin(repo)
    first = HashingEmbedder()
    indexing.rebuild(_store(repo, first))
    before = _vectors(repo)
    other = _store(repo, HashingEmbedder(model="other-test"))
    assert indexing.rebuild(other).embeddings_written == 20
    assert {model for model, _ in _vectors(repo).values()} == {other.embedder.space.identity}  # type: ignore[union-attr]
    assert indexing.status(other).embed_model_matches
    quiet = HashingEmbedder()
    report = indexing.rebuild(_store(repo, quiet))
    assert (report.embeddings_written, quiet.requests) == (20, [])
    assert _vectors(repo) == before


def test_a_provider_that_changed_its_model_behind_one_name_is_refused(repo: Path) -> None:
    _begin(repo)
    indexing.rebuild(_store(repo, HashingEmbedder()))
    before = _vectors(repo)
    plant(repo, {"areas/new.html": memory("A fact that needs a vector.")})
    changed = HashingEmbedder()
    changed.distort = lambda vectors: [vector[4:] + vector[:4] for vector in vectors]
    with pytest.raises(EmbedModelMismatch):
        indexing.update(_store(repo, changed))
    assert _vectors(repo) == before
    assert indexing.status(_store(repo, None)).files == 21


def test_a_rebuild_that_cannot_embed_is_refused_over_vectors_unless_forced(repo: Path) -> None:
    _begin(repo)
    store = _store(repo, HashingEmbedder())
    indexing.rebuild(store)
    before = _vectors(repo)
    for attempt in (
        lambda: indexing.rebuild(store, embed=False),
        lambda: indexing.rebuild(_store(repo, None)),
    ):
        with pytest.raises(RebuildNoEmbedRefused) as refusal:
            attempt()
        assert refusal.value.count == 20
    assert indexing.rebuild(store, embed=False, force=True).embeddings_preserved == 20
    assert _vectors(repo) == before


def test_a_rebuild_without_vectors_needs_no_force(repo: Path) -> None:
    _begin(repo)
    store = _store(repo, None)
    indexing.rebuild(store)
    assert indexing.rebuild(store, embed=False).files_indexed == 20


def test_a_new_projector_brings_the_vectors_of_unchanged_text_along(repo: Path) -> None:
    _begin(repo)
    indexing.rebuild(_store(repo, HashingEmbedder()))
    before = _vectors(repo)
    with closing(sqlite3.connect(_store(repo, None).index_path)) as connection, connection:
        connection.execute("UPDATE index_state SET projector = 'older'")
        connection.execute("UPDATE chunks SET text = 'cut otherwise' WHERE rowid = 1")
    quiet = HashingEmbedder()
    report = indexing.update(_store(repo, quiet))
    assert report.reconciled
    indexing.embed(_store(repo, quiet))
    assert len(quiet.texts) == 1 + len(PROBES)
    assert _vectors(repo) == before


def test_a_damaged_index_is_moved_aside_and_its_readable_vectors_are_kept(repo: Path) -> None:
    _begin(repo, {f"areas/{n}.html": memory(f"Fact {n} of many about kettles.") for n in range(120)})
    store = _store(repo, HashingEmbedder())
    indexing.rebuild(store)
    before = _vectors(repo)
    # The schema page stays readable; a page in the middle of `files` does not.
    data = bytearray(store.index_path.read_bytes())
    with reading(store.index_path) as connection:
        (page,) = connection.execute(
            "SELECT pageno FROM dbstat WHERE name = 'files' AND pagetype = 'leaf' LIMIT 1 OFFSET 3"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data[(page - 1) * size : page * size] = b"\xa5" * size
    store.index_path.write_bytes(bytes(data))
    quiet = HashingEmbedder()
    report = indexing.rebuild(_store(repo, quiet))
    assert report.moved_aside is not None
    assert (store.index_path.parent / report.moved_aside).exists()
    assert (report.embeddings_preserved, quiet.requests) == (120, [])
    assert _vectors(repo) == before
    assert_equals_rebuild(repo)


def test_an_unreadable_page_of_vectors_costs_only_its_own(repo: Path) -> None:
    _begin(repo, {f"areas/{n}.html": memory(f"Fact {n} of many about kettles.") for n in range(120)})
    store = _store(repo, HashingEmbedder())
    indexing.rebuild(store)
    with reading(store.index_path) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        pages = [
            page
            for name in ("embeddings", "files")
            for (page,) in connection.execute(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' LIMIT 1 OFFSET 1", (name,)
            )
        ]
    data = bytearray(store.index_path.read_bytes())
    for page in pages:
        data[(page - 1) * size : page * size] = b"\xa5" * size
    store.index_path.write_bytes(bytes(data))
    mending = HashingEmbedder()
    report = indexing.rebuild(_store(repo, mending))
    assert 0 < report.embeddings_preserved < 120
    assert report.embeddings_preserved + report.embeddings_written == 120
    assert report.embeddings_remaining == 0
    assert_equals_rebuild(repo)


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n" + b"\x00" * 5000, b"SQLite format 3\x00" + b"z" * 9000]
)
def test_what_is_no_database_is_moved_aside(repo: Path, content: bytes) -> None:
    _begin(repo)
    store = _store(repo, None)
    store.index_path.parent.mkdir()
    store.index_path.write_bytes(content)
    report = indexing.update(store)
    assert report.added == 20
    assert (report.moved_aside is None) == (content == b"")
    assert_equals_rebuild(repo)


def test_a_run_into_one_space_stops_when_the_index_turns_to_another(repo: Path) -> None:
    _begin(repo)
    first = HashingEmbedder()
    other = HashingEmbedder(model="other-test")
    indexing.rebuild(_store(repo, None))

    def turn(vectors: list[bytes]) -> list[bytes]:
        if len(first.requests) == 2:
            indexing.rebuild(_store(repo, other))
        return vectors

    first.distort = turn
    with pytest.raises(EmbedModelMismatch):
        _embed_without_the_lock(repo, first)
    assert {model for model, _ in _vectors(repo).values()} == {other.space.identity}
    assert indexing.status(_store(repo, other)).embeddings_remaining == 0


def _embed_without_the_lock(root: Path, embedder: HashingEmbedder) -> None:
    """What a second process does whose lock file was on another file system, say."""
    index = _store(root, None).index_path
    connection = open_index(index, mode="write", migrations=migrations(Plane.INDEX), now=AT)
    with closing(connection):
        embed_missing(connection, embedder, lambda: AT)


def test_a_change_of_space_that_stops_early_leaves_the_old_space_in_use_and_resumes(repo: Path) -> None:
    _begin(repo)
    indexing.rebuild(_store(repo, HashingEmbedder()))
    before = _vectors(repo)
    failing = HashingEmbedder(model="other-test", fails_from=1)
    indexing.rebuild(_store(repo, failing))
    assert _vectors(repo) == before
    assert indexing.status(_store(repo, HashingEmbedder())).embed_model_matches
    resumed = HashingEmbedder(model="other-test")
    assert indexing.rebuild(_store(repo, resumed)).embeddings_written == 20
    assert len(resumed.texts) == 15 + len(PROBES)
    assert {model for model, _ in _vectors(repo).values()} == {resumed.space.identity}


def test_an_embedder_that_takes_one_text_at_a_time_is_given_one(repo: Path) -> None:
    _begin(repo)
    single = HashingEmbedder(batch_size=1)
    assert indexing.rebuild(_store(repo, single)).embeddings_written == 20
    assert {len(request) for request in single.requests} == {1}


def test_a_vector_that_nothing_asked_for_in_thirty_days_leaves_the_cache_on_an_update(repo: Path) -> None:
    _begin(repo)
    indexing.rebuild(_store(repo, HashingEmbedder()))
    plant(repo, {"areas/0.html": memory("Edited once.")})
    indexing.update(_store(repo, HashingEmbedder()))
    with reading(_store(repo, None).index_path) as connection:
        assert connection.execute("SELECT count(*) FROM embedding_cache").fetchone() == (1,)
    plant(repo, {"areas/1.html": memory("Edited later.")})
    later = open_store(repo, clock=lambda: Instant("2026-09-01T00:00:00Z"), embedder=HashingEmbedder())
    indexing.update(later)
    with reading(_store(repo, None).index_path) as connection:
        cached = connection.execute("SELECT last_used_at FROM embedding_cache").fetchall()
    assert cached == [("2026-09-01T00:00:00Z",)]


def test_a_damaged_index_gives_its_cache_and_its_probes_back_too(repo: Path) -> None:
    _begin(repo, {f"areas/{n}.html": memory(f"Fact {n} of many about kettles.") for n in range(120)})
    store = _store(repo, HashingEmbedder())
    indexing.rebuild(store)
    plant(repo, {"areas/0.html": memory("Edited.")})
    indexing.update(store)
    with reading(store.index_path) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute(
            "SELECT pageno FROM dbstat WHERE name = 'files' AND pagetype = 'leaf' LIMIT 1 OFFSET 2"
        ).fetchone()
    data = bytearray(store.index_path.read_bytes())
    data[(page - 1) * size : page * size] = b"\xa5" * size
    store.index_path.write_bytes(bytes(data))
    assert indexing.rebuild(_store(repo, HashingEmbedder())).moved_aside is not None
    with reading(store.index_path) as connection:
        assert connection.execute("SELECT count(*) FROM embedding_cache").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM probe_vectors").fetchone() == (len(PROBES),)
