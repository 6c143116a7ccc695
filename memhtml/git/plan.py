"""Works out the trees of a commit, from the trees of HEAD and a request: pure, nothing is written.

Every refusal that needs no look at the work tree is made here: changed files, unsafe names, names that a file system
could not tell apart, files in the place of folders. Equal subtrees are never opened.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memhtml.errors import PathRefused, WriteConflict
from memhtml.git.request import Change, CommitRequest, Holding
from memhtml.git.tree import TreeReader, descend, is_tree
from memhtml.git.wire import TreeItem, utf8_path
from memhtml.values import BlobSha

__all__ = ["Plan", "differences", "holding_at", "object_sha", "plan"]

_TREE = b"40000"
_NEW_FILE = b"100644"
_FILES = frozenset({b"100644", b"100755", b"100664"})
#: Git's and the file systems' own limits: a longer name cannot be checked out.
_MAX_NAME_BYTES, _MAX_DEPTH = 255, 100
#: HFS+ ignores these in names, so a name that holds one may still be `.git` there.
_HFS_IGNORED = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


class Plan(NamedTuple):
    tree: str
    #: In the byte order of their paths.
    changes: tuple[Change, ...]
    #: The new objects by id.
    blobs: Mapping[str, bytes]
    trees: Mapping[str, bytes]


class _Leaf(NamedTuple):
    #: Relative to the store, as the request spells it.
    path: str
    data: bytes | None


#: Names of a folder: what becomes of a file, or the same for a folder in it.
_Edits = dict[bytes, "_Leaf | _Edits"]


def object_sha(kind: bytes, data: bytes) -> str:
    """Return the id that git gives an object."""
    return hashlib.sha1(b"%s %d\0" % (kind, len(data)) + data, usedforsecurity=False).hexdigest()


def plan(read: TreeReader, root: str | None, prefix: str, request: CommitRequest) -> Plan:
    """Return the tree that `request` makes of the tree `root`; without changes when it makes none.

    Shapes: `prefix` is the store's folder in the repository, `""` or `a/b`; a `root` of None is an empty tree.
    Errors: `WriteConflict` where HEAD does not hold what the request expects, `PathRefused`.
    """
    below = tuple(part.encode("utf-8", "surrogateescape") for part in prefix.split("/") if part)
    for path in request.expects.keys() - request.changes.keys():
        _check_expected(request, path, _held(read, root, (*below, *_parts(path))))
    work = _Work(read, request, {}, {}, [])
    tree = work.rewrite(root, _nested(below, request.changes), b"")
    if tree is None:
        tree = work.keep_tree(b"")
    work.changes.sort(key=lambda change: change.path.encode("utf-8", "surrogateescape"))
    return Plan(tree, tuple(work.changes), work.blobs, work.trees)


def differences(read: TreeReader, old: str | None, new: str | None) -> list[Change]:
    """Return every file, link and submodule that differs between two trees, in the byte order of paths."""
    found = list(_differences(read, old, new, b""))
    found.sort(key=lambda change: change.path.encode("utf-8", "surrogateescape"))
    return found


def _differences(read: TreeReader, old: str | None, new: str | None, at: bytes) -> Iterator[Change]:
    before = {name: (mode, oid) for mode, name, oid in read(old)} if old is not None else {}
    after = {name: (mode, oid) for mode, name, oid in read(new)} if new is not None else {}
    for name in before.keys() | after.keys():
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        left = was[1].hex() if was is not None and is_tree(was[0]) else None
        right = now[1].hex() if now is not None and is_tree(now[0]) else None
        if left is not None or right is not None:
            yield from _differences(read, left, right, at + name + b"/")
        gone = _holding(*was) if was is not None and left is None else None
        come = _holding(*now) if now is not None and right is None else None
        if gone != come:
            yield Change((at + name).decode("utf-8", "surrogateescape"), gone, come)


@dataclass(frozen=True, slots=True)
class _Work:
    read: TreeReader
    request: CommitRequest
    blobs: dict[str, bytes]
    trees: dict[str, bytes]
    changes: list[Change]

    def rewrite(self, tree: str | None, edits: _Edits, at: bytes) -> str | None:
        """Return the tree that `edits` make of `tree`; None for an empty one."""
        items = {name: (mode, oid) for mode, name, oid in self.read(tree)} if tree is not None else {}
        added: list[tuple[bytes, str]] = []
        is_changed = False
        for name, edit in edits.items():
            held = items.get(name)
            if isinstance(edit, dict):
                now = self._folder(held, edit, at + name + b"/")
            else:
                now = self._file(held, edit, at + name)
            if now == held:
                continue
            is_changed = True
            if now is None:
                del items[name]
            else:
                items[name] = now
                if held is None:
                    added.append((name, _any_path(edit)))
        if not is_changed:
            return tree
        if added:
            _check_distinct(added, items)
        if not items:
            return None
        listed = [(mode, name, oid) for name, (mode, oid) in items.items()]
        listed.sort(key=_git_order)
        return self.keep_tree(b"".join([b"%b %b\0%b" % item for item in listed]))

    def keep_tree(self, data: bytes) -> str:
        sha = object_sha(b"tree", data)
        self.trees[sha] = data
        return sha

    def _folder(
        self, held: tuple[bytes, bytes] | None, edits: _Edits, at: bytes
    ) -> tuple[bytes, bytes] | None:
        if held is not None and not is_tree(held[0]):
            raise PathRefused(_any_path(edits), "a file stands where a folder is needed")
        sha = self.rewrite(held[1].hex() if held is not None else None, edits, at)
        if sha is None:
            return None
        return held if held is not None and held[1].hex() == sha else (_TREE, bytes.fromhex(sha))

    def _file(self, held: tuple[bytes, bytes] | None, leaf: _Leaf, at: bytes) -> tuple[bytes, bytes] | None:
        if held is not None and held[0] not in _FILES:
            what = "a folder" if is_tree(held[0]) else "a link or a submodule"
            raise PathRefused(leaf.path, f"{what} stands there")
        old = _holding(*held) if held is not None else None
        _check_expected(self.request, leaf.path, old)
        if leaf.data is None:
            new = None
        else:
            sha = object_sha(b"blob", leaf.data)
            new = Holding(old.mode if old is not None else _NEW_FILE, sha)
            if old != new:
                self.blobs[sha] = leaf.data
        if old != new:
            self.changes.append(Change(at.decode("utf-8", "surrogateescape"), old, new))
        return (new.mode, bytes.fromhex(new.sha)) if new is not None else None


def _nested(below: tuple[bytes, ...], changes: Mapping[str, bytes | None]) -> _Edits:
    top: _Edits = {}
    for path in sorted(changes):
        folder = top
        *folders, name = (*below, *_parts(path))
        for part in folders:
            inner = folder.setdefault(part, {})
            if not isinstance(inner, dict):
                raise PathRefused(path, "the same commit changes a file where its folder is needed")
            folder = inner
        if name in folder:
            raise PathRefused(path, "the same commit changes files below it")
        folder[name] = _Leaf(path, changes[path])
    return top


def _parts(path: str) -> list[bytes]:
    """Return the names of a path. Errors: `PathRefused` for one that git or a file system would not take."""
    raw = utf8_path(path)
    if raw is None:
        raise PathRefused(path.encode("utf-8", "backslashreplace").decode(), "it is no path inside the store")
    parts = raw.split(b"/")
    if len(parts) > _MAX_DEPTH or any(len(part) > _MAX_NAME_BYTES for part in parts):
        raise PathRefused(path, "it is too long or too deep")
    for part in path.split("/"):
        bare = part.translate(_HFS_IGNORED).partition(":")[0].rstrip(" .").casefold()
        if bare in {".git", "git~1"}:
            raise PathRefused(path, "the name belongs to git")
    return parts


def _check_expected(request: CommitRequest, path: str, held: Holding | None) -> None:
    expected: BlobSha | None = request.expects.get(path)
    there = held.sha if held is not None else None
    if expected != there:
        raise WriteConflict(path, expected, there)


def holding_at(read: TreeReader, root: str | None, path: str) -> Holding | None:
    """Return what a tree holds at a path from its top; None for nothing and for a folder."""
    return _held(read, root, tuple(path.encode("utf-8", "surrogateescape").split(b"/")))


def _held(read: TreeReader, root: str | None, parts: tuple[bytes, ...]) -> Holding | None:
    item = descend(read, root, parts) if root is not None else None
    return _holding(item[0], item[2]) if item is not None and not is_tree(item[0]) else None


def _holding(mode: bytes, oid: bytes) -> Holding:
    # Early versions of git wrote a mode that it has read as the ordinary one ever since.
    return Holding(_NEW_FILE if mode == b"100664" else mode, oid.hex())


def _any_path(edit: "_Leaf | _Edits") -> str:
    """Return the first path of the request that an edit is about."""
    while isinstance(edit, dict):
        edit = next(iter(edit.values()))
    return edit.path


def _check_distinct(added: Iterable[tuple[bytes, str]], items: Iterable[bytes]) -> None:
    """Refuse a new name that differs from a neighbour's only in case or composition; `added` come with their paths."""
    alike: dict[str, list[bytes]] = {}
    for name in items:
        alike.setdefault(_fold(name), []).append(name)
    for name, path in added:
        for other in alike[_fold(name)]:
            if other != name:
                shown = other.decode("utf-8", "backslashreplace")
                raise PathRefused(path, f"{shown} differs from it only in case or composition")


def _fold(name: bytes) -> str:
    if name.isascii():
        return name.decode("ascii").lower()
    text = unicodedata.normalize("NFC", name.decode("utf-8", "surrogateescape"))
    return unicodedata.normalize("NFC", text.casefold())


def _git_order(item: TreeItem) -> bytes:
    """Return what git sorts a tree by: a folder's name counts as if it ended with a slash."""
    mode, name, _ = item
    return name + b"/" if is_tree(mode) else name
