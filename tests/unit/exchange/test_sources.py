"""What is read from a folder or file, and what never is."""

import os
from pathlib import Path

import pytest
from builders import memory, plant
from imported import plan_of_path, refusal_codes

from memhtml.errors import PathNotFound
from memhtml.exchange.note import Copy, Note
from memhtml.exchange.report import Refused
from memhtml.exchange.sources import open_source

PROSE = b"Probes drift when they are cold.\n"


def read(path: Path) -> dict[str, str]:
    """The sources of all notes, with the code of a refusal, or the kind of note."""
    return {
        each.source: each.code.value if isinstance(each, Refused) else type(each).__name__
        for each in open_source(path)
    }


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    plant(tmp_path, dict.fromkeys(("b/two.md", "a.markdown", "b/one.htm", "c.HTML"), PROSE))
    assert [each.source for each in open_source(tmp_path)] == [
        "a.markdown",
        "c.HTML",
        "b/one.htm",
        "b/two.md",
    ]


def test_files_of_other_kinds_are_counted_and_hidden_folders_are_not_entered(tmp_path: Path) -> None:
    plant(
        tmp_path,
        dict.fromkeys(
            ("a.md", "a.png", "b.txt", ".hidden.md", ".git/x.md", ".obsidian/y.md", "node_modules/z.md"),
            PROSE,
        ),
    )
    source = open_source(tmp_path)
    assert [each.source for each in source] == ["a.md"]
    assert source.ignored == 2


def test_a_hidden_folder_that_is_named_itself_is_read(tmp_path: Path) -> None:
    plant(tmp_path, {".claude/memory/a.md": PROSE})
    assert read(tmp_path / ".claude" / "memory") == {"a.md": "Note"}


def test_what_is_no_note_by_its_bytes_is_refused(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "large.md": b"x" * 70_000,
            "latin.md": b"caf\xe9 au lait",
            "binary.md": b"\x00\x01",
            "bom.md": b"\xef\xbb\xbf" + PROSE,
        },
    )
    assert read(tmp_path) == {
        "binary.md": "BINARY",
        "bom.md": "Note",
        "large.md": "TOO_LARGE",
        "latin.md": "NOT_UTF8",
    }


def test_nothing_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    plant(tmp_path, {"outside/secret.md": PROSE, "notes/a.md": PROSE})
    notes = tmp_path / "notes"
    (notes / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (notes / "inner.md").symlink_to("a.md")
    (notes / "folder").symlink_to(tmp_path / "outside", target_is_directory=True)
    (notes / "loop").symlink_to(notes, target_is_directory=True)
    assert read(notes) == {"a.md": "Note", "inner.md": "SYMLINK", "link.md": "SYMLINK"}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert read(tmp_path) == {"pipe.md": "NOT_A_FILE"}


def test_a_name_that_no_path_of_a_store_can_be_is_refused(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.md")).write_bytes(PROSE)
    (tmp_path / "line\nfeed.md").write_bytes(PROSE)
    (tmp_path / "good.md").write_bytes(PROSE)
    assert read(tmp_path) == {"bad\ufffd.md": "BAD_NAME", "line\nfeed.md": "BAD_NAME", "good.md": "Note"}


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read any file")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(PROSE)
    (tmp_path / "a.md").chmod(0)
    assert read(tmp_path) == {"a.md": "UNREADABLE"}


def test_a_source_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PathNotFound):
        open_source(tmp_path / "nowhere")


def test_a_store_is_copied_and_a_folder_of_pages_is_not(tmp_path: Path) -> None:
    plant(
        tmp_path / "store",
        {
            "areas/a.html": memory(),
            "areas/index.html": memory(),
            "README.html": b"<p>no memory</p>",
            "projects/notes.md": PROSE,
            ".memhtml/state/access.jsonl": b"{}",
        },
    )
    found = list(open_source(tmp_path / "store"))
    assert [(type(each), each.source) for each in found] == [(Copy, "areas/a.html")]
    plant(
        tmp_path / "site",
        {"areas/a.html": b"<p>A page of a site, no memory at all.</p>", "areas/b.md": PROSE},
    )
    assert [type(each) for each in open_source(tmp_path / "site")] == [Note, Note]


def test_a_single_file_is_a_source_of_its_own(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "AGENTS.md": b"- Run all tests before a commit.\n- Never push to main by hand.\n",
            "page.html": b"<title>T</title><p>A page with one fact.</p>",
            "facts.json": b'["Lives by the sea.", 3]',
            "notes.jsonl": b'{"text": "A fact of the first line."}\n',
        },
    )
    plans = {path.name: plan_of_path(path) for path in sorted(tmp_path.iterdir())}
    assert {name: len(plan.files) for name, plan in plans.items()} == {
        "AGENTS.md": 2,
        "facts.json": 1,
        "notes.jsonl": 1,
        "page.html": 1,
    }
    assert refusal_codes(plans["facts.json"]) == ["NOT_A_NOTE"]
