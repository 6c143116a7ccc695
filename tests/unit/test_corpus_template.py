"""What `memhtml init` lays down, and the example corpus: exact, sound, and complete in its use of the format."""

import re
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

import html5lib
import pytest

from memhtml.format import content_hash, paths
from memhtml.format.check import check
from memhtml.format.document import Document
from memhtml.format.frame import frame_key_of
from memhtml.format.parse import parse
from memhtml.format.vocabulary import (
    KNOWN_ELEMENTS,
    META_NAMES,
    META_PREFIX,
    META_RANK,
    REL_PREFIX,
    rel_of_token,
)
from memhtml.resources import corpus_template
from memhtml.settings import StoreConfig, parse_config
from memhtml.values import (
    EDGE_CLASS,
    Bucket,
    EdgeClass,
    EdgeRel,
    MemoryPath,
    MemoryStatus,
    MemoryType,
    TaskStatus,
)

SCAFFOLD = corpus_template() / "scaffold"
EXAMPLE = corpus_template() / "example"
EMPTY_FOLDERS = (
    "projects",
    "areas",
    "resources",
    "archive",
    "areas/arcs",
    "resources/people",
    "areas/inbox",
    ".memhtml/state",
    ".memhtml/sleep",
)
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Example(NamedTuple):
    path: MemoryPath
    data: bytes
    document: Document

    @property
    def text(self) -> str:
        return self.data.decode("utf-8")

    @property
    def links(self) -> list[tuple[EdgeRel, str]]:
        found = [(rel_of_token(link.rel), link.href) for link in self.document.links]
        return [(rel, href) for rel, href in found if rel is not None and href is not None]


@cache
def examples() -> dict[str, Example]:
    found = {}
    for file in sorted(EXAMPLE.rglob("*")):
        if file.is_file():
            path = MemoryPath(file.relative_to(EXAMPLE).as_posix())
            found[path] = Example(path, file.read_bytes(), parse(file.read_bytes()))
    return found


def each_example() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("example", examples().values(), ids=examples())


# ---------------------------------------------------------------- the scaffold


def test_the_scaffold_is_these_files_and_no_others() -> None:
    found = {file.relative_to(SCAFFOLD).as_posix() for file in SCAFFOLD.rglob("*") if file.is_file()}
    keeps = {f"{folder}/.gitkeep" for folder in EMPTY_FOLDERS}
    assert found == keeps | {".gitignore", ".gitattributes", "README.html", ".memhtml/config.toml"}
    assert all((SCAFFOLD / keep).stat().st_size == 0 for keep in keeps)


def test_git_ignores_what_is_local_and_keeps_what_is_shared(repo: Path) -> None:
    from conftest import git

    (repo / ".gitignore").write_bytes((SCAFFOLD / ".gitignore").read_bytes())
    local = ("index.db", "index.db-wal", "index.db.damaged-20260105", "state.db", "state.db-shm", "pass.lock")
    local += ("embed.lock", "pending.json", "vectors.bin", "vectors/0001.f32", "config.toml.tmp")
    shared = ("config.toml", "state/.gitkeep", "state/access/clone.jsonl", "sleep/sleep-2026-01-05.html")
    for name in local + shared:
        file = repo / ".memhtml" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x")
    seen = git(repo, "ls-files", "--others", "--exclude-standard").decode().splitlines()
    assert set(seen) == {".gitignore", *(f".memhtml/{name}" for name in shared)}


def test_the_four_patterns_that_every_writer_of_the_format_lays_down_come_first() -> None:
    lines = (SCAFFOLD / ".gitignore").read_text().splitlines()
    assert lines[:4] == [
        ".memhtml/index.db",
        ".memhtml/state.db",
        ".memhtml/index.db-*",
        ".memhtml/state.db-*",
    ]


def test_generated_listings_merge_by_keeping_ours() -> None:
    assert (SCAFFOLD / ".gitattributes").read_text() == (
        "*.html merge=memhtml\nindex.html merge=ours\nsitemap.xml merge=ours\n*.html diff=html\n"
    )


def test_the_readme_is_an_article_with_one_mark_and_no_memory() -> None:
    data = (SCAFFOLD / "README.html").read_bytes()
    document = parse(data)
    assert {violation.code.value for violation in check(document)} == {"meta-missing"}
    assert document.gist.startswith("This repository is the long-term memory")
    assert b"memhtml-" not in data


def test_the_configuration_is_readable_and_names_no_embedder() -> None:
    data = (SCAFFOLD / ".memhtml/config.toml").read_bytes()
    assert parse_config(data) == StoreConfig(embedder="none")
    settings = [line for line in data.decode().splitlines() if line and not line.startswith("#")]
    assert settings == ['embedder = "none"']


# ---------------------------------------------------------------- the example corpus


def test_the_example_is_large_enough_to_search_in() -> None:
    assert len(examples()) >= 34


@each_example()
def test_an_example_has_no_violation_and_no_warning(example: Example) -> None:
    assert list(check(example.document)) == []


@each_example()
def test_an_example_carries_the_hash_of_its_words(example: Example) -> None:
    assert example.document.stamped_hash == content_hash.of_file(example.data)


@each_example()
def test_an_example_has_the_shape_that_the_serialiser_writes(example: Example) -> None:
    lines = example.text.split("\n")
    assert lines[:4] == ["<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">']
    assert lines[4].startswith("<title>")
    assert lines[-4:] == ["</article>", "</body>", "</html>", ""]
    end = lines.index("</head>")
    assert lines[end : end + 3] == ["</head>", "<body>", "<article>"]
    kinds = ["link" if line.startswith("<link ") else "meta" for line in lines[5:end]]
    assert kinds == sorted(kinds, reverse=True)
    ranks = [META_RANK[meta.name] for meta in example.document.metas if meta.name.startswith(META_PREFIX)]
    assert ranks == sorted(ranks)
    assert len(ranks) + len(example.document.links) == len(kinds)
    assert "\r" not in example.text


@each_example()
def test_an_example_is_named_after_its_title(example: Example) -> None:
    document = example.document
    assert document.title is not None
    assert document.memory_type is not None
    assert document.created is not None
    slug = paths.slugify(document.title)
    assert example.path.rpartition("/")[2] == paths.filename(slug, document.memory_type, document.created)


@each_example()
def test_the_times_of_an_example_are_instants_of_2026_in_order(example: Example) -> None:
    document = example.document
    assert document.created is not None
    assert document.updated is not None
    assert "2026-01-05T00:00:00Z" <= document.created <= document.updated <= "2026-11-20T23:59:59Z"
    for instant in (
        document.created,
        document.updated,
        document.valid_from,
        document.valid_until,
        document.archived,
    ):
        assert instant is None or INSTANT.fullmatch(instant)


@each_example()
def test_no_link_of_an_example_leads_nowhere(example: Example) -> None:
    targets = [href for _, href in example.links]
    targets += re.findall(r'<(?:a href|q cite)="([^"]*)"', example.text)
    targets += [example.document.superseded_by] if example.document.superseded_by else []
    assert [target for target in targets if target.removeprefix("/") not in examples()] == []
    assert f"/{example.path}" not in targets
    assert len(example.links) == len(example.document.links)


@each_example()
def test_an_example_s_links_join_what_their_class_may_join(example: Example) -> None:
    for rel, href in example.links:
        ends = {example.document.memory_type, examples()[href.removeprefix("/")].document.memory_type}
        if EDGE_CLASS[rel] is EdgeClass.TASK:
            assert ends == {MemoryType.TASK}
        elif EDGE_CLASS[rel] is EdgeClass.MEMORY:
            assert MemoryType.TASK not in ends
        elif EDGE_CLASS[rel] is EdgeClass.PERSON:
            assert href.startswith("/resources/people/")


@each_example()
def test_an_example_is_archived_exactly_if_it_stands_in_the_archive(example: Example) -> None:
    document = example.document
    is_archived = example.path.startswith("archive/2026/")
    assert (document.status is MemoryStatus.ARCHIVED) == is_archived
    assert (document.archived is not None) == is_archived
    assert document.archived in (None, document.updated)
    assert (document.task_status is TaskStatus.DONE) == (
        is_archived and document.memory_type is MemoryType.TASK
    )


def test_superseded_and_superseding_memories_agree() -> None:
    pairs = 0
    for winner in examples().values():
        for rel, href in winner.links:
            if rel is EdgeRel.SUPERSEDES:
                loser = examples()[href.removeprefix("/")]
                pairs += 1
                assert loser.path.startswith("archive/2026/")
                assert loser.document.superseded_by == f"/{winner.path}"
                assert loser.document.valid_until == winner.document.valid_from is not None
                assert loser.document.archived == winner.document.created
    assert pairs >= 3
    assert pairs == sum(example.document.superseded_by is not None for example in examples().values())


def test_no_two_active_examples_say_the_same_or_fill_one_slot_differently() -> None:
    active = [e.document for e in examples().values() if e.document.status is MemoryStatus.ACTIVE]
    facts = [document for document in active if document.memory_type is not MemoryType.TASK]
    hashes = Counter(document.content_hash for document in facts)
    frames = Counter(frame for document in facts if (frame := frame_key_of(document.gist)) is not None)
    assert [twice for twice, count in (hashes | frames).items() if count > 1] == []


def test_no_open_task_is_due_before_2027_and_no_active_memory_expires_before() -> None:
    active = [e.document for e in examples().values() if e.document.status is MemoryStatus.ACTIVE]
    ends = [end for document in active for end in (document.due, document.valid_until) if end is not None]
    assert min(date.fromisoformat(end[:10]) for end in ends) >= date(2027, 1, 1)


def test_a_blocked_task_is_blocked_by_an_open_one() -> None:
    waiting = {e.path for e in examples().values() if e.document.task_status is TaskStatus.BLOCKED}
    blocked = {
        href.removeprefix("/")
        for e in examples().values()
        for rel, href in e.links
        if rel is EdgeRel.BLOCKS and e.document.status is MemoryStatus.ACTIVE
    }
    assert waiting == blocked
    assert waiting


# ---------------------------------------------------------------- the format in use


def test_the_examples_use_every_element_of_the_vocabulary_and_no_other() -> None:
    used = set()
    for example in examples().values():
        # Read by an independent parser: what ours would overlook is not to be overlooked here as well.
        tree = html5lib.parse(example.text, namespaceHTMLElements=False)
        used |= {element.tag for element in tree.iter()}
    assert used == KNOWN_ELEMENTS
    assert len(used) == 45


def test_the_examples_use_every_head_name() -> None:
    used = {meta.name for example in examples().values() for meta in example.document.metas}
    assert used == set(META_NAMES)


def test_the_examples_use_every_link_relation() -> None:
    rels = [link.rel for example in examples().values() for link in example.document.links]
    assert all(rel.startswith(REL_PREFIX) for rel in rels)
    assert {rel_of_token(rel) for rel in rels} == set(EdgeRel)


def test_the_examples_are_of_every_type_task_state_and_bucket() -> None:
    documents = [example.document for example in examples().values()]
    assert {document.memory_type for document in documents} == set(MemoryType)
    assert {document.task_status for document in documents} == {None, *TaskStatus}
    assert {paths.para_bucket(path) for path in examples()} == set(Bucket)


def test_every_kind_of_folder_that_placement_knows_is_in_use() -> None:
    folders = {path.rpartition("/")[0] for path in examples()}
    assert {"areas/arcs", "areas/inbox", "areas/inbox/tasks", "resources/people"} <= folders
    assert any(re.fullmatch(r"projects/[a-z-]+/tasks", folder) for folder in folders)
    assert any(re.fullmatch(r"archive/2026/projects/[a-z-]+/tasks", folder) for folder in folders)


def test_examples_are_short_and_long_and_not_only_ascii() -> None:
    sizes = sorted(len(example.document.canonical_text) for example in examples().values())
    assert sizes[0] < 120
    assert sizes[-2] > 1800
    scripts = {
        "Japanese": "[ぁ-ゖァ-ヺ]",
        "Chinese": "阈值",
        "German": "[äöüß]",
        "French": "[éèê]",
        "emoji": "[\U0001f300-\U0001faff]",
    }
    bodies = [example.document.body_text for example in examples().values()]
    assert {name for name, sign in scripts.items() if any(re.search(sign, body) for body in bodies)} == set(
        scripts
    )
