"""The path algebra. A path is the identity of a memory, and where a memory stands says what it belongs to.

Tree form: relative to the store's root, forward slashes, no leading slash. Every function is pure, total and linear.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from memhtml.values import LISTING_NAMES, Bucket, Instant, MemoryPath, MemoryType

__all__ = [
    "ARCS_FOLDER",
    "INBOX_FOLDER",
    "MAX_SLUG",
    "PEOPLE_FOLDER",
    "TASKS_SEGMENT",
    "archive_path",
    "archive_year",
    "filename",
    "has_date_prefix",
    "is_archive_path",
    "is_indexable_path",
    "is_slug",
    "is_valid_memory_path",
    "memory_path",
    "normalize_path",
    "original_path",
    "para_bucket",
    "placement",
    "slugify",
    "with_ordinal",
    "workspace_of",
]

ARCS_FOLDER: Final = "areas/arcs"
INBOX_FOLDER: Final = "areas/inbox"
PEOPLE_FOLDER: Final = "resources/people"
TASKS_SEGMENT: Final = "tasks"
MAX_SLUG: Final = 80

_EXTENSION: Final = ".html"
#: The slug whose file name belongs to a generated listing, and what stands in for it.
_RESERVED_SLUG: Final = "index"
_RESERVED_SLUG_STAND_IN: Final = "index-memory"
_BUCKETS: Final[dict[str, Bucket]] = {bucket.value: bucket for bucket in Bucket}
_SLASHES: Final = re.compile(r"//+")
_NO_SLUG: Final = re.compile(r"[^a-z0-9]+")
_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DATE_PREFIX: Final = re.compile(r"[0-9]{8}-")
_ARCHIVE: Final = re.compile(r"archive/([0-9]{4,})/(.+)", re.DOTALL)
_BAD_CHARACTER: Final = re.compile(r"[\x00-\x1f\x7f\\]")
_BAD_SEGMENTS: Final = frozenset({"", ".", "..", ".git"})
_TAGGED_TYPES: Final = frozenset({MemoryType.SEMANTIC, MemoryType.PROCEDURAL, MemoryType.PRECEDENT})


def normalize_path(path: str) -> MemoryPath:
    """Return the tree form: no leading slash, no double slash, no trailing slash; idempotent."""
    path = path.lstrip("/")
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return MemoryPath(path.removesuffix("/"))


def para_bucket(path: str) -> Bucket | None:
    """Return the top-level folder of a path that goes on below it, or None."""
    first, _, rest = normalize_path(path).partition("/")
    return _BUCKETS.get(first) if rest else None


def is_indexable_path(path: str) -> bool:
    """Say whether a file of the tree can be a memory: in a bucket, `.html`, and no generated listing."""
    if not path.endswith(_EXTENSION):
        return False
    first, slash, _ = path.partition("/")
    return bool(slash) and first in _BUCKETS and path.rpartition("/")[2] not in LISTING_NAMES


def is_valid_memory_path(path: str) -> bool:
    """Say whether a write may put a memory there.

    Narrower than `is_indexable_path`: no empty, `.` or `..` segment, nothing that git takes for its own folder, no
    backslash and no control character.
    """
    path = normalize_path(path)
    if not is_indexable_path(path) or _BAD_CHARACTER.search(path) is not None:
        return False
    return _BAD_SEGMENTS.isdisjoint(path.lower().split("/"))


def slugify(text: str) -> str:
    """Return one to 80 characters of `a-z`, `0-9` and single inner hyphens; `untitled` where nothing is left."""
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    slug = _NO_SLUG.sub("-", bare.lower()).strip("-")
    return slug[:MAX_SLUG].rstrip("-") or "untitled"


def is_slug(text: str) -> bool:
    """Say whether `slugify` could have returned this."""
    return len(text) <= MAX_SLUG and _SLUG.fullmatch(text) is not None


def with_ordinal(slug: str, ordinal: int) -> str:
    """Return the slug of the n-th memory of one name; the suffix counts into the 80 characters.

    Ordinals 1 to 1000 of one slug are 1000 different slugs.
    """
    if ordinal <= 1:
        return slug
    suffix = f"-{ordinal}"
    room = MAX_SLUG - len(suffix)
    candidate = slug[:room].strip("-") + suffix
    if candidate == slug:  # a slug of full length that already ends like this
        candidate = slug[: room - 1].strip("-") + suffix
    return candidate


def filename(slug: str, memory_type: MemoryType, at: Instant) -> str:
    """Return the file name of a memory: episodic ones lead with the UTC day they were written.

    The name of the generated listings is never given out, or a publish would overwrite the memory.
    """
    if memory_type is MemoryType.EPISODIC:
        return f"{at[:10].replace('-', '')}-{slug}{_EXTENSION}"
    return (_RESERVED_SLUG_STAND_IN if slug == _RESERVED_SLUG else slug) + _EXTENSION


def has_date_prefix(name: str) -> bool:
    """Say whether a file name leads with eight digits; the type decides what they mean, not the name."""
    return _DATE_PREFIX.match(name) is not None


def placement(
    memory_type: MemoryType,
    *,
    workspace: str | None = None,
    tags: Sequence[str] = (),
    entities: Sequence[str] = (),
    explicit: str | None = None,
) -> str:
    """Return the folder of a new memory; the first rule that matches decides, and the last always does."""
    if explicit is not None and is_valid_memory_path(explicit):
        return normalize_path(explicit).rpartition("/")[0]
    if memory_type is MemoryType.ARC:
        return ARCS_FOLDER
    if memory_type is MemoryType.TASK:
        place = f"projects/{slugify(workspace)}" if workspace else INBOX_FOLDER
        return f"{place}/{TASKS_SEGMENT}"
    if memory_type is MemoryType.SEMANTIC and any(entity.startswith("person:") for entity in entities):
        return PEOPLE_FOLDER
    if workspace:
        return f"projects/{slugify(workspace)}"
    if memory_type in _TAGGED_TYPES:
        tag = next((tag for tag in tags if tag.strip()), None)
        if tag is not None:
            return f"resources/{slugify(tag)}"
    return INBOX_FOLDER


def memory_path(
    title: str,
    memory_type: MemoryType,
    at: Instant,
    *,
    ordinal: int = 1,
    workspace: str | None = None,
    tags: Sequence[str] = (),
    entities: Sequence[str] = (),
    explicit: str | None = None,
) -> MemoryPath:
    """Return the path of a new memory: a valid explicit one as it is, else the n-th name of its title in its folder."""
    if explicit is not None and is_valid_memory_path(explicit):
        return normalize_path(explicit)
    folder = placement(memory_type, workspace=workspace, tags=tags, entities=entities)
    return MemoryPath(f"{folder}/{filename(with_ordinal(slugify(title), ordinal), memory_type, at)}")


def archive_path(path: str, year: int) -> MemoryPath:
    """Return where a memory goes when it is archived in a (UTC) year; `original_path` undoes it."""
    return MemoryPath(f"archive/{year:04d}/{normalize_path(path)}")


def original_path(path: str) -> MemoryPath | None:
    """Return where an archived memory came from, or None; of two archivings it undoes the last."""
    match = _ARCHIVE.fullmatch(normalize_path(path))
    return MemoryPath(match[2]) if match is not None else None


def archive_year(path: str) -> int | None:
    """Return the year a memory was archived in, or None."""
    match = _ARCHIVE.fullmatch(normalize_path(path))
    # Digits beyond what a year has are no year, and int() refuses very long ones.
    return int(match[1]) if match is not None and len(match[1]) <= 9 else None


def is_archive_path(path: str) -> bool:
    """Say whether a path has the shape `archive/<year>/<path>`."""
    return original_path(path) is not None


def workspace_of(path: str) -> str | None:
    """Return the project folder a memory stands in, or None."""
    if not path.startswith("projects/"):
        return None
    segment, slash, _ = path[len("projects/") :].partition("/")
    return segment if slash else None
