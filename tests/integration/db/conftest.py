"""Fixtures of the storage layer's tests."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import NOW, Opener

from memhtml import resources
from memhtml.db.open import open_index
from memhtml.values import Plane


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Open `index.db` of the test's folder; `upto` stops at an older schema. Every connection is closed at the end."""
    connections: list[sqlite3.Connection] = []

    def opener(
        path: Path | None = None, *, mode: str = "write", upto: int | None = None
    ) -> sqlite3.Connection:
        migrations = resources.migrations(Plane.INDEX)[:upto]
        connection = open_index(path or tmp_path / "index.db", mode=mode, migrations=migrations, now=NOW)
        connections.append(connection)
        return connection

    yield opener
    for connection in connections:
        connection.close()
