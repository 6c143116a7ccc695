"""Writing one memory: one commit, one row, or nothing at all."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from embedders import HashingEmbedder
from integration.store.conftest import committed, everything_in, head, subjects, words
from planes import assert_equals_rebuild, reading

from memhtml.app import indexing
from memhtml.app.health import check_store
from memhtml.app.retrieval import read, search
from memhtml.app.setup import init
from memhtml.app.wire import Store, open_store
from memhtml.app.write import Provenance, write
from memhtml.errors import DirtyTree, DuplicateContent, GitFailed, InvalidMemory, MemhtmlError, SecretRefused
from memhtml.format.paths import placement
from memhtml.safety import SecretCode
from memhtml.values import MemoryPath, MemoryType

TIMED = (
    '<p><mark>The probe was calibrated.</mark> <time datetime="{}">That day</time>'
    ' it read <data value="{}">well</data>.</p>'
)


def status(root: Path) -> bytes:
    return git(root, "status", "--porcelain")


def test_a_write_is_one_commit_one_file_and_one_row(store: Store) -> None:
    before = head(store.root)
    done = write(
        store,
        words(
            "Power a probe for ten minutes.",
            title="Warm probes up",
            memory_type="procedural",
            workspace="Green House",
            tags=("sensors",),
            entities=("device:probe",),
            importance=6,
            confidence=0.85,
            provenance=Provenance("s-1", "p-1", "t-1"),
        ),
    )
    assert done.path == "projects/green-house/warm-probes-up.html"
    assert (done.created, done.deduped, done.existing_path, done.warnings) == (True, False, None, ())
    assert done.commit_sha == head(store.root)
    assert git(store.root, "rev-list", f"{before}..HEAD").decode().split() == [done.commit_sha]
    assert git(store.root, "show", "--name-only", "--format=%s").decode().split("\n") == [
        "memhtml(write): Warm probes up",
        "",
        done.path,
        "",
    ]
    trailers = git(store.root, "log", "-1", "--format=%(trailers)").decode().split("\n")
    assert [line for line in trailers if line] == ["Memhtml-Session: s-1", "Memhtml-Prompt: p-1"]
    assert status(store.root) == b""
    detail = read(store, done.path)
    assert (detail.gist, detail.tags, detail.entities) == (
        "Power a probe for ten minutes.",
        ("sensors",),
        ("device:probe",),
    )
    metas = dict(detail.metas)
    assert (metas["memhtml-session"], metas["memhtml-turn"]) == ("s-1", "t-1")
    assert (metas["memhtml-importance"], metas["memhtml-confidence"]) == ("6", "0.85")
    assert metas["memhtml-content-hash"] == done.content_hash
    assert [hit.path for hit in search(store, "power probe").hits] == [done.path]
    assert_equals_rebuild(store.root)


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ({}, "areas/inbox/a-title.html"),
        ({"tags": ("", "Soil Sensors", "b")}, "resources/soil-sensors/a-title.html"),
        ({"tags": ("a",), "workspace": "W"}, "projects/w/a-title.html"),
        ({"entities": ("person:mara",), "workspace": "W"}, "resources/people/a-title.html"),
        ({"memory_type": "task", "workspace": "W", "tags": ("a",)}, "projects/w/tasks/a-title.html"),
        ({"memory_type": "task", "entities": ("person:mara",)}, "areas/inbox/tasks/a-title.html"),
        ({"memory_type": "episodic", "tags": ("a",)}, "areas/inbox/20260309-a-title.html"),
        ({"memory_type": "verdict", "tags": ("a",)}, "areas/inbox/a-title.html"),
        ({"path": "/areas//mine.html"}, "areas/mine.html"),
    ],
)
def test_a_memory_goes_where_its_kind_and_words_say(store: Store, said: dict[str, object], path: str) -> None:
    assert write(store, words(**said)).path == path


def test_equal_words_are_written_once_whatever_else_differs(store: Store) -> None:
    first = write(store, words(title="One", tags=("a",)))
    before = everything_in(store.root)
    for said in ({"title": "Two"}, {"tags": ("b",)}, {"memory_type": "verdict"}, {"importance": 9}):
        again = write(store, words(**said))
        assert (again.path, again.existing_path) == (first.path, first.path)
        assert (again.created, again.deduped, again.commit_sha) == (False, True, None)
    assert everything_in(store.root) == before


def test_tasks_may_repeat_any_words_and_be_repeated(store: Store) -> None:
    paths = [
        write(store, words(memory_type="task")).path,
        write(store, words()).path,
        write(store, words(memory_type="task")).path,
    ]
    assert paths == [
        "areas/inbox/tasks/a-title.html",
        "areas/inbox/a-title.html",
        "areas/inbox/tasks/a-title-2.html",
    ]
    assert write(store, words()).existing_path == "areas/inbox/a-title.html"


def test_words_that_only_the_archive_says_are_written_again(store: Store) -> None:
    plant(store.root, {"archive/2026/areas/old.html": memory("Old news.", status="archived")})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "archived")
    assert write(store, words("Old news.")).created


def test_words_of_an_uncommitted_file_are_not_taken_for_written(store: Store) -> None:
    """The file may be thrown away; what was asked for must not be lost with it."""
    plant(store.root, {"areas/draft.html": memory("A draft.")})
    indexing.update(store)
    done = write(store, words("A draft."))
    assert done.created
    assert committed(store.root) == [done.path]
    indexing.update(store)
    assert_equals_rebuild(store.root)
    assert write(store, words("A draft.")).existing_path == done.path


def test_words_that_were_only_deleted_in_the_folder_are_still_said(store: Store) -> None:
    first = write(store, words())
    (store.root / first.path).unlink()
    indexing.update(store)
    assert write(store, words()).existing_path == first.path


def test_words_that_were_committed_by_hand_are_known_without_an_update(store: Store) -> None:
    plant(store.root, {"areas/mine.html": memory("Written by hand.")})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "by hand")
    assert write(store, words("Written by hand.")).existing_path == "areas/mine.html"


def test_equal_words_with_another_value_in_the_markup_are_refused_and_not_lost(store: Store) -> None:
    first = write(store, words(claim=None, article_html=TIMED.format("2026-03-08", "1")))
    before = everything_in(store.root)
    with pytest.raises(DuplicateContent) as caught:
        write(store, words(claim=None, article_html=TIMED.format("2026-03-09", "1")))
    assert caught.value.path == first.path
    assert caught.value.hints[0] == f"memhtml read {first.path}"
    assert "date of the event" in caught.value.message
    assert write(store, words(claim=None, article_html=TIMED.format("2026-03-08", "2"))).deduped
    assert write(store, words("The probe was calibrated.", body=("That day it read well.",))).deduped
    assert everything_in(store.root) == before


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("<dl><dt>Warm-up</dt><dd><data value='{}'>long</data></dd></dl>", ("600", "900"), "number"),
        ("<p>As <q cite='{}'>they say</q>.</p>", ("/areas/a.html", "/areas/b.html"), "source"),
    ],
)
def test_another_number_and_another_source_are_other_values(
    store: Store, one: str, other: tuple[str, str], what: str
) -> None:
    article = "<p><mark>A claim.</mark></p>" + one
    write(store, words(claim=None, article_html=article.format(other[0])))
    with pytest.raises(DuplicateContent, match=what):
        write(store, words(claim=None, article_html=article.format(other[1])))


@pytest.mark.parametrize(
    "titles",
    [
        ("🚀", "🎯", "❤️", "untitled"),
        ("品牌圣经", "销售论证文档", "日本語"),
        ("Café", "Cafe\u0301", "CAFÉ", "café"),
        ("Index", "index", "INDEX", "Sitemap", "sitemap"),
        ("x" * 500, "x" * 501, "x" * 79 + "-2"),
        ("line\nbreak", "line break", "line\tbreak"),
        ("con", "../../etc/passwd", ".git", "a/b", "a\\b", "\x1b[31mred"),
    ],
)
@pytest.mark.parametrize("kind", ["semantic", "episodic"])
def test_titles_of_every_kind_get_files_of_their_own(
    store: Store, titles: tuple[str, ...], kind: str
) -> None:
    paths = [
        write(store, words(f"Claim {n}.", title=title, memory_type=kind)).path
        for n, title in enumerate(titles)
    ]
    assert len({path.casefold() for path in paths}) == len(titles)
    assert sorted(paths) == sorted(committed(store.root))
    assert not [path for path in paths if path.rpartition("/")[2] in ("index.html", "sitemap.xml")]
    assert all(path.startswith("areas/inbox/") and len(path.rpartition("/")[2]) < 100 for path in paths)
    with reading(store.index_path) as index:
        assert index.execute("SELECT count(*) FROM files").fetchone() == (len(titles),)


@pytest.mark.parametrize("title", ["", "   ", "\n"])
def test_a_title_without_a_word_is_refused(store: Store, title: str) -> None:
    with pytest.raises(InvalidMemory):
        write(store, words(title=title))


@pytest.mark.parametrize(
    "path",
    [
        "areas/taken.html",
        "areas/TAKEN.html",
        "areas/caf\u00e9.html",
        "Areas/new.html",
        "areas/Sub/new.html",
        "areas/taken.html/new.html",
        "notes/new.html",
        "areas/new.md",
        "areas/../new.html",
        "../new.html",
        "areas/index.html",
        "areas/INDEX.html",
        "areas/.git/new.html",
        "areas/nul\0.html",
        "areas/" + "n" * 260 + ".html",
        "areas/\ud800.html",
        "archive/2026/areas/new.html",
        "areas/",
        "/",
    ],
)
def test_a_path_that_is_none_or_taken_is_refused_and_nothing_overwritten(store: Store, path: str) -> None:
    plant(
        store.root,
        {
            "areas/taken.html": memory("Taken."),
            "areas/cafe\u0301.html": memory("Accents."),
            "areas/sub/x.html": memory("Sub."),
        },
    )
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "taken")
    indexing.update(store)
    before = everything_in(store.root)
    with pytest.raises(MemhtmlError) as caught:
        write(store, words(path=path))
    assert caught.value.code == "ERR_PATH_REFUSED"
    assert everything_in(store.root) == before


def test_a_name_that_is_taken_in_another_spelling_goes_on_to_the_next(store: Store) -> None:
    plant(store.root, {"areas/inbox/A-Title.html": memory("By hand."), "projects/Foo/x.html": memory("Foo.")})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "by hand")
    assert write(store, words()).path == "areas/inbox/a-title-2.html"
    assert write(store, words("In foo.", workspace="foo")).path == "projects/Foo/a-title.html"


def test_a_name_at_which_an_uncommitted_file_stands_is_taken_too(store: Store) -> None:
    mine = {f"areas/inbox/a-title{tail}.html": memory(f"Mine{tail}.") for tail in ("", "-2")}
    plant(store.root, mine)
    git(store.root, "add", "areas/inbox/a-title-2.html")
    done = write(store, words())
    assert done.path == "areas/inbox/a-title-3.html"
    assert {name: (store.root / name).read_bytes() for name in mine} == mine
    assert committed(store.root) == [done.path]
    assert status(store.root).splitlines() == [
        b"A  areas/inbox/a-title-2.html",
        b"?? areas/inbox/a-title.html",
    ]


def test_a_chosen_path_at_which_an_uncommitted_file_stands_is_refused(store: Store) -> None:
    write(store, words("First."))
    plant(store.root, {"areas/mine.html": memory("Mine.")})
    before = everything_in(store.root)
    with pytest.raises(DirtyTree):
        write(store, words(path="areas/mine.html"))
    assert everything_in(store.root) == before


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"claim": None, "article_html": "<p>no claim</p>"}, InvalidMemory),
        ({"claim": f"Use ghp_{'a1B2' * 9}."}, SecretRefused),
        ({"memory_type": "arc"}, InvalidMemory),
        ({"importance": 99}, InvalidMemory),
        ({"due": "soon"}, InvalidMemory),
    ],
)
def test_a_refusal_leaves_folder_index_and_head_as_they_were(
    store: Store, said: dict[str, object], error: type[MemhtmlError]
) -> None:
    write(store, words("First."))
    plant(store.root, {"areas/mine.html": memory("Mine.")})
    git(store.root, "add", "areas/mine.html")
    before = everything_in(store.root)
    with pytest.raises(error):
        write(store, words(**said))
    assert everything_in(store.root) == before


def test_a_hook_that_says_no_and_a_missing_identity_leave_everything_as_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, words("First."))
    hook = store.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    before = everything_in(store.root)
    with pytest.raises(GitFailed, match="not today"):
        write(store, words())
    after = everything_in(store.root)
    # Git looks at objects before its hooks speak; what no commit names, its next housekeeping removes.
    assert {name: after[name] for name in after if not name.startswith(".git/objects/")} == {
        name: before[name] for name in before if not name.startswith(".git/objects/")
    }
    hook.unlink()
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{name}_NAME")
        monkeypatch.delenv(f"GIT_{name}_EMAIL")
    before = everything_in(store.root)
    with pytest.raises(GitFailed):
        write(store, words())
    assert everything_in(store.root) == before


def test_a_false_alarm_is_recorded_in_the_commit(store: Store) -> None:
    write(store, words(f"Tokens look like ghp_{'a1B2' * 9}."), allowed=[SecretCode.GITHUB_TOKEN])
    told = git(store.root, "log", "-1", "--format=%(trailers:key=Memhtml-Allow-Secret,valueonly)")
    assert told.decode().strip() == "GITHUB_TOKEN"


def test_who_wrote_is_recorded_once_and_not_for_what_was_known(store: Store) -> None:
    done = write(store, words(provenance=Provenance("s-1", "p-1", "t-1")))
    write(store, words(provenance=Provenance("s-2")))
    write(store, words("Another.", title="B"))
    with closing(sqlite3.connect(store.state_path)) as state:
        rows = state.execute(
            "SELECT path, session_id, prompt_id, turn_uuid, link_kind FROM memory_session_links"
        )
        assert rows.fetchall() == [(done.path, "s-1", "p-1", "t-1", "wrote")]


def test_a_state_plane_that_cannot_be_written_keeps_nothing_from_being_written(store: Store) -> None:
    store.state_path.mkdir()
    done = write(store, words(provenance=Provenance("s-1")))
    assert done.created
    assert done.commit_sha == head(store.root)


def test_claims_that_are_nearly_the_same_are_told(store: Store) -> None:
    first = write(store, words("Power a soil probe for ten minutes before calibrating it.", title="A"))
    write(store, words("The tide table decides when to deploy.", title="B"))
    write(
        store,
        words("Power a soil probe for ten minutes before calibrating it!!!", title="T", memory_type="task"),
    )
    near = write(
        store, words("Power a soil probe for twelve minutes before calibrating it.", title="C")
    ).similar
    assert [(each.path, each.claim) for each in near] == [
        (first.path, "Power a soil probe for ten minutes before calibrating it.")
    ]
    assert 0.6 < near[0].share < 1
    assert write(store, words("Nothing here is like the others.", title="D")).similar == ()


def test_vectors_of_another_space_do_not_keep_a_memory_from_being_written(store: Store) -> None:
    here = open_store(store.root, embedder=HashingEmbedder())
    write(here, words("First."))
    other = open_store(store.root, embedder=HashingEmbedder("another"))
    done = write(other, words("Second.", title="B"))
    assert done.created
    assert "ERR_EMBED_MODEL_MISMATCH" in done.warnings[0]
    assert [hit.path for hit in search(other, "second").hits] == [done.path]


def test_a_store_that_was_written_to_is_clean_and_equals_a_rebuild(store: Store) -> None:
    for n, kind in enumerate(kind for kind in MemoryType if kind is not MemoryType.ARC):
        done = write(store, words(f"Fact number {n}.", title=f"Fact {n}", memory_type=kind.value))
        assert done.path.startswith(placement(kind))
    report = check_store(store.root)
    assert [finding for finding in report.findings if finding.severity != "info"] == []
    assert_equals_rebuild(store.root)


def test_a_store_inside_a_larger_repository_commits_its_own_path_alone(repo: Path) -> None:
    plant(repo, {"code.py": b"x = 1\n"})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "code")
    store = open_store(init(repo / "memory").root)
    plant(repo, {"code.py": b"x = 2\n"})
    git(repo, "add", "code.py")
    done = write(store, words())
    assert git(repo, "show", "--name-only", "--format=").decode().split() == [f"memory/{done.path}"]
    assert status(repo).splitlines() == [b"M  code.py"]


def test_the_first_write_of_a_repository_without_a_commit_makes_one(repo: Path) -> None:
    done = write(open_store(repo), words())
    assert committed(repo) == [MemoryPath(done.path)]
    assert subjects(repo) == ["memhtml(write): A title"]
