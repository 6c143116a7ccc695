"""Building and comparing indexes in tests."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from memhtml.db.open import open_index
from memhtml.git.read import open_reader
from memhtml.index import build
from memhtml.index.digest import recomputed_digest, stored_digest
from memhtml.index.folder import IndexFolder
from memhtml.index.projector import fingerprint
from memhtml.index.verify import compare_planes
from memhtml.resources import migrations
from memhtml.values import Instant, Plane

AT = Instant("2026-06-01T12:00:00Z")


@cache
def _empty_index() -> Path:
    """A migrated index without a row: copying it is ten times faster than migrating."""
    folder = Path(tempfile.mkdtemp(prefix="memhtml-empty-"))
    open_index(folder / "index.db", mode="write", migrations=migrations(Plane.INDEX), now=AT).close()
    return folder / "index.db"


@contextmanager
def reading(index: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads."""
    with closing(open_index(index, mode="read", migrations=migrations(Plane.INDEX), now=AT)) as connection:
        yield connection


@contextmanager
def built_from_nothing(root: Path, *, committed: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection to an index of `root` that never saw an update."""
    with tempfile.TemporaryDirectory(prefix="memhtml-fresh-") as scratch:
        folder = IndexFolder(Path(scratch))
        folder.path.mkdir()
        shutil.copy(_empty_index(), folder.index_path)
        build.rebuild(folder, open_reader(root), AT, None, can_embed=True, committed=committed)
        with reading(folder.index_path) as connection:
            yield connection


def assert_equals_rebuild(root: Path, *, committed: bool = False) -> None:
    """Fail unless the live index of `root` holds what a rebuild from nothing gives, and is sound in itself."""
    live_path = IndexFolder(root).index_path
    with reading(live_path) as live, built_from_nothing(root, committed=committed) as fresh:
        _, differences = compare_planes(live, fresh)
        assert differences == (), differences
        digest = recomputed_digest(fresh, fingerprint())
        assert recomputed_digest(live, fingerprint()) == digest
        assert stored_digest(live, fingerprint()) == digest
        for word in ("probe", "kettle", "ledger", "harbour"):
            assert _matches(live, word) == _matches(fresh, word), word
    with closing(sqlite3.connect(live_path)) as checked:
        checked.execute("INSERT INTO files_fts (files_fts, rank) VALUES ('integrity-check', 1)")
        assert checked.execute("PRAGMA foreign_key_check").fetchall() == []
        assert checked.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        checked.rollback()


def _matches(connection: sqlite3.Connection, word: str) -> list[tuple[str, float]]:
    return [
        (path, round(score, 9))
        for path, score in connection.execute(
            "SELECT path, bm25(files_fts) AS score FROM files_fts JOIN files ON files.id = files_fts.rowid"
            " WHERE files_fts MATCH ? ORDER BY score, path",
            (word,),
        )
    ]
