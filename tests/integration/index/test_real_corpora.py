"""Real input: a store of another implementation, 1,260 published notes, hostile pages among good ones."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from builders import memory, plant
from conftest import git
from corpora import data_dir, needs_data
from planes import AT, assert_equals_rebuild, reading

from memhtml.app import indexing, retrieval
from memhtml.app.wire import Store, open_store
from memhtml.format.content_hash import canonical_of_file, sha256_of

CHECKOUT = Path(__file__).resolve().parents[3]

#: Column to why it differs from what the other implementation projected (DESIGN D1, D3, D5, D16).
STATED_DIFFERENCES = {
    "content_hash": "BLAKE3 instead of SHA-256, over the same canonical text",
}


def _store(root: Path) -> Store:
    return open_store(root, clock=lambda: AT)


def _rows(root: Path, table: str, columns: list[str]) -> list[dict[str, Any]]:
    with reading(_store(root).index_path) as connection:
        found = connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
    return [dict(zip(columns, row, strict=True)) for row in found]


def _sorted(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


@needs_data
def test_a_store_of_the_typescript_memhtml_gives_its_rows_field_for_field(tmp_path: Path) -> None:
    root = tmp_path / "store"
    git(tmp_path, "clone", "-q", str(data_dir() / "interop/original-0.15.bundle"), str(root))
    expected = json.loads((data_dir() / "interop/original-0.15.rows.json").read_text(encoding="utf-8"))
    assert git(root, "rev-parse", "HEAD").decode().strip() == expected["head"]
    report = indexing.rebuild(_store(root))
    assert (report.files_indexed, report.skipped) == (245, ())
    for table in ("file_tags", "file_entities", "file_facets", "file_citations", "edges"):
        columns = sorted(expected[table][0])
        assert _sorted(_rows(root, table, columns)) == _sorted(expected[table]), table

    columns = sorted(expected["files"][0])
    ours = {row["path"]: row for row in _rows(root, "files", columns)}
    assert set(ours) == {row["path"] for row in expected["files"]}
    for row in expected["files"]:
        differing = {name for name in columns if ours[row["path"]][name] != row[name]}
        assert differing == STATED_DIFFERENCES.keys(), row["path"]
        assert sha256_of(canonical_of_file((root / row["path"]).read_bytes())) == row["content_hash"]

    chunks = "files JOIN chunks USING (content_hash)"
    columns = ["path", "ordinal", "text", "char_count"]
    assert _sorted(_rows(root, chunks, columns)) == _sorted(expected["chunks"])
    assert_equals_rebuild(root)


@pytest.fixture(scope="module")
def til(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of published notes, indexed."""
    root = tmp_path_factory.mktemp("til") / "store"
    subprocess.run(
        [sys.executable, "-m", "bench.til", str(root)], cwd=CHECKOUT, check=True, capture_output=True
    )
    indexing.rebuild(_store(root))
    return root


def _stems(root: Path) -> list[Path]:
    return sorted((root / "resources").rglob("*.html"))


@needs_data
def test_real_notes_are_followed_through_edits_renames_and_deletions(til: Path) -> None:
    first = indexing.status(_store(til))
    assert first.files == 1260
    notes = _stems(til)
    for note in notes[:10]:
        note.write_bytes(note.read_bytes().replace(b"</mark>", b" (revised)</mark>", 1))
    for note in notes[100:110]:
        git(til, "mv", str(note.relative_to(til)), str(note.with_stem(note.stem + "-moved").relative_to(til)))
    for note in notes[200:210]:
        git(til, "rm", "-q", str(note.relative_to(til)))
    git(til, "commit", "-q", "-a", "-m", "edit ten, move ten, delete ten")
    report = indexing.update(_store(til))
    assert (report.modified, report.renamed, report.removed, report.added) == (10, 10, 10, 0)
    verified = indexing.verify(_store(til))
    assert verified.agrees, verified
    assert verified.rows_compared > 5000
    assert indexing.status(_store(til)).digest != first.digest


@needs_data
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How do I undo a git commit that I just made?", "undo"),
        ("How can I list all the tables in a postgres database?", "postgres"),
        ("What is the way to copy the current file path in vim?", "vim"),
    ],
)
def test_a_note_is_found_by_a_question_about_it(til: Path, question: str, answer: str) -> None:
    hits = retrieval.search(_store(til), question).hits
    assert any(answer in hit.path for hit in hits[:5]), [hit.path for hit in hits]


@needs_data
def test_hostile_files_among_good_ones_are_named_and_the_good_ones_indexed(repo: Path) -> None:
    hostile: dict[str, bytes] = {}
    for source in sorted((data_dir() / "html").rglob("*")):
        if source.is_file():
            name = source.stem.replace(" ", "-").lower()[:40]
            hostile[f"areas/hostile/{len(hostile):03d}-{name}.html"] = source.read_bytes()
    assert len(hostile) >= 10
    big = memory("A file of twenty megabytes.", body="<p>" + "word " * 4_200_000 + "</p>")
    hostile["areas/hostile/twenty-megabytes.html"] = big
    hostile["areas/hostile/nested.html"] = memory("Nested.", body="<b>" * 100_000)
    attributes = " ".join(f"a{n}=x" for n in range(65_536))
    hostile["areas/hostile/attributes.html"] = memory("Attributes.", body=f"<p {attributes}>x</p>")
    good = {f"areas/good/{n}.html": memory(f"Good fact number {n}.") for n in range(50)}
    plant(repo, {".gitignore": b".memhtml/\n", **good, **hostile})
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "good and bad")
    report = indexing.rebuild(_store(repo))
    skipped = {str(skip.path): str(skip.code) for skip in report.skipped}
    assert report.files_indexed == len(good)
    assert set(skipped) == set(hostile)
    assert skipped["areas/hostile/twenty-megabytes.html"] == "FILE_OVERSIZED"
    assert skipped["areas/hostile/nested.html"] == "FILE_TOO_COMPLEX"
    assert skipped["areas/hostile/attributes.html"] == "FILE_TOO_COMPLEX"
    assert_equals_rebuild(repo)
    plant(
        repo,
        {"areas/good/0.html": memory("Good fact, edited."), "areas/hostile/nested.html": b"<i>" * 90_000},
    )
    assert indexing.update(_store(repo)).modified == 1
    assert_equals_rebuild(repo)
