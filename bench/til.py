"""A real corpus: 1,260 published notes of one developer as memories in a git store.

    python -m bench.til DEST [--notes FILE]

Notes are read from the folder of real data beside the checkout (`MEMHTML_TEST_DATA` names another). A category becomes
a tag and a folder, the first sentence the claim, a fenced block a figure, a link between notes an edge.
"""

import argparse
import datetime
import json
import os
import posixpath
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.markdown import article_of
from bench.repository import IGNORED, init, run_git
from memhtml.format import content_hash
from memhtml.format.draft import Draft
from memhtml.format.edit import set_meta
from memhtml.format.render import render
from memhtml.values import EdgeRel, Instant, MemoryType

__all__ = ["Note", "main", "memory_of", "plant", "read_notes"]

_NAME = "til-jbranchaud.jsonl"


@dataclass(frozen=True, slots=True)
class Note:
    """One published note; `name` is its path without extension, and unique."""

    name: str
    title: str
    created: str
    updated: str
    text: str

    @property
    def path(self) -> str:
        return f"resources/{self.name}.html"

    @property
    def category(self) -> str:
        return self.name.partition("/")[0]


def notes_file() -> Path:
    """Where the notes are: under `MEMHTML_TEST_DATA`, else under `../shared/data` beside the checkout."""
    named = os.environ.get("MEMHTML_TEST_DATA")
    data = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    return data / "corpus" / _NAME


def read_notes(source: Path) -> list[Note]:
    """Return the notes of a JSON Lines file, in its order."""
    notes = []
    with source.open(encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            created, updated = _instant(document["created"]), _instant(document["updated"])
            name = str(document["path"]).removesuffix(".md").lower()
            notes.append(
                Note(
                    name,
                    str(document["title"]).replace("`", ""),
                    created,
                    max(created, updated),
                    str(document["text"]),
                )
            )
    return notes


def _instant(text: str) -> str:
    moment = datetime.datetime.fromisoformat(text).astimezone(datetime.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def memory_of(note: Note, names: frozenset[str]) -> bytes:
    """Return the bytes of the memory that a note becomes; `names` are the notes it may link to."""

    def resolve(target: str) -> str | None:
        bare = target.partition("#")[0].lower()
        for folder in ("", note.category):
            name = posixpath.normpath(posixpath.join(folder, bare)).removesuffix(".md").lstrip("./")
            if name in names and name != note.name:
                return f"/resources/{name}.html"
        return None

    article = article_of(note.text, note.title, resolve)
    draft = Draft(
        title=note.title,
        memory_type=MemoryType.PROCEDURAL,
        at=Instant(note.created),
        article_html=article.markup,
        author="human:jbranchaud",
        entities=(f"topic:{note.category}",),
        tags=(note.category,),
        links=tuple((EdgeRel.RELATES_TO, target) for target in article.targets),
    )
    return set_meta(render(draft), "updated", note.updated)


def memories(notes: Sequence[Note]) -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of every note."""
    names = frozenset(note.name for note in notes)
    for note in notes:
        yield note.path, memory_of(note, names)


@dataclass(frozen=True, slots=True)
class Planted:
    """What stands in the store: the commit, how many notes, and which of them say the same in the same words."""

    root: Path
    commit: str
    count: int
    equal: tuple[tuple[str, ...], ...]


def plant(dest: Path, notes: Sequence[Note]) -> Planted:
    """Write the notes below `dest` and commit them with git; a folder that is no repository becomes one.

    Errors: `FileExistsError` where a note's path is taken; `subprocess.CalledProcessError` where git refuses.
    Effects: every note is written, also one whose words another has; the report names those.
    """
    if not (dest / ".git").exists():
        init(dest)
        (dest / ".gitignore").write_bytes(IGNORED)
        run_git(dest, "add", "--", ".gitignore")
    groups: dict[str, list[str]] = {}
    for path, data in memories(notes):
        target = dest / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(data)
        groups.setdefault(content_hash.of_file(data), []).append(path)
    run_git(dest, "add", "--", "resources")
    run_git(dest, "commit", "-q", "-m", f"notes: {len(notes)} memories from published notes")
    commit = run_git(dest, "rev-parse", "HEAD").decode().strip()
    return Planted(
        dest, commit, len(notes), tuple(tuple(paths) for paths in groups.values() if len(paths) > 1)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.til", description="Plant 1,260 real notes in a git store."
    )
    parser.add_argument("dest", type=Path, help="a new folder, or a store that holds none of the notes yet")
    parser.add_argument("--notes", type=Path, default=None, help="the notes as JSON Lines")
    asked = parser.parse_args(arguments)
    source = asked.notes or notes_file()
    if not source.is_file():
        print(f"no notes at {source}; name them with --notes", file=sys.stderr)
        return 2
    planted = plant(asked.dest, read_notes(source))
    print(f"{planted.count} memories committed as {planted.commit[:12]} in {planted.root}")
    for paths in planted.equal:
        print("equal words: " + ", ".join(paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())
