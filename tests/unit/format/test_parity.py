"""A store that another memhtml wrote is projected to the rows that it held itself."""

import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from corpora import data_dir, needs_data

from memhtml.format import content_hash
from memhtml.format.check import check
from memhtml.format.instants import is_datetime, normalise_instant
from memhtml.format.parse import parse
from memhtml.format.paths import is_indexable_path
from memhtml.format.projection import project_file
from memhtml.format.rows import FILE_COLUMNS, MemoryRows
from memhtml.values import BlobSha, MemoryPath

pytestmark = needs_data

INSTANTS = {"created_at", "updated_at", "event_at", "archived_at", "valid_from", "valid_until", "due_at"}
#: Ours hashes by another algorithm, and its search text ends with terms of its own.
OWN = {"content_hash", "fts_text"}

Rows = dict[str, Any]


@pytest.fixture(scope="module")
def theirs() -> Rows:
    rows: Rows = json.loads((data_dir() / "interop" / "original-0.15.rows.json").read_text(encoding="utf-8"))
    return rows


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, bytes]]:
    """Path to blob id and bytes of every memory at HEAD."""
    root = tmp_path_factory.mktemp("interop") / "store"
    bundle = data_dir() / "interop" / "original-0.15.bundle"
    _git(root.parent, "clone", "-q", str(bundle), str(root))
    found = {}
    for line in _git(root, "ls-tree", "-r", "-z", "HEAD").decode().split("\0"):
        about, _, path = line.partition("\t")
        if path and is_indexable_path(path):
            sha = about.split(" ")[2]
            found[path] = (sha, _git(root, "cat-file", "blob", sha))
    return found


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def ours(files: dict[str, tuple[str, bytes]]) -> dict[str, MemoryRows]:
    projected = {}
    for path, (sha, data) in files.items():
        rows = project_file(MemoryPath(path), BlobSha(sha), data)
        assert isinstance(rows, MemoryRows), rows
        projected[path] = rows
    return projected


def test_every_memory_has_its_row_and_nothing_else_has(ours: dict[str, MemoryRows], theirs: Rows) -> None:
    assert sorted(ours) == [row["path"] for row in theirs["files"]]


def test_every_column_is_equal(ours: dict[str, MemoryRows], theirs: Rows) -> None:
    for row in theirs["files"]:
        expected = {
            name: normalise_instant(value) if name in INSTANTS and value is not None else value
            for name, value in row.items()
            if name not in OWN
        }
        file = ours[row["path"]].file._asdict()
        assert {name: file[name] for name in FILE_COLUMNS if name not in OWN} == expected


def test_every_child_row_is_equal(ours: dict[str, MemoryRows], theirs: Rows) -> None:
    for table, columns, children in (
        ("file_tags", ("tag",), {path: [(tag,) for tag in rows.tags] for path, rows in ours.items()}),
        (
            "file_entities",
            ("entity_type", "entity_name"),
            {path: rows.entities for path, rows in ours.items()},
        ),
        (
            "file_facets",
            ("name", "value", "numeric_value"),
            {path: rows.facets for path, rows in ours.items()},
        ),
        ("file_citations", ("text", "href"), {path: rows.citations for path, rows in ours.items()}),
        ("edges", ("rel", "dst_path", "edge_class"), {path: rows.edges for path, rows in ours.items()}),
    ):
        expected = defaultdict(list)
        for row in theirs[table]:
            if not row.get("derived"):
                expected[row.get("path") or row["src_path"]].append(tuple(row[column] for column in columns))
        assert {path: sorted(map(tuple, rows)) for path, rows in children.items() if rows} == {
            path: sorted(rows) for path, rows in expected.items()
        }


def test_every_hash_of_the_article_is_equal(files: dict[str, tuple[str, bytes]], theirs: Rows) -> None:
    for row in theirs["files"]:
        document = parse(files[row["path"]][1])
        assert document.sha256 == row["content_hash"]
        if document.stamped_hash:
            assert content_hash.stamp_matches(document.stamped_hash, document.canonical_text) is True


def test_the_search_text_begins_with_theirs(ours: dict[str, MemoryRows], theirs: Rows) -> None:
    for row in theirs["files"]:
        assert ours[row["path"]].file.fts_text.startswith(f"{row['title']}\n{row['gist']}\n")


def test_nothing_they_wrote_is_refused_or_sorts_as_text(files: dict[str, tuple[str, bytes]]) -> None:
    for path, (_, data) in files.items():
        document = parse(data)
        assert check(document) == (), path
        assert document.created is not None
        assert is_datetime(document.created)
