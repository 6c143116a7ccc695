"""Where an archived memory came from: by its path, or by its head where the archive had to call it something else."""

from collections.abc import Mapping, Sequence
from typing import Final

from memhtml.format.paths import is_archive_path, is_valid_memory_path, normalize_path, original_path
from memhtml.format.vocabulary import EXTENSION_META_PREFIX
from memhtml.values import Bucket, MemoryPath

__all__ = ["ORIGIN_META", "origin_of"]

#: Stands in the head of an archived memory whose path alone would name another place.
ORIGIN_META: Final = f"{EXTENSION_META_PREFIX}origin"


def origin_of(path: str, head: Mapping[str, Sequence[str]]) -> MemoryPath | None:
    """Return where a memory stood before it was archived, or None for one that is in no year of the archive.

    Shapes: `head` are the contents of each name of ours. Total: an origin that no memory can have is passed over.
    """
    if not is_archive_path(path):
        return None
    named = [normalize_path(content) for content in head.get(ORIGIN_META, ())]
    places = (place for place in named if is_valid_memory_path(place))
    return next((p for p in places if not p.startswith(f"{Bucket.ARCHIVE}/")), original_path(path))
