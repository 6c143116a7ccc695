"""Trees held in memory: walks and comparisons without a repository."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from memhtml.git import tree
from memhtml.git.entries import Entry, EntryKind
from memhtml.git.wire import TreeItem, parse_tree

#: A folder of a model: name to file content or folder.
Folder = dict[str, "bytes | Folder"]


class Trees:
    """An object database of trees that counts what is opened."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.opened: list[str] = []

    def read(self, oid: str) -> list[TreeItem]:
        self.opened.append(oid)
        return parse_tree(self.objects[oid])

    def store(self, folder: Folder) -> str:
        """Store a model of folders and return its tree, items in git's order (a folder as if it ended in a slash)."""
        items: list[tuple[bytes, bytes, bytes]] = []
        for name, content in folder.items():
            if isinstance(content, dict):
                items.append((b"40000", name.encode(), bytes.fromhex(self.store(content))))
            else:
                mode = b"120000" if content == b"link" else b"160000" if content == b"module" else b"100644"
                items.append((mode, name.encode(), hashlib.sha1(content).digest()))
        items.sort(key=lambda item: item[1] + b"/" if item[0] == b"40000" else item[1])
        raw = b"".join(mode + b" " + name + b"\0" + oid for mode, name, oid in items)
        oid = hashlib.sha1(b"tree" + raw).hexdigest()
        self.objects[oid] = raw
        return oid


leaf_names = st.sampled_from(
    ["a.html", "b.html", "a", "index.html", "é.html", "notes.txt", "a-b.html", "a0.html"]
)
contents = st.sampled_from([b"one", b"two", b"link", b"module"])
folders = st.recursive(
    st.dictionaries(leaf_names, contents, max_size=4),
    lambda inner: st.dictionaries(leaf_names, contents | inner, max_size=4),
    max_leaves=12,
)
stores = st.dictionaries(
    st.sampled_from(["areas", "projects", "archive", "elsewhere", "README.html"]), folders | contents
)


def model(folder: Folder, prefix: str = "") -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for name, content in folder.items():
        if isinstance(content, dict):
            found |= model(content, f"{prefix}{name}/")
        elif (
            prefix.split("/")[0] in {"areas", "projects", "archive"}
            and name.endswith(".html")
            and name != "index.html"
        ):
            found[prefix + name] = content
    return found


@given(stores)
def test_a_walk_yields_every_candidate_once_in_the_byte_order_of_paths(store: Folder) -> None:
    trees = Trees()
    walked = [entry.path for entry in tree.walk(trees.read, trees.store(store))]
    assert walked == sorted(model(store), key=str.encode)


@given(stores, stores)
def test_the_changes_of_two_trees_are_the_difference_of_their_walks(old: Folder, new: Folder) -> None:
    trees = Trees()
    before, after = trees.store(old), trees.store(new)
    left = {entry.path: entry for entry in tree.walk(trees.read, before)}
    right = {entry.path: entry for entry in tree.walk(trees.read, after)}
    expected = [
        (path, left.get(path), right.get(path))
        for path in sorted(left.keys() | right.keys(), key=str.encode)
        if left.get(path) != right.get(path)
    ]
    found = [(change.path, change.old, change.new) for change in tree.changes(trees.read, before, after)]
    assert found == expected


def test_an_equal_folder_is_never_opened() -> None:
    trees = Trees()
    quiet: Folder = {f"topic-{number}": {"a.html": b"%d" % number} for number in range(50)}
    before = trees.store({"areas": {**quiet, "busy": {"a.html": b"one"}}, "archive": quiet})
    after = trees.store({"areas": {**quiet, "busy": {"a.html": b"two"}}, "archive": quiet})
    trees.opened.clear()
    (change,) = tree.changes(trees.read, before, after)
    assert change.path == "areas/busy/a.html"
    assert len(trees.opened) == 6  # root, areas and busy, twice


def test_a_missing_tree_is_an_empty_one() -> None:
    trees = Trees()
    root = trees.store({"areas": {"a.html": b"one"}})
    (added,) = tree.changes(trees.read, None, root)
    (removed,) = tree.changes(trees.read, root, None)
    assert (added.old, removed.new) == (None, None)
    assert added.new == removed.old == Entry(added.path, removed.old.blob_sha, EntryKind.FILE)
    assert tree.changes(trees.read, None, None) == []


def test_a_folder_nested_deeper_than_python_recurses_is_walked() -> None:
    trees = Trees()
    inner = trees.store({"a.html": b"one"})
    for _ in range(3000):
        raw = b"40000 d\0" + bytes.fromhex(inner)
        inner = hashlib.sha1(raw).hexdigest()
        trees.objects[inner] = raw
    raw = b"40000 areas\0" + bytes.fromhex(inner)
    trees.objects["f" * 40] = raw
    (entry,) = tree.walk(trees.read, "f" * 40)
    assert entry.path == "areas/" + "d/" * 3000 + "a.html"
    assert len(tree.changes(trees.read, None, "f" * 40)) == 1


def test_a_folder_named_after_its_parent_makes_bad_paths_and_no_climb() -> None:
    trees = Trees()
    root = trees.store({"areas": {"..": {"a.html": b"one"}, "ok": {"a.html": b"one"}}})
    kinds = {entry.path: entry.kind for entry in tree.walk(trees.read, root)}
    assert kinds == {"areas//../a.html": EntryKind.BAD_PATH, "areas/ok/a.html": EntryKind.FILE}


def test_the_mode_of_an_item_tells_its_kind() -> None:
    trees = Trees()
    root = trees.store({"areas": {"a.html": b"one", "l.html": b"link", "m.html": b"module"}})
    assert [entry.kind for entry in tree.walk(trees.read, root)] == [
        EntryKind.FILE,
        EntryKind.SYMLINK,
        EntryKind.SUBMODULE,
    ]
