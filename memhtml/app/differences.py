"""What two commits claim that the other does not: the difference of two trees, told as facts and not as lines."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from memhtml.app.past import document_at
from memhtml.app.wire import Store
from memhtml.errors import UnexpectedArgument
from memhtml.format.document import Document
from memhtml.format.paths import normalize_path, original_path, para_bucket
from memhtml.git.read import GitReader, open_reader
from memhtml.git.revisions import resolve
from memhtml.values import Bucket, CommitSha, MemoryPath

__all__ = ["Added", "Changed", "CorpusDiff", "Moved", "Retired", "diff"]

_HEAD: Final = "HEAD"


class Added(NamedTuple):
    path: MemoryPath
    claim: str
    #: Where in the archive it stood before.
    restored_from: MemoryPath | None = None


class Changed(NamedTuple):
    """A claim that became another one, in its file or by a memory that took its place."""

    path: MemoryPath
    claim: str
    from_path: MemoryPath
    from_claim: str


class Retired(NamedTuple):
    path: MemoryPath
    claim: str
    #: Where it stands now; None: it was deleted.
    archived_to: MemoryPath | None


class Moved(NamedTuple):
    path: MemoryPath
    from_path: MemoryPath


@dataclass(frozen=True, slots=True)
class CorpusDiff:
    """The difference of two commits; every list is in the order of paths."""

    from_sha: CommitSha
    to_sha: CommitSha
    added: tuple[Added, ...]
    changed: tuple[Changed, ...]
    retired: tuple[Retired, ...]
    moved: tuple[Moved, ...]
    #: Active memories whose claim is the same, and something beside it is not.
    edited: tuple[MemoryPath, ...]


def diff(store: Store, span: str) -> CorpusDiff:
    """Return what changed from one commit to another.

    Shapes: `span` is `A..B`; a side that is left out, and B where no dots are, is HEAD.
    Errors: `UnexpectedArgument` for three dots, `GitFailed` for a name of no commit.
    """
    if "..." in span:
        raise UnexpectedArgument(
            "two dots stand between the two commits", hints=("memhtml diff HEAD~1..HEAD",)
        )
    first, dots, second = span.partition("..")
    reader = open_reader(store.root)
    old = resolve(reader.location, first or _HEAD)
    new = resolve(reader.location, (second if dots else "") or _HEAD)
    return _compared(_read(reader, old, new), old, new)


_Files = dict[MemoryPath, Document]


@dataclass(slots=True)
class _Sides:
    """The memories at paths that differ."""

    old: _Files = field(default_factory=dict)
    new: _Files = field(default_factory=dict)
    old_archive: _Files = field(default_factory=dict)
    new_archive: _Files = field(default_factory=dict)


def _read(reader: GitReader, old: CommitSha, new: CommitSha) -> _Sides:
    sides = _Sides()
    for change in reader.changes(old, new):
        is_archived = para_bucket(change.path) is Bucket.ARCHIVE
        for entry, active, archive in (
            (change.old, sides.old, sides.old_archive),
            (change.new, sides.new, sides.new_archive),
        ):
            document = document_at(reader, entry)
            if document is not None and document.memory_type is not None:
                (archive if is_archived else active)[change.path] = document
    return sides


def _compared(sides: _Sides, old: CommitSha, new: CommitSha) -> CorpusDiff:
    changed: list[Changed] = []
    edited: list[MemoryPath] = []
    for path in sides.old.keys() & sides.new.keys():
        before, after = sides.old.pop(path), sides.new.pop(path)
        if before.gist == after.gist:
            edited.append(path)
        else:
            changed.append(Changed(path, after.gist, path, before.gist))
    moved: list[Moved] = []
    for path in sorted(sides.new):
        source = _twin(sides.new[path], sides.old)
        if source is not None:
            moved.append(Moved(path, source))
            del sides.new[path], sides.old[source]
    retired: list[Retired] = []
    for path in sorted(sides.old):
        document = sides.old[path]
        place = _counterpart(path, document, sides.new_archive)
        successor = sides.new_archive[place].superseded_by if place is not None else None
        heir = normalize_path(successor) if successor else None
        if heir is not None and heir in sides.new:
            changed.append(Changed(heir, sides.new.pop(heir).gist, path, document.gist))
        else:
            retired.append(Retired(path, document.gist, place))
    added = [
        Added(path, document.gist, _counterpart_of_restored(path, document, sides.old_archive))
        for path, document in sorted(sides.new.items(), key=lambda item: item[0])
    ]
    return CorpusDiff(
        old, new, tuple(added), tuple(sorted(changed)), tuple(retired), tuple(moved), tuple(sorted(edited))
    )


def _twin(document: Document, among: _Files) -> MemoryPath | None:
    return min(
        (path for path, other in among.items() if other.content_hash == document.content_hash), default=None
    )


def _counterpart(path: MemoryPath, document: Document, archive: _Files) -> MemoryPath | None:
    """Return where in the archive a memory went: to its own place, else to where its words are."""
    own = sorted(place for place in archive if original_path(place) == path)
    return own[-1] if own else _twin(document, archive)


def _counterpart_of_restored(path: MemoryPath, document: Document, archive: _Files) -> MemoryPath | None:
    place = _counterpart(path, document, archive)
    return place if place is not None and archive[place].content_hash == document.content_hash else None
