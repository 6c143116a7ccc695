"""Files that look as if they were meant to be memories and can never become rows, and databases that git records.

Nothing else would say a word about them: an index is silent about what it does not read.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from memhtml.doctor.checks.several import several
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.git.entries import Entry, EntryKind
from memhtml.git.others import OWN_FOLDER, Unseen, bucket_of_name
from memhtml.values import LISTING_NAMES, Bucket, MemoryPath

__all__ = ["check_databases", "check_overlooked"]

#: Endings of pages, in lower case; only `.html` itself is a memory's.
_PAGES: Final = (".html", ".htm", ".xhtml")
_LISTINGS: Final = frozenset(name.rpartition(".")[0] for name in LISTING_NAMES)
_BUCKETS: Final = {bucket.value: bucket for bucket in Bucket}
#: The databases, what SQLite keeps beside them, and those that were moved aside.
_DATABASE: Final = re.compile(r"(?:index|state)\.db(?:[-.].*)?", re.DOTALL)


def check_overlooked(others: Iterable[Entry], unseen: Unseen) -> Iterator[Finding]:
    """Yield what of a commit and of its work tree will never be read, although it stands where memories do."""
    reasons: defaultdict[str, set[MemoryPath]] = defaultdict(set)
    repositories: set[MemoryPath] = set(unseen.repositories)
    for entry in others:
        if _bucket_above(entry.path) is None:
            continue
        if entry.kind is EntryKind.SUBMODULE:
            repositories.add(entry.path)
        elif (reason := _why_overlooked(entry.path)) is not None:
            reasons[reason].add(entry.path)
    for path in unseen.untracked:
        if _bucket_above(path) is not None and (reason := _why_overlooked(path)) is not None:
            reasons[reason].add(path)
    for reason, paths in sorted(reasons.items()):
        yield from several(FindingCode.PATH_OVERLOOKED, sorted(paths), reason)
    message = "a repository of its own stands here, and nothing in it is read"
    yield from several(FindingCode.NESTED_REPOSITORY, sorted(repositories), message)
    yield from _ignored(unseen)


def check_databases(others: Iterable[Entry], unseen: Unseen) -> Iterator[Finding]:
    """Yield every database of the store that git records, or is about to."""
    own = f"{OWN_FOLDER}/"
    names = {entry.path.removeprefix(own) for entry in others if entry.path.startswith(own)}
    for name in sorted(names.union(unseen.tracked_own)):
        if _DATABASE.fullmatch(name) is not None:
            message = "git tracks a database of one clone"
            yield finding(FindingCode.DATABASE_TRACKED, message, MemoryPath(own + name))


def _ignored(unseen: Unseen) -> Iterator[Finding]:
    for bucket in unseen.ignored_buckets:
        held = sum(path.startswith(f"{bucket}/") for path in unseen.ignored)
        files = (
            "" if not held else ", and 1 file there now" if held == 1 else f", and {held:,} files there now"
        )
        message = f"git ignores new memories in this bucket{files}"
        yield finding(FindingCode.PATH_IGNORED, message, MemoryPath(bucket.value))
    others = (path for path in unseen.ignored if _bucket_above(path) not in unseen.ignored_buckets)
    yield from several(FindingCode.PATH_IGNORED, others, "git ignores this file")


def _bucket_above(path: str) -> Bucket | None:
    """Return the bucket that a path is in or is itself, in whatever case."""
    return bucket_of_name(path.partition("/")[0])


def _why_overlooked(path: str) -> str | None:
    first, slash, rest = path.partition("/")
    if not slash:
        return "a bucket's name is not a folder's" if first in _BUCKETS else None
    stem, dot, ending = rest.rpartition("/")[2].casefold().rpartition(".")
    if dot + ending not in _PAGES or stem in _LISTINGS:
        return None
    if first not in _BUCKETS:
        bucket = bucket_of_name(first)
        return f"the folder {first} is not the bucket {bucket}: names are told apart by case"
    return "its name does not end with .html, as a memory's does"
