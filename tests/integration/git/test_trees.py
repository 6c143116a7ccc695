"""Walks, comparisons and objects of real repositories, held against git's own commands."""

import subprocess
import tempfile
from pathlib import Path

import pygit2
import pytest
from builders import memory, plant
from conftest import git
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml.errors import GitFailed
from memhtml.git import objects
from memhtml.git.read import Entry, EntryKind, GitReader, open_reader
from memhtml.values import BlobSha, CommitSha, MemoryPath


def commit(root: Path, subject: str = "a commit") -> CommitSha:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", subject)
    return CommitSha(git(root, "rev-parse", "HEAD").decode().strip())


def commit_tree(root: Path, tree: bytes) -> CommitSha:
    """Commit a tree that no work tree could make."""
    return CommitSha(git(root, "commit-tree", "-m", "forged", tree.decode().strip()).decode().strip())


def make_tree(root: Path, *lines: bytes) -> bytes:
    return git(root, "mktree", "-z", stdin=b"\0".join(lines)).strip()


def store_blob(root: Path, data: bytes) -> bytes:
    return git(root, "hash-object", "-w", "--stdin", stdin=data).strip()


def paths_of(root: Path, reader: GitReader, commit_sha: CommitSha) -> list[tuple[str, str]]:
    return [(entry.path, entry.blob_sha) for entry in reader.walk(commit_sha)]


WEIRD = [
    "areas/plain.html",
    "areas/two words.html",
    'areas/"quoted".html',
    "areas/new\nline.html",
    "areas/back\\slash.html",
    "areas/mémoire/日本語 🧠.html",
    "areas/a.html",
    "areas/a/x.html",
    "areas/a0.html",
    "archive/2026/*.html",
    "projects/-dash.html",
    "resources/people/x.html",
]


def test_a_walk_lists_what_git_lists_in_its_order(repo: Path) -> None:
    others = [
        "README.html",
        "areas/index.html",
        "areas/sitemap.xml",
        "areas/notes.txt",
        ".memhtml/areas/x.html",
    ]
    plant(repo, {name: name.encode() for name in [*WEIRD, *others]})
    head = commit(repo)
    listed = git(repo, "ls-tree", "-r", "-z", "HEAD").split(b"\0")[:-1]
    expected = [
        (name, meta.split()[2].decode())
        for meta, name in ((item.split(b"\t")[0], item.split(b"\t")[1].decode()) for item in listed)
        if name in WEIRD
    ]
    reader = open_reader(repo)
    assert paths_of(repo, reader, head) == expected
    assert [data.decode() for _, data in reader.walk_blobs(head)] == [name for name, _ in expected]


def test_every_listed_path_is_found_alone(repo: Path) -> None:
    plant(repo, {name: name.encode() for name in WEIRD})
    head = commit(repo)
    reader = open_reader(repo)
    for entry in reader.walk(head):
        assert reader.entry_at(head, entry.path) == entry
    for nothing in (
        "areas",
        "areas/a",
        "areas/missing.html",
        "areas/a.html/b",
        "",
        "/areas/a.html",
        "areas/../areas/a.html",
    ):
        assert reader.entry_at(head, MemoryPath(nothing)) is None


def test_links_and_submodules_are_told_from_files(repo: Path) -> None:
    plant(repo, {"areas/a.html": memory(), "areas/run.html": memory("Executable.")})
    (repo / "areas/run.html").chmod(0o755)
    (repo / "areas/link.html").symlink_to("a.html")
    first = commit(repo)
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{first},areas/module.html")
    git(repo, "commit", "-q", "-m", "module")
    head = CommitSha(git(repo, "rev-parse", "HEAD").decode().strip())
    reader = open_reader(repo)
    assert {entry.path: entry.kind for entry in reader.walk(head)} == {
        "areas/a.html": EntryKind.FILE,
        "areas/link.html": EntryKind.SYMLINK,
        "areas/module.html": EntryKind.SUBMODULE,
        "areas/run.html": EntryKind.FILE,
    }
    assert {entry.path: data for entry, data in reader.walk_blobs(head)} == {
        "areas/a.html": memory(),
        "areas/link.html": b"a.html",
        "areas/module.html": b"",
        "areas/run.html": memory("Executable."),
    }


def test_names_that_are_no_text_are_shown_and_marked(repo: Path) -> None:
    blob = store_blob(repo, b"x")
    inner = make_tree(repo, b"100644 blob " + blob + b"\tcaf\xe9.html", b"100644 blob " + blob + b"\tok.html")
    head = commit_tree(repo, make_tree(repo, b"040000 tree " + inner + b"\tareas"))
    reader = open_reader(repo)
    found = list(reader.walk_blobs(head))
    assert [(entry.path, entry.kind, data) for entry, data in found] == [
        ("areas//caf\\xe9.html", EntryKind.BAD_PATH, b""),
        ("areas/ok.html", EntryKind.FILE, b"x"),
    ]
    assert reader.entry_at(head, found[0][0].path) is None


def test_a_name_that_is_no_text_hides_no_name_that_spells_its_escape(repo: Path) -> None:
    blob = store_blob(repo, b"x")
    inner = make_tree(repo, b"100644 blob " + blob + b"\t\xff.html", b"100644 blob " + blob + b"\t\\xff.html")
    head = commit_tree(repo, make_tree(repo, b"040000 tree " + inner + b"\tareas"))
    walked = list(open_reader(repo).walk(head))
    assert {entry.kind for entry in walked} == {EntryKind.FILE, EntryKind.BAD_PATH}
    assert len({entry.path for entry in walked}) == 2


def test_an_executable_bit_alone_is_no_change(repo: Path) -> None:
    plant(repo, {"areas/a.html": memory()})
    before = commit(repo)
    (repo / "areas/a.html").chmod(0o755)
    after = commit(repo)
    assert before != after
    assert open_reader(repo).changes(before, after) == []


def test_a_file_that_becomes_a_link_changed_its_kind(repo: Path) -> None:
    plant(repo, {"areas/a.html": b"b.html"})
    before = commit(repo)
    (repo / "areas/a.html").unlink()
    (repo / "areas/a.html").symlink_to("b.html")
    (change,) = open_reader(repo).changes(before, commit(repo))
    assert change.old is not None
    assert change.new is not None
    assert (change.old.kind, change.new.kind) == (EntryKind.FILE, EntryKind.SYMLINK)
    assert change.old.blob_sha == change.new.blob_sha


def test_a_rename_is_a_removal_and_an_addition_of_one_blob(repo: Path) -> None:
    plant(repo, {"areas/a.html": memory()})
    before = commit(repo)
    git(repo, "mv", "areas/a.html", "areas/b.html")
    removed, added = open_reader(repo).changes(before, commit(repo))
    assert removed.old is not None
    assert added.new is not None
    assert (removed.path, removed.new, added.path, added.old) == ("areas/a.html", None, "areas/b.html", None)
    assert removed.old.blob_sha == added.new.blob_sha


def test_a_store_that_moves_into_a_folder_appears_there(repo: Path) -> None:
    plant(repo, {"areas/a.html": memory()})
    before = commit(repo)
    (repo / "sub").mkdir()
    git(repo, "mv", "areas", "sub/areas")
    after = commit(repo)
    (added,) = open_reader(repo / "sub").changes(before, after)
    (removed,) = open_reader(repo).changes(before, after)
    assert (added.path, added.old, removed.path, removed.new) == ("areas/a.html", None, "areas/a.html", None)
    assert list(open_reader(repo / "sub").walk(before)) == []


names = st.sampled_from(["a", "b", "c.html", "d.html", "é.html", "index.html", "f.txt"])
file_paths = st.lists(names, min_size=1, max_size=4).map("/".join)
models = st.dictionaries(
    st.sampled_from(["areas", "archive", "projects", "other"]).flatmap(
        lambda top: file_paths.map(lambda p: f"{top}/{p}")
    ),
    st.sampled_from([b"one", b"two", b"three"]),
    max_size=14,
)


def without_clashes(model: dict[str, bytes]) -> dict[str, bytes]:
    """Drop each path below which another one stands: a file is no folder."""
    return {
        path: data for path, data in model.items() if not any(other.startswith(path + "/") for other in model)
    }


@given(st.lists(models.map(without_clashes), min_size=2, max_size=5))
@settings(max_examples=25, deadline=None)
def test_the_changes_of_commits_are_those_of_git_and_of_two_walks(history: list[dict[str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        git(root, "init", "-q", "-b", "main")
        stream: list[bytes] = []
        for number, model in enumerate(history):
            stream.append(
                b"commit refs/heads/c%d\nmark :%d\ncommitter T <t@example.com> 1700000000 +0000\n"
                % (number, number + 1)
            )
            stream.append(b"data 1\nx\ndeleteall\n")
            for path, data in model.items():
                stream.append(b"M 644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
        git(root, "fast-import", "--quiet", stdin=b"".join(stream))
        shas = [CommitSha(git(root, "rev-parse", f"c{n}").decode().strip()) for n in range(len(history))]
        reader = open_reader(root)
        for old, new in zip(shas, shas[1:] + shas[:1], strict=True):
            found = [(change.path, change.old, change.new) for change in reader.changes(old, new)]
            left = {entry.path: entry for entry in reader.walk(old)}
            right = {entry.path: entry for entry in reader.walk(new)}
            assert found == [
                (path, left.get(path), right.get(path))
                for path in sorted(left.keys() | right.keys(), key=str.encode)
                if left.get(path) != right.get(path)
            ]
            told = (
                git(root, "diff-tree", "-r", "-z", "--no-renames", "--name-only", old, new)
                .decode()
                .split("\0")
            )
            assert {path for path, _, _ in found} == {
                path
                for path in told
                if path.split("/")[0] in {"areas", "archive", "projects"}
                and path.endswith(".html")
                and not path.endswith("/index.html")
            }


def test_many_blobs_come_in_the_order_asked_for_whichever_way_they_are_read(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = [b"%d\n" % number * (number % 7) for number in range(300)]
    shas = [BlobSha(str(pygit2.Repository(str(repo)).create_blob(item))) for item in data]
    wanted = [*shas, *reversed(shas)]
    reader = open_reader(repo)
    few = list(reader.blobs(wanted))
    monkeypatch.setattr(objects, "_BULK", 10)
    many = list(reader.blobs(wanted))
    assert few == many == [*data, *reversed(data)]


def test_a_reader_of_many_blobs_may_stop_early(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(repo, {f"areas/{number}.html": b"%d" % number * 50_000 for number in range(40)})
    head = commit(repo)
    monkeypatch.setattr(objects, "_BULK", 1)
    walked = open_reader(repo).walk_blobs(head)
    assert next(walked)[1] == b"0" * 50_000
    walked.close()  # type: ignore[attr-defined]  # it is a generator, which an Iterator does not promise


@pytest.mark.parametrize("bulk", [1, 1000])
def test_a_missing_blob_is_a_failure_and_never_a_gap(
    repo: Path, monkeypatch: pytest.MonkeyPatch, bulk: int
) -> None:
    plant(repo, {"areas/a.html": b"one", "areas/b.html": b"two", "areas/c.html": b"three"})
    head = commit(repo)
    reader = open_reader(repo)
    lost = reader.entry_at(head, MemoryPath("areas/b.html"))
    assert lost is not None
    (repo / ".git/objects" / lost.blob_sha[:2] / lost.blob_sha[2:]).unlink()
    monkeypatch.setattr(objects, "_BULK", bulk)
    with pytest.raises(GitFailed, match="git fsck"):
        list(open_reader(repo).walk_blobs(head))
    with pytest.raises(GitFailed, match="git fetch"):
        open_reader(repo).blob(lost.blob_sha)


@pytest.mark.parametrize("what", ["HEAD^{tree}", "HEAD:areas"])
def test_a_missing_tree_is_a_failure_and_never_an_empty_folder(repo: Path, what: str) -> None:
    plant(repo, {"areas/a.html": b"one"})
    before = commit(repo)
    plant(repo, {"areas/a.html": b"two"})
    head = commit(repo)
    lost = git(repo, "rev-parse", what).decode().strip()
    (repo / ".git/objects" / lost[:2] / lost[2:]).unlink()
    reader = open_reader(repo)
    for reading in (
        lambda: list(reader.walk(head)),
        lambda: reader.changes(before, head),
        lambda: reader.entry_at(head, MemoryPath("areas/a.html")),
    ):
        with pytest.raises(GitFailed, match="not in this clone"):
            reading()


def test_a_damaged_object_is_a_failure(repo: Path) -> None:
    plant(repo, {"areas/a.html": b"one"})
    head = commit(repo)
    sha = git(repo, "rev-parse", "HEAD:areas/a.html").decode().strip()
    file = repo / ".git/objects" / sha[:2] / sha[2:]
    file.chmod(0o644)
    file.write_bytes(b"damaged")
    with pytest.raises(GitFailed, match="damaged"):
        list(open_reader(repo).walk_blobs(head))


def test_a_blob_is_asked_for_by_the_name_of_a_blob(repo: Path) -> None:
    plant(repo, {"areas/a.html": b"one"})
    head = commit(repo)
    reader = open_reader(repo)
    for wrong in (head, "nonsense", "", "f" * 40):
        with pytest.raises(GitFailed):
            reader.blob(BlobSha(wrong))


def partial_clone(repo: Path, tmp_path: Path) -> Path:
    plant(repo, {"areas/a.html": b"one", "areas/b.html": b"two"})
    commit(repo)
    git(tmp_path, "clone", "-q", "--bare", str(repo), "central.git")
    git(tmp_path / "central.git", "config", "uploadpack.allowFilter", "true")
    git(
        tmp_path,
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        (tmp_path / "central.git").as_uri(),
        "partial",
    )
    return tmp_path / "partial"


@pytest.mark.parametrize("bulk", [1, 1000])
def test_a_partial_clone_that_lacks_a_blob_names_its_cure(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bulk: int
) -> None:
    clone = partial_clone(repo, tmp_path)
    monkeypatch.setattr(objects, "_BULK", bulk)
    reader = open_reader(clone)
    head = reader.head()
    assert head is not None
    assert [entry.path for entry in reader.walk(head)] == ["areas/a.html", "areas/b.html"]
    with pytest.raises(GitFailed) as caught:
        list(reader.walk_blobs(head))
    cure = caught.value.message.split("`")[1]
    assert cure.startswith("git fetch")
    subprocess.run(cure.split(), cwd=clone, check=True, capture_output=True)
    assert [data for _, data in open_reader(clone).walk_blobs(head)] == [b"one", b"two"]


def test_a_partial_clone_without_its_remote_still_fails_by_name(repo: Path, tmp_path: Path) -> None:
    clone = partial_clone(repo, tmp_path)
    git(clone, "remote", "remove", "origin")
    reader = open_reader(clone)
    head = reader.head()
    assert head is not None
    with pytest.raises(GitFailed, match="not in this clone"):
        list(reader.walk_blobs(head))


def test_objects_that_a_gc_packed_stay_readable_to_an_open_reader(repo: Path) -> None:
    plant(repo, {f"areas/{number}.html": memory(f"Fact {number}.") for number in range(30)})
    head = commit(repo)
    reader = open_reader(repo)
    entries = list(reader.walk(head))
    git(repo, "gc", "-q", "--prune=now")
    assert [data for _, data in reader.walk_blobs(head)] == [reader.blob(entry.blob_sha) for entry in entries]
    plant(repo, {"areas/new.html": memory("Made by another process.")})
    assert reader.entry_at(commit(repo), MemoryPath("areas/new.html")) is not None


def test_a_replacement_of_an_object_is_not_followed(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(repo, {"areas/a.html": b"true"})
    head = commit(repo)
    sha = git(repo, "rev-parse", "HEAD:areas/a.html").decode().strip()
    git(repo, "replace", sha, store_blob(repo, b"false").decode())
    for bulk in (1, 1000):
        monkeypatch.setattr(objects, "_BULK", bulk)
        assert [data for _, data in open_reader(repo).walk_blobs(head)] == [b"true"]


def test_borrowed_objects_are_read(repo: Path, tmp_path: Path) -> None:
    plant(repo, {"areas/a.html": memory()})
    head = commit(repo)
    git(tmp_path, "clone", "-q", "--shared", "--no-checkout", str(repo), "borrower")
    assert [data for _, data in open_reader(tmp_path / "borrower").walk_blobs(head)] == [memory()]


def test_an_entry_is_a_path_a_blob_and_a_kind(repo: Path) -> None:
    plant(repo, {"areas/a.html": b""})
    assert list(open_reader(repo).walk(commit(repo))) == [
        Entry(MemoryPath("areas/a.html"), BlobSha("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"), EntryKind.FILE)
    ]
