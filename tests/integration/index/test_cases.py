"""The hard cases of following a repository, one by one (spec index-traces 3.6, a to z)."""

import subprocess
import sys
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from planes import AT, assert_equals_rebuild, reading

from memhtml.app import indexing
from memhtml.app.wire import Store, open_store
from memhtml.errors import GitFailed, IndexStale
from memhtml.index.reports import Reconcile, UpdateReport

A = memory("The kettle trips the breaker.", title="Kettle")
B = memory("The ledger hangs behind the door.", title="Ledger", created="2026-04-01T00:00:00Z")
C = memory("The probe reads low when cold.", title="Probe", created="2026-05-01T00:00:00Z")


def _commit(root: Path, message: str = "work") -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)


def _store(root: Path) -> Store:
    return open_store(root, clock=lambda: AT)


def _update(root: Path) -> UpdateReport:
    """Bring the index up, and hold it against a rebuild every time."""
    report = indexing.update(_store(root))
    assert_equals_rebuild(root)
    return report


def _paths(root: Path) -> list[str]:
    with reading(_store(root).index_path) as connection:
        return [path for (path,) in connection.execute("SELECT path FROM files ORDER BY path")]


def _one(root: Path, sql: str, *values: object) -> object:
    with reading(_store(root).index_path) as connection:
        row = connection.execute(sql, values).fetchone()
        return row[0] if row else None


@pytest.fixture
def indexed(repo: Path) -> Path:
    """A store with two committed, indexed memories."""
    plant(repo, {".gitignore": b".memhtml/\n*.tmp.html\n", "areas/a.html": A, "areas/b.html": B})
    _commit(repo)
    _update(repo)
    return repo


def test_a_reverted_edit_leaves_no_trace(indexed: Path) -> None:
    plant(indexed, {"areas/a.html": memory("An edit that is taken back.")})
    assert _update(indexed).dirty == 1
    git(indexed, "checkout", "-q", "--", "areas/a.html")
    assert _update(indexed).modified == 1
    assert _one(indexed, "SELECT title FROM files WHERE path = 'areas/a.html'") == "Kettle"


def test_b_a_deleted_untracked_file_leaves_no_phantom(indexed: Path) -> None:
    plant(indexed, {"areas/new.html": C})
    assert _update(indexed).added == 1
    (indexed / "areas/new.html").unlink()
    assert _update(indexed).removed == 1
    assert _paths(indexed) == ["areas/a.html", "areas/b.html"]


def test_c_a_watermark_that_was_collected_is_reconciled(indexed: Path) -> None:
    plant(indexed, {"areas/a.html": memory("Rewritten by an amended commit.")})
    git(indexed, "commit", "-q", "-a", "--amend", "-m", "amended")
    git(indexed, "reflog", "expire", "--expire=now", "--all")
    git(indexed, "gc", "-q", "--prune=now")
    report = _update(indexed)
    assert (report.reconciled, report.reason, report.modified) == (True, Reconcile.WATERMARK_GONE, 1)


def test_d_a_rewritten_history_whose_old_commit_stands_needs_no_reconciling(indexed: Path) -> None:
    plant(indexed, {"areas/a.html": memory("Rewritten by an amended commit.")})
    git(indexed, "commit", "-q", "-a", "--amend", "-m", "amended")
    report = _update(indexed)
    assert (report.reconciled, report.modified) == (False, 1)


def test_e_files_in_new_untracked_folders_are_found_whatever_the_configuration_says(indexed: Path) -> None:
    git(indexed, "config", "status.showUntrackedFiles", "no")
    plant(indexed, {"projects/new/deep/c.html": C})
    assert _update(indexed).added == 1


def test_f_a_staged_rename_moves_the_row(indexed: Path) -> None:
    git(indexed, "mv", "areas/a.html", "areas/renamed.html")
    report = _update(indexed)
    assert (report.renamed, report.added, report.removed, report.dirty) == (1, 0, 0, 2)
    assert _paths(indexed) == ["areas/b.html", "areas/renamed.html"]


def test_g_a_rename_out_of_the_corpus_is_a_removal_and_into_it_an_addition(indexed: Path) -> None:
    git(indexed, "mv", "areas/a.html", "notes.html")
    _commit(indexed)
    assert _update(indexed).removed == 1
    git(indexed, "mv", "notes.html", "areas/back.html")
    _commit(indexed)
    assert _update(indexed).added == 1


def test_h_a_rename_onto_a_path_that_has_a_row(indexed: Path) -> None:
    git(indexed, "mv", "-f", "areas/a.html", "areas/b.html")
    _commit(indexed)
    report = _update(indexed)
    assert (report.renamed, report.removed) == (1, 1)
    assert _one(indexed, "SELECT title FROM files WHERE path = 'areas/b.html'") == "Kettle"


def test_i_equal_words_are_one_row_and_a_named_skip_until_the_winner_goes(indexed: Path) -> None:
    plant(indexed, {"areas/copy.html": A})
    _commit(indexed)
    report = _update(indexed)
    assert [(skip.path, skip.code, skip.reason) for skip in report.skipped] == [
        ("areas/copy.html", "DUPLICATE_CONTENT", "says the same as areas/a.html")
    ]
    git(indexed, "rm", "-q", "areas/a.html")
    _commit(indexed)
    report = _update(indexed)
    assert report.skipped == ()
    assert _paths(indexed) == ["areas/b.html", "areas/copy.html"]


def test_i_the_older_copy_wins_even_if_it_comes_later(indexed: Path) -> None:
    older = A.replace(b"2026-03-09T08:15:00Z", b"2020-01-01T00:00:00Z")
    plant(indexed, {"areas/z-older.html": older})
    _commit(indexed)
    _update(indexed)
    assert _paths(indexed) == ["areas/b.html", "areas/z-older.html"]


def test_j_swapped_words_and_a_closed_chain_of_renames(indexed: Path) -> None:
    plant(indexed, {"areas/a.html": B, "areas/b.html": A, "areas/c.html": C})
    _commit(indexed)
    report = _update(indexed)
    assert (report.renamed, report.added) == (2, 1)
    ids = dict(_rows(indexed, "SELECT title, id FROM files"))
    for name, source in (("a", "b"), ("b", "c"), ("c", "a")):
        (indexed / f"areas/{name}.html").rename(indexed / f"areas/{source}.moving")
    for parked in sorted((indexed / "areas").glob("*.moving")):
        parked.rename(parked.with_suffix(".html"))
    _commit(indexed)
    assert _update(indexed).renamed == 3
    assert dict(_rows(indexed, "SELECT title, id FROM files")) == ids


def _rows(root: Path, sql: str) -> list[tuple[object, ...]]:
    with reading(_store(root).index_path) as connection:
        return connection.execute(sql).fetchall()


def test_k_words_that_move_to_a_path_sorted_before_their_old_one(indexed: Path) -> None:
    git(indexed, "rm", "-q", "areas/b.html")
    plant(indexed, {"areas/0.html": B})
    _commit(indexed)
    assert _update(indexed).renamed == 1


def test_l_a_file_that_stops_parsing_loses_its_row_and_is_named(indexed: Path) -> None:
    plant(indexed, {"areas/a.html": b"<p>no memory any more"})
    _commit(indexed)
    report = _update(indexed)
    assert report.removed == 1
    assert [(skip.path, skip.code) for skip in report.skipped] == [("areas/a.html", "FORMAT_VIOLATION")]
    plant(indexed, {"areas/a.html": A})
    _commit(indexed)
    assert _update(indexed).skipped == ()


def test_m_a_rename_to_a_file_that_does_not_parse(indexed: Path) -> None:
    git(indexed, "mv", "areas/a.html", "areas/broken.html")
    plant(indexed, {"areas/broken.html": b"\x00\x01"})
    _commit(indexed)
    report = _update(indexed)
    assert (report.removed, report.renamed) == (1, 0)
    assert _paths(indexed) == ["areas/b.html"]


def test_n_an_archived_copy_shares_the_chunk_of_the_active_one(indexed: Path) -> None:
    plant(indexed, {"archive/2025/areas/a.html": A.replace(b'"active"', b'"archived"')})
    _commit(indexed)
    _update(indexed)
    assert _one(indexed, "SELECT count(*) FROM chunks") == 2
    git(indexed, "rm", "-q", "areas/a.html")
    _commit(indexed)
    _update(indexed)
    assert _one(indexed, "SELECT count(*) FROM chunks") == 2


def test_q_a_bare_repository_is_rebuilt_and_updated(indexed: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(indexed), str(bare))
    _update(bare)
    plant(indexed, {"areas/c.html": C})
    _commit(indexed)
    git(indexed, "push", "-q", str(bare), "main")
    assert _update(bare).added == 1


@pytest.mark.parametrize("committed", [True, False])
def test_r_a_symbolic_link_is_named_and_never_followed(
    indexed: Path, tmp_path: Path, committed: bool
) -> None:
    secret = tmp_path / "secret.html"
    secret.write_bytes(memory("A secret outside of the store."))
    (indexed / "areas/link.html").symlink_to(secret)
    if committed:
        _commit(indexed)
    report = _update(indexed)
    assert [(skip.path, skip.code) for skip in report.skipped] == [("areas/link.html", "FILE_SYMLINK")]
    assert "secret" not in str(_rows(indexed, "SELECT body_text FROM files"))


def test_s_ignored_files_are_no_memories_and_unmerged_ones_keep_their_committed_row(indexed: Path) -> None:
    plant(indexed, {"areas/x.tmp.html": C})
    assert _update(indexed).unchanged
    git(indexed, "checkout", "-q", "-b", "side")
    plant(indexed, {"areas/a.html": memory("The side says this.")})
    _commit(indexed)
    git(indexed, "checkout", "-q", "main")
    plant(indexed, {"areas/a.html": memory("The main line says that.")})
    _commit(indexed)
    subprocess.run(["git", "-C", str(indexed), "merge", "-q", "side"], capture_output=True, check=False)
    report = _update(indexed)
    assert report.unmerged == 1
    assert "main line" in str(_one(indexed, "SELECT gist FROM files WHERE path = 'areas/a.html'"))


def test_t_a_file_removed_from_gits_index_but_kept_on_disk_stays(indexed: Path) -> None:
    git(indexed, "rm", "-q", "--cached", "areas/a.html")
    _update(indexed)
    assert _paths(indexed) == ["areas/a.html", "areas/b.html"]


def test_u_bytes_that_are_not_utf_8_are_read_with_replacements(indexed: Path) -> None:
    plant(indexed, {"areas/latin.html": memory("caf\u00e9 hours").replace("é".encode(), b"\xe9")})
    _commit(indexed)
    _update(indexed)
    assert _one(indexed, "SELECT gist FROM files WHERE path = 'areas/latin.html'") == "caf\ufffd hours"


def test_w_line_endings_and_clean_filters_change_nothing(indexed: Path) -> None:
    git(indexed, "config", "core.autocrlf", "true")
    git(indexed, "config", "filter.shout.clean", "sed s/whisper/shout/")
    plant(
        indexed,
        {
            ".gitattributes": b"areas/filtered.html filter=shout\n",
            "areas/crlf.html": C.replace(b"\n", b"\r\n"),
            "areas/filtered.html": memory("We whisper in the harbour office."),
        },
    )
    _update(indexed)
    dirty = _rows(indexed, "SELECT path, blob_sha, row_digest FROM files ORDER BY path")
    assert _one(indexed, "SELECT gist FROM files WHERE path = 'areas/filtered.html'") == (
        "We shout in the harbour office."
    )
    _commit(indexed)
    report = _update(indexed)
    assert (report.modified, report.added) == (0, 0)
    assert _rows(indexed, "SELECT path, blob_sha, row_digest FROM files ORDER BY path") == dirty


def test_y_mined_edges_follow_a_move_and_end_with_the_words_they_were_mined_from(indexed: Path) -> None:
    import sqlite3
    from contextlib import closing

    hashes = dict(_rows(indexed, "SELECT path, content_hash FROM files"))
    with closing(sqlite3.connect(_store(indexed).index_path)) as connection, connection:
        connection.execute(
            "INSERT INTO edges (src_path, rel, dst_path, edge_class, derived, strength, provenance, src_hash,"
            " dst_hash, created_at) VALUES ('areas/a.html', 'relates_to', 'areas/b.html', 'memory', 1, 0.8,"
            " 'sleep', ?, ?, ?)",
            (hashes["areas/a.html"], hashes["areas/b.html"], AT),
        )
    git(indexed, "mv", "areas/a.html", "areas/moved.html")
    _commit(indexed)
    _update(indexed)
    assert _rows(indexed, "SELECT src_path, dst_path FROM edges WHERE derived = 1") == [
        ("areas/moved.html", "areas/b.html")
    ]
    report = indexing.rebuild(_store(indexed))
    assert (report.derived_edges_preserved, report.derived_edges_dropped) == (1, 0)
    plant(indexed, {"areas/b.html": C})
    _update(indexed)
    assert _rows(indexed, "SELECT src_path FROM edges WHERE derived = 1") == []


def test_a_second_update_writes_nothing(indexed: Path) -> None:
    before = _store(indexed).index_path.stat()
    report = _update(indexed)
    assert report.unchanged
    assert _store(indexed).index_path.stat().st_mtime_ns == before.st_mtime_ns


def test_unchanged_rows_keep_their_stamp(indexed: Path) -> None:
    plant(indexed, {"areas/c.html": C})
    later = open_store(indexed, clock=lambda: type(AT)("2027-01-01T00:00:00Z"))
    indexing.update(later)
    assert _rows(indexed, "SELECT path, indexed_at FROM files ORDER BY path") == [
        ("areas/a.html", AT),
        ("areas/b.html", AT),
        ("areas/c.html", "2027-01-01T00:00:00Z"),
    ]


def test_an_index_that_names_no_commit_is_refused_with_its_cure(indexed: Path) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(_store(indexed).index_path)) as connection, connection:
        connection.execute("UPDATE index_state SET head_sha = NULL")
    with pytest.raises(IndexStale) as refusal:
        indexing.update(_store(indexed))
    assert refusal.value.hints == ("memhtml index rebuild",)
    indexing.rebuild(_store(indexed))
    assert_equals_rebuild(indexed)


def test_a_repository_without_a_commit_is_a_typed_failure(repo: Path) -> None:
    plant(repo, {"areas/a.html": A})
    with pytest.raises(GitFailed):
        indexing.rebuild(_store(repo))


def test_a_missing_object_aborts_and_leaves_the_old_index(indexed: Path) -> None:
    plant(indexed, {"areas/c.html": C})
    _commit(indexed)
    before = indexing.status(_store(indexed)).digest
    blob = git(indexed, "rev-parse", "HEAD:areas/c.html").decode().strip()
    (indexed / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for operation in (indexing.update, indexing.rebuild):
        with pytest.raises(GitFailed):
            operation(_store(indexed))
        assert indexing.status(_store(indexed)).digest == before


def test_a_store_in_a_folder_of_a_larger_repository(repo: Path) -> None:
    plant(repo, {"notes/memory/areas/a.html": A, "areas/outside.html": B, ".gitignore": b".memhtml/\n"})
    _commit(repo)
    store = repo / "notes/memory"
    _update(store)
    assert _paths(store) == ["areas/a.html"]
    plant(store, {"areas/b.html": B})
    assert _update(store).added == 1
    plant(repo, {"areas/outside.html": C})
    _commit(repo)
    _update(store)
    assert _paths(store) == ["areas/a.html", "areas/b.html"]


def test_readers_are_not_blocked_by_a_pass_and_see_the_old_rows(indexed: Path) -> None:
    plant(indexed, {f"areas/{n}.html": memory(f"Fact {n}.") for n in range(30)})
    _commit(indexed)
    paused = (
        "import sys; from pathlib import Path; from memhtml import faults; from memhtml.app import indexing;"
        "from memhtml.app.wire import open_store;"
        "faults.arm('pass.watermark_written', lambda: (print('in', flush=True), sys.stdin.readline()));"
        "indexing.update(open_store(Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", paused, str(indexed)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "in"
        assert _paths(indexed) == ["areas/a.html", "areas/b.html"]
        assert _one(indexed, "SELECT count(*) FROM files_fts WHERE files_fts MATCH 'kettle'") == 1
        child.communicate("go on\n", timeout=60)
    assert child.returncode == 0
    assert len(_paths(indexed)) == 32
