"""The trees of a commit, worked out in memory."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.errors import PathRefused, WriteConflict
from memhtml.git.plan import Plan, differences, object_sha, plan
from memhtml.git.request import CommitRequest
from memhtml.git.wire import TreeItem, parse_tree
from memhtml.values import BlobSha


class Objects:
    """Trees in a dictionary, filled by plans."""

    def __init__(self) -> None:
        self.trees: dict[str, bytes] = {}

    def read(self, sha: str) -> list[TreeItem]:
        return parse_tree(self.trees[sha])

    def put(self, files: Mapping[str, bytes | None], root: str | None = None, prefix: str = "") -> Plan:
        held = self.files(root) if root is not None else {}
        below = f"{prefix}/" if prefix else ""
        expects = {path: BlobSha(held[below + path]) for path in files if below + path in held}
        work = plan(self.read, root, prefix, CommitRequest(files, "s", expects=expects))
        self.trees.update(work.trees)
        return work

    def files(self, root: str) -> dict[str, str]:
        return {change.path: change.new.sha for change in differences(self.read, None, root) if change.new}

    def add(self, *items: tuple[bytes, bytes, str]) -> str:
        data = b"".join(b"%b %b\0%b" % (mode, name, bytes.fromhex(sha)) for mode, name, sha in items)
        sha = object_sha(b"tree", data)
        self.trees[sha] = data
        return sha


def sha_of(data: bytes) -> str:
    return object_sha(b"blob", data)


A, B = b"a\n", b"b\n"


def test_new_files_and_folders_are_added_in_the_order_that_git_wants() -> None:
    objects = Objects()
    work = objects.put({"a.b": A, "a/x": B, "a-c": A})
    assert [name for _, name, _ in objects.read(work.tree)] == [b"a-c", b"a.b", b"a"]
    assert [change.path for change in work.changes] == ["a-c", "a.b", "a/x"]
    assert work.blobs == {sha_of(A): A, sha_of(B): B}


def test_a_removal_takes_empty_folders_along() -> None:
    objects = Objects()
    root = objects.put({"a/b/c": A, "x": B}).tree
    work = objects.put({"a/b/c": None}, root)
    assert objects.files(work.tree) == {"x": sha_of(B)}
    assert objects.read(objects.put({"x": None}, work.tree).tree) == []


def test_what_changes_nothing_plans_nothing() -> None:
    objects = Objects()
    root = objects.put({"a": A}).tree
    for files in ({"a": A}, {"b": None}, {}, {"no/such/file": None}):
        work = objects.put(files, root)
        assert (work.tree, work.changes, work.trees, work.blobs) == (root, (), {}, {})


def test_an_executable_file_stays_executable() -> None:
    objects = Objects()
    root = objects.add((b"100755", b"a", sha_of(A)))
    assert [mode for mode, _, _ in objects.read(objects.put({"a": B}, root).tree)] == [b"100755"]


def test_a_store_in_a_folder_changes_that_folder_alone() -> None:
    objects = Objects()
    root = objects.put({"src/main.c": A, "notes/old": A}).tree
    work = objects.put({"areas/x": B}, root, prefix="notes/memory")
    assert [change.path for change in work.changes] == ["notes/memory/areas/x"]
    assert objects.files(work.tree).keys() == {"src/main.c", "notes/old", "notes/memory/areas/x"}


@pytest.mark.parametrize(
    ("expects", "ours", "theirs"),
    [({}, None, sha_of(A)), ({"a": sha_of(B)}, sha_of(B), sha_of(A)), ({"a": None}, None, sha_of(A))],
)
def test_a_file_that_is_not_as_expected_is_a_conflict(
    expects: dict[str, BlobSha | None], ours: str | None, theirs: str
) -> None:
    objects = Objects()
    root = objects.put({"a": A}).tree
    for data in (B, None):
        with pytest.raises(WriteConflict) as caught:
            plan(objects.read, root, "", CommitRequest({"a": data}, "s", expects=expects))
        assert (caught.value.path, caught.value.ours, caught.value.theirs) == ("a", ours, theirs)


def test_a_file_that_was_only_read_is_compared_too() -> None:
    objects = Objects()
    root = objects.put({"a": A}).tree
    request = CommitRequest({"b": B}, "s", expects={"a": BlobSha(sha_of(B))})
    with pytest.raises(WriteConflict):
        plan(objects.read, root, "", request)
    request = CommitRequest({"b": B}, "s", expects={"a": BlobSha(sha_of(A)), "c": None})
    assert len(plan(objects.read, root, "", request).changes) == 1


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            "/a",
            "a//b",
            "../a",
            "a/../b",
            "./a",
            "a/",
            ".git/hooks/x",
            "a/.GIT/x",
            ".git\u200c/x",
            ".git . /x",
        ),
        *("git~1/x", ".git::$INDEX_ALLOCATION/x", "a\0b", "\udc80", "x" * 256, "/".join("a" * 101)),
    ],
)
def test_a_path_that_is_unsafe_somewhere_is_refused(path: str) -> None:
    with pytest.raises(PathRefused):
        plan(Objects().read, None, "", CommitRequest({path: A}, "s"))


@pytest.mark.parametrize(
    ("there", "new"),
    [
        *(("Areas/x", "areas/y"), ("areas/X.html", "areas/x.html"), ("cafe\u0301", "caf\u00e9")),
        *(("stra\u00dfe", "STRASSE"), ("\u212a", "k"), ("a/I\u0307", "a/i\u0307")),
    ],
)
def test_a_name_that_a_file_system_takes_for_another_is_refused(there: str, new: str) -> None:
    objects = Objects()
    for first, second in ((there, new), (new, there)):
        root = objects.put({first: A}).tree
        with pytest.raises(PathRefused, match="case or composition"):
            objects.put({second: B}, root)
        with pytest.raises(PathRefused, match="case or composition"):
            objects.put({first: A, second: B})
        assert objects.put({first: B}, root).changes
        work = objects.put({first: None, second: B}, root)
        assert list(objects.files(work.tree)) == [second]


def test_files_and_folders_never_take_each_others_place() -> None:
    objects = Objects()
    root = objects.put({"file": A, "folder/x": A}).tree
    for files in (
        {"file/x": A},
        {"folder": A},
        {"folder": None},
        {"new": A, "new/x": A},
        {"new/x": A, "new": A},
    ):
        with pytest.raises(PathRefused):
            plan(objects.read, root, "", CommitRequest(files, "s"))


@pytest.mark.parametrize("mode", [b"120000", b"160000"])
def test_links_and_submodules_are_never_written(mode: bytes) -> None:
    objects = Objects()
    root = objects.add((mode, b"a", sha_of(A)))
    for path in ("a", "a/x"):
        with pytest.raises(PathRefused):
            plan(objects.read, root, "", CommitRequest({path: B}, "s", expects={path: BlobSha(sha_of(A))}))


NAMES = st.sampled_from(["a", "b", "c.html", "d-e", "d", "\u00e9", "zz"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


@given(st.lists(st.dictionaries(PATHS, st.one_of(st.none(), st.binary(max_size=3)), max_size=6), max_size=5))
def test_a_series_of_plans_gives_the_files_of_the_series(steps: list[dict[str, bytes | None]]) -> None:
    objects = Objects()
    root: str | None = None
    model: dict[str, str] = {}
    for files in steps:
        try:
            work = objects.put(files, root)
        except PathRefused:
            continue
        after = {**model, **{path: sha_of(data) for path, data in files.items() if data is not None}}
        for path in files:
            if files[path] is None:
                after.pop(path, None)
        assert objects.files(work.tree) == after
        assert {change.path for change in work.changes} == {
            path for path in model.keys() | after.keys() if model.get(path) != after.get(path)
        }
        fresh = Objects()
        assert fresh.put(after_bytes(after, objects, steps)).tree == work.tree
        root, model = work.tree, after


def after_bytes(
    after: Mapping[str, str], objects: Objects, steps: list[dict[str, bytes | None]]
) -> dict[str, bytes | None]:
    by_sha = {sha_of(data): data for files in steps for data in files.values() if data is not None}
    return {path: by_sha[sha] for path, sha in after.items()}
