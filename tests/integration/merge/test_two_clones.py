"""Two people work for a week and merge: no conflict where none is, and nothing that either of them wrote is lost."""

import hashlib
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import PROGRAM
from conftest import git

from memhtml.app import indexing
from memhtml.app.health import doctor
from memhtml.app.setup import init
from memhtml.app.sidecar import export_state, import_state
from memhtml.app.wire import open_store
from memhtml.doctor.findings import FailOn
from memhtml.format.edit import add_link, add_meta, set_meta
from memhtml.format.parse import parse
from memhtml.values import EdgeRel, MemoryPath

from .test_clones import counts, pull, use

HUB = "areas/hub.html"
TOPICS = ("kettle", "ledger", "harbour", "orchard", "lantern", "compass")
#: Read in one clone, read in the other: what only the merge has is neither lost nor made up.
Said = set[tuple[str, str, str]]


def start(topic: str) -> bytes:
    return written(
        f"The {topic} stands where the {topic[::-1]} used to be.",
        f"About the {topic}",
        "2026-05-01T00:00:00Z",
        metas=[("tag", topic)],
        body=f"\n<p>First seen beside the {topic}.</p>\n<dl><dt>Kind</dt><dd>{topic}</dd></dl>",
    )


def written(
    words: str,
    title: str,
    at: str,
    *,
    metas: Sequence[tuple[str, str]] = (),
    links: Sequence[tuple[str, str]] = (),
    body: str = "",
) -> bytes:
    """A memory with the provenance that writers record; git tells files apart by it, since claims are short."""
    source = hashlib.sha256(words.encode()).hexdigest()
    data = memory(
        words,
        title=title,
        created=at,
        updated=at,
        metas=[("content-hash", ""), ("session", source[:36]), ("prompt", source[40:52]), *metas],
        links=links,
        body=body,
    )
    return set_meta(data, "content-hash", parse(data).content_hash)


class Person:
    """Somebody with a clone, who does one thing after another and commits each."""

    def __init__(self, root: Path, name: str, seed: int) -> None:
        self.root, self.name = root, name
        self.dice = random.Random(f"{name}{seed}")
        self.done = 0
        self.archived: set[str] = set()

    def work(self, times: int) -> None:
        doings: list[Callable[[str], None]] = [
            self.tag,
            self.link,
            self.extend,
            self.judge,
            self.retire,
            self.correct,
        ]
        for _ in range(times):
            self.done += 1
            self.dice.choice([*doings, self.write, self.read])(self.dice.choice(self.live()))

    def live(self) -> list[str]:
        return sorted(str(p.relative_to(self.root)) for p in (self.root / "projects").rglob("*.html"))

    def at(self) -> str:
        return f"2026-06-{self.done:02}T{10 + len(self.name):02}:00:00Z"

    def commit(self, files: dict[str, bytes], gone: str = "") -> None:
        plant(self.root, files)
        if gone:
            (self.root / gone).unlink()
        git(self.root, "add", "--all")
        git(self.root, "commit", "-qm", f"{self.name} {self.done}")

    def edit(self, path: str, change: Callable[[bytes], bytes]) -> None:
        data = change((self.root / path).read_bytes())
        self.commit({path: set_meta(data, "updated", self.at())})

    def tag(self, path: str) -> None:
        self.edit(path, lambda data: add_meta(data, "tag", f"{self.name}-{self.done}"))

    def link(self, path: str) -> None:
        self.edit(path, lambda data: add_link(data, self.dice.choice(list(EdgeRel)[1:9]), f"/{HUB}"))

    def extend(self, path: str) -> None:
        paragraph = f"<p>{self.name} saw it on day {self.done}.</p>\n</article>".encode()

        def longer(data: bytes) -> bytes:
            data = data.replace(b"</article>", paragraph)
            return set_meta(data, "content-hash", parse(data).content_hash)

        self.edit(path, longer)

    def judge(self, path: str) -> None:
        self.edit(path, lambda data: set_meta(data, "importance", str(self.dice.randint(1, 10))))

    def retire(self, path: str, successor: str = "") -> None:
        data = set_meta((self.root / path).read_bytes(), "status", "archived")
        data = set_meta(set_meta(data, "archived", self.at()), "updated", self.at())
        files = {f"archive/2026/{path}": data}
        if successor:
            words = f"{self.name} found on day {self.done} that it was otherwise."
            data = set_meta(set_meta(data, "valid-until", self.at()), "superseded-by", f"/{successor}")
            new = written(words, words, self.at(), links=[("supersedes", f"/archive/2026/{path}")])
            files = {f"archive/2026/{path}": data, successor: set_meta(new, "valid-from", self.at())}
        self.commit(files, gone=path)

    def correct(self, path: str) -> None:
        self.retire(path, f"projects/ferry/{self.name}-{self.done}.html")

    def write(self, path: str) -> None:
        words = f"{self.name} wrote this down on day {self.done}."
        self.commit({f"projects/ferry/{self.name}-{self.done}.html": written(words, words, self.at())})

    def read(self, path: str) -> None:
        use(self.root, MemoryPath(HUB), 1, start=24 * self.done)


def said(root: Path) -> Said:
    """Every claim with every tag, link and word of its memory."""
    found: Said = set()
    for bucket in ("projects", "areas", "archive"):
        for path in (root / bucket).rglob("*.html"):
            document = parse(path.read_bytes())
            found.add((document.gist, "claim", document.gist))
            found |= {(document.gist, "tag", tag) for tag in document.tags}
            found |= {(document.gist, link.rel, link.href or "") for link in document.links}
            found |= {(document.gist, "word", word) for word in document.body_text.split()}
    return found


@pytest.mark.parametrize("seed", range(3))
def test_two_clones_that_both_work_merge_without_a_loss(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}")
    one = init(tmp_path / "one").root
    plant(one, {HUB: memory("Everything leads here.", title="Hub")})
    plant(one, {f"projects/ferry/{topic}.html": start(topic) for topic in TOPICS})
    git(one, "add", "--all")
    git(one, "commit", "-qm", "start")
    git(tmp_path, "clone", "-q", str(one), "two")
    two = init(tmp_path / "two").root
    base = said(one)

    ann, bo = Person(one, "ann", seed), Person(two, "bo", seed)
    for person in (ann, bo):
        person.work(9)
        export_state(open_store(person.root))
    before = (said(one), said(two))
    used = [sum(counts(root).values()) for root in (one, two)]

    pull(one, two)
    pull(two, one)
    for root in (one, two):
        found = said(root)
        assert found == before[0] | before[1]
        assert found >= base
        store = open_store(root)
        import_state(store)
        assert sum(counts(root).values()) == sum(used)
        indexing.rebuild(store)
        report = doctor(store, fail_on=FailOn.WARNING)
        assert [f for f in report.findings if f.severity != "info"] == []
    assert git(one, "rev-parse", "HEAD^{tree}") == git(two, "rev-parse", "HEAD^{tree}")
