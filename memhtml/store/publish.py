"""The generated pages of a store, as one commit: written where they differ, removed where nothing is left to list."""

from typing import NamedTuple

from memhtml.format.listing import SITEMAP, Listed, is_generated, listings, sitemap
from memhtml.git.message import subject_line
from memhtml.store.planned import Planned
from memhtml.store.view import HeadView
from memhtml.values import BlobSha

__all__ = ["Pages", "plan_publish"]


class Pages(NamedTuple):
    """What becomes of the pages."""

    artifacts: int
    written: tuple[str, ...]
    removed: tuple[str, ...]
    #: Pages of somebody's own that stand where one would be generated.
    left: tuple[str, ...]


def plan_publish(view: HeadView) -> Planned[Pages]:
    """Return the commit that brings the generated pages up to the memories of HEAD, the archived ones included."""
    listed = [
        Listed(
            file.path,
            file.document.title or "",
            file.document.memory_type,
            file.document.updated or file.document.created or "",
            file.document.gist,
        )
        for file in view.memories()
        if file.document.memory_type is not None
    ]
    wanted: dict[str, bytes] = {**listings(listed), SITEMAP: sitemap(listed)}
    changes: dict[str, bytes | None] = {}
    expects: dict[str, BlobSha | None] = {}
    left: list[str] = []
    for path, data in wanted.items():
        held = view.raw(path)
        if held is None:
            if view.is_file(path):  # a link, or a submodule
                left.append(path)
                continue
            changes[path], expects[path] = data, None
        elif held.data != data:
            if is_generated(held.data):
                changes[path], expects[path] = data, held.blob_sha
            else:
                left.append(path)
    removed = []
    for path in view.listing_paths():
        held = view.raw(path) if path not in wanted else None
        if held is not None and is_generated(held.data):
            changes[path], expects[path] = None, held.blob_sha
            removed.append(path)
    written = tuple(sorted(path for path, made in changes.items() if made is not None))
    result = Pages(len(wanted) - len(left), written, tuple(sorted(removed)), tuple(sorted(left)))
    count = len(changes)
    subject = subject_line("publish", f"{count:,} generated page{'' if count == 1 else 's'}")
    return Planned(result, changes, expects, subject)
