"""The corpora that numbers are measured on: the same bytes everywhere, valid, and without equal content."""

import hashlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from conftest import git
from corpora import data_dir, needs_data

from bench import til
from bench.corpus import generate, memories
from memhtml.format import content_hash
from memhtml.format.check import check
from memhtml.format.parse import parse
from memhtml.values import MemoryType

#: Changes only with the generator itself; numbers from before such a change cannot be compared with those after.
DIGEST_OF_50 = "2a7e1abce7edc939f0f1d372e2a6edc443b23afdf03cc197b7a5ad6ffbae0128"
CHECKOUT = Path(__file__).resolve().parents[2]
PRINT_DIGEST = """
import hashlib
from bench.corpus import memories
print(hashlib.sha256(b"".join(path.encode() + data for path, data in memories(50))).hexdigest())
"""


def digest(count: int, seed: int) -> str:
    return hashlib.sha256(b"".join(p.encode() + d for p, d in memories(count, seed=seed))).hexdigest()


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_one_seed_gives_the_same_bytes_in_every_process(
    hash_seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
    printed = subprocess.run(
        [sys.executable, "-c", PRINT_DIGEST], cwd=CHECKOUT, capture_output=True, check=True
    )
    assert printed.stdout.decode().strip() == DIGEST_OF_50


def test_another_seed_gives_another_corpus() -> None:
    assert digest(20, 1) == digest(20, 1)
    assert digest(20, 1) != digest(20, 2)


def test_a_generated_store_is_one_clean_commit_of_the_same_id(tmp_path: Path) -> None:
    first, second = generate(tmp_path / "a", 60), generate(tmp_path / "b", 60)
    assert first.commit == second.commit
    assert git(tmp_path / "a", "status", "--porcelain") == b""
    assert len(list((tmp_path / "a").rglob("*.html"))) == first.count == 60


def test_a_bare_store_has_the_same_commit_and_no_files(tmp_path: Path) -> None:
    assert generate(tmp_path / "bare", 60, bare=True).commit == generate(tmp_path / "full", 60).commit
    assert not list((tmp_path / "bare").rglob("*.html"))


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(FileExistsError):
        generate(tmp_path, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_generated_memories_are_valid_stamped_right_and_unequal() -> None:
    seen: set[str] = set()
    types: Counter[MemoryType | None] = Counter()
    for path, data in memories(1000):
        document = parse(data)
        assert check(document) == (), path
        found = content_hash.of_file(data)
        assert f'content="{found}"'.encode() in data, path
        seen.add(found)
        types[document.memory_type] += 1
    assert len(seen) == 1000
    assert set(types) == set(MemoryType)


def test_generated_memories_are_as_large_and_as_spread_as_real_ones() -> None:
    corpus = list(memories(3000))
    sizes = sorted(len(data) for _, data in corpus)
    folders = {path.rpartition("/")[0] for path, _ in corpus}
    assert sizes[0] > 1_000
    assert 1_500 < sizes[len(sizes) // 2] < 2_100
    assert sizes[-1] < 4_000
    assert 150 < len(folders) < 250
    assert {folder.partition("/")[0] for folder in folders} == {"projects", "areas", "resources", "archive"}


@needs_data
def test_every_note_becomes_a_valid_memory_and_none_is_lost(tmp_path: Path) -> None:
    notes = til.read_notes(data_dir() / "corpus" / "til-jbranchaud.jsonl")
    planted = til.plant(tmp_path / "notes", notes)
    files = sorted((tmp_path / "notes").rglob("*.html"))
    assert planted.count == len(notes) == len(files) == 1260
    assert planted.equal == ()
    assert git(tmp_path / "notes", "status", "--porcelain") == b""
    for file in files:
        assert check(parse(file.read_bytes())) == (), file.name


def test_notes_of_equal_words_are_all_written_and_named(tmp_path: Path) -> None:
    notes = [
        til.Note(f"git/{name}", "One", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "# One\n\nSame words.")
        for name in "ab"
    ]
    planted = til.plant(tmp_path / "notes", notes)
    assert planted.equal == (("resources/git/a.html", "resources/git/b.html"),)
    assert len(list((tmp_path / "notes").rglob("*.html"))) == 2


def test_a_note_keeps_its_sentence_its_code_and_its_link() -> None:
    text = "# Undo\n\nRun `git reset`. See [the other](other.md).\n\n```bash\n$ git reset <file>\n```\n"
    note = til.Note("git/undo", "Undo", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", text)
    document = parse(til.memory_of(note, frozenset({"git/undo", "git/other"})))
    assert document.gist == "Run git reset."
    assert document.code_langs == ("bash",)
    assert "$ git reset <file>" in document.body_text
    assert [(link.rel, link.href) for link in document.links] == [
        ("memhtml-relates-to", "/resources/git/other.html")
    ]
