"""Walks and compares trees, over any function that returns the items of a tree object.

Raw objects and a comparison from the root are what makes an update cheap: equal subtrees are told by their ids and
never opened, where libgit2's own difference visits every file.
"""

from collections.abc import Callable, Iterator, Sequence

from memhtml.git.entries import Entry, EntryKind, TreeChange
from memhtml.git.wire import LISTINGS, TreeItem, is_candidate_name, memory_path
from memhtml.values import BlobSha, Bucket, MemoryPath

__all__ = ["Memo", "TreeReader", "changes", "descend", "entry_of", "is_tree", "walk"]

#: Returns the items of a tree object by its hexadecimal id.
TreeReader = Callable[[str], list[TreeItem]]

#: What a folder's tree holds under the part of a path at that depth.
Memo = dict[tuple[int, bytes], TreeItem | None]

_TREE = b"40000"
#: Bucket names in the byte order of paths.
_BUCKETS = sorted(bucket.value.encode("ascii") for bucket in Bucket)


def descend(read: TreeReader, root: str, parts: Sequence[bytes], memo: Memo | None = None) -> TreeItem | None:
    """Return the item that a path of names leads to from the tree `root`, or None.

    With a `memo`, kept between calls for the same `parts`, a folder that did not change is not opened again.
    """
    found: TreeItem | None = (_TREE, b"", bytes.fromhex(root))
    for depth, part in enumerate(parts):
        if found is None or not is_tree(found[0]):
            return None
        oid = found[2]
        if memo is not None and (depth, oid) in memo:
            found = memo[depth, oid]
            continue
        found = next((item for item in read(oid.hex()) if item[1] == part), None)
        if memo is not None:
            memo[depth, oid] = found
    return found


def entry_of(path: bytes, item: TreeItem) -> Entry | None:
    """Return a tree item as an entry; None for a folder."""
    return None if is_tree(item[0]) else _entry(path, item[0], item[2])


def walk(read: TreeReader, root: str) -> Iterator[Entry]:
    """Yield the candidates below the store's tree `root`, in the byte order of their paths."""
    buckets = _buckets(read, root)
    for name in _BUCKETS:
        if name in buckets:
            yield from _below(read, name + b"/", buckets[name])


def changes(read: TreeReader, old: str | None, new: str | None) -> list[TreeChange]:
    """Return how the candidates of two store trees differ, in the byte order of paths; None is an empty tree.

    A change of the executable bit alone is none.
    """
    found: list[tuple[bytes, TreeChange]] = []
    before = _buckets(read, old) if old is not None else {}
    after = _buckets(read, new) if new is not None else {}
    pending = [(name + b"/", before.get(name), after.get(name)) for name in _BUCKETS]
    while pending:
        prefix, left, right = pending.pop()
        if left == right:
            continue
        ours, theirs = _without_common_ends(_items(read, left), _items(read, right))
        removed = {name: (mode, oid) for mode, name, oid in set(ours).difference(theirs)}
        added = {name: (mode, oid) for mode, name, oid in set(theirs).difference(ours)}
        for name in removed.keys() | added.keys():
            path = prefix + name
            was, now = removed.get(name), added.get(name)
            left_tree = was[1] if was is not None and is_tree(was[0]) else None
            right_tree = now[1] if now is not None and is_tree(now[0]) else None
            if left_tree is not None or right_tree is not None:
                pending.append((path + b"/", left_tree, right_tree))
            if is_candidate_name(name):
                gone = _entry(path, *was) if was is not None and left_tree is None else None
                come = _entry(path, *now) if now is not None and right_tree is None else None
                if gone != come:
                    found.append((path, TreeChange(memory_path(path)[0], gone, come)))
    found.sort(key=lambda change: change[0])
    return [change for _, change in found]


def _buckets(read: TreeReader, root: str) -> dict[bytes, bytes]:
    return {name: oid for mode, name, oid in read(root) if name in _BUCKETS and is_tree(mode)}


def _items(read: TreeReader, oid: bytes | None) -> list[TreeItem]:
    return read(oid.hex()) if oid is not None else []


def _without_common_ends(
    left: list[TreeItem], right: list[TreeItem]
) -> tuple[list[TreeItem], list[TreeItem]]:
    """Return two lists without their longest common start and end: one edit in a huge folder leaves one item.

    Comparing slices and halving costs a tenth of making sets of everything.
    """
    start = _common(min(len(left), len(right)), lambda low, high: left[low:high] == right[low:high])
    ours, theirs = left[start:][::-1], right[start:][::-1]
    end = _common(min(len(ours), len(theirs)), lambda low, high: ours[low:high] == theirs[low:high])
    return ours[end:], theirs[end:]


def _common(length: int, is_equal: Callable[[int, int], bool]) -> int:
    """Return how many leading positions are equal, by halving: up to `low` all are known to be."""
    low, high = 0, length
    while low < high:
        middle = (low + high + 1) // 2
        if is_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _below(read: TreeReader, prefix: bytes, oid: bytes) -> Iterator[Entry]:
    # An explicit stack: a hostile tree may be nested deeper than Python recurses.
    stack = [(prefix, memory_path(prefix + b"x")[1], iter(read(oid.hex())))]
    while stack:
        prefix, is_usable, items = stack[-1]
        text = prefix.decode("utf-8") if is_usable else ""
        for mode, name, item_oid in items:
            if mode == b"100644" and is_usable and name.endswith(b".html") and name.isascii():
                # Nearly every file of nearly every corpus; `_entry` says the same, and takes three times as long.
                if name not in LISTINGS:
                    yield Entry(
                        MemoryPath(text + name.decode("ascii")), BlobSha(item_oid.hex()), EntryKind.FILE
                    )
            elif is_tree(mode):
                below = prefix + name + b"/"
                stack.append((below, memory_path(below + b"x")[1], iter(read(item_oid.hex()))))
                break
            elif is_candidate_name(name):
                yield _entry(prefix + name, mode, item_oid)
        else:
            stack.pop()


def is_tree(mode: bytes) -> bool:
    """Tell whether an item's mode is a folder's."""
    return mode == _TREE or mode == b"040000"


def _entry(path: bytes, mode: bytes, oid: bytes) -> Entry:
    text, is_usable = memory_path(path)
    if not is_usable:
        kind = EntryKind.BAD_PATH
    elif mode.startswith(b"10"):
        kind = EntryKind.FILE
    elif mode == b"120000":
        kind = EntryKind.SYMLINK
    else:
        kind = EntryKind.SUBMODULE
    return Entry(text, BlobSha(oid.hex()), kind)
