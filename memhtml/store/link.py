"""Links between memories, in the head of the one that they start from. The other end is not touched.

Which ends a link may have follows from the class of its rel: memories are joined with memories and tasks with tasks,
and both ends must stand in the commit. People and sessions need no file to be named.
"""

from typing import NamedTuple

from memhtml.errors import InvalidMemory, PathRefused
from memhtml.format.edit import add_link, remove_link
from memhtml.format.paths import is_valid_memory_path, normalize_path
from memhtml.format.vocabulary import rel_of_token
from memhtml.git.commit import subject_line
from memhtml.store.gate import admit_edit
from memhtml.store.planned import Planned
from memhtml.store.view import HeadFile, HeadView
from memhtml.values import EDGE_CLASS, EdgeClass, EdgeRel, MemoryPath, MemoryType

__all__ = ["Linked", "hrefs_to", "plan_link", "plan_unlink"]


class Linked(NamedTuple):
    src_path: MemoryPath
    rel: EdgeRel
    dst_path: MemoryPath
    #: Whether the link stands now.
    linked: bool


def plan_link(view: HeadView, *, src: str, rel: EdgeRel, dst: str) -> Planned[Linked]:
    """Return the commit of a new link; without changes where it stands already.

    Errors: `PathNotFound`, `PathRefused`, `InvalidMemory` for a link to itself and for ends that the rel does not join.
    """
    file = view.get(src)
    target = normalize_path(dst)
    if not is_valid_memory_path(target):
        raise PathRefused(dst, "it is not the path of a memory")
    if target == file.path:
        raise InvalidMemory("a memory cannot be linked to itself", hints=("memhtml help link",))
    if EDGE_CLASS[rel] in (EdgeClass.MEMORY, EdgeClass.TASK):
        _require_joinable(rel, file, view.get(target))
    linked = Linked(file.path, rel, target, linked=True)
    if hrefs_to(file, rel, target):
        return Planned(linked)
    return _edited(linked, file, add_link(file.data, rel, f"/{target}"), "link")


def plan_unlink(view: HeadView, *, src: str, rel: EdgeRel, dst: str) -> Planned[Linked]:
    """Return the commit that takes a link away, wherever it leads; without changes where there is none.

    Errors: `PathNotFound` and `PathRefused` for the memory that it starts from, `InvalidMemory`.
    """
    file = view.get(src)
    target = normalize_path(dst)
    data = file.data
    for href in hrefs_to(file, rel, target):
        data = remove_link(data, rel, href)
    unlinked = Linked(file.path, rel, target, linked=False)
    return Planned(unlinked) if not hrefs_to(file, rel, target) else _edited(unlinked, file, data, "unlink")


def hrefs_to(file: HeadFile, rel: EdgeRel, path: str) -> list[str]:
    """Return the links of a rel that lead to a path, as they are written."""
    return [
        href
        for token, href in file.document.links
        if href is not None and rel_of_token(token) is rel and normalize_path(href) == path
    ]


def _edited(linked: Linked, file: HeadFile, data: bytes, op: str) -> Planned[Linked]:
    document = admit_edit(file.data, data).document
    if (
        bool(hrefs_to(HeadFile(file.path, file.blob_sha, data, document), linked.rel, linked.dst_path))
        != linked.linked
    ):
        raise InvalidMemory(f"{file.path}: its head cannot be edited", hints=("memhtml doctor",))
    return Planned(
        linked,
        {file.path: data},
        {file.path: file.blob_sha},
        subject_line(op, f"{linked.src_path} {linked.rel.value} {linked.dst_path}"),
    )


def _require_joinable(rel: EdgeRel, src: HeadFile, dst: HeadFile) -> None:
    for_tasks = EDGE_CLASS[rel] is EdgeClass.TASK
    for end in (src, dst):
        if (end.document.memory_type is MemoryType.TASK) != for_tasks:
            rule = "joins tasks, which it is not" if for_tasks else "joins memories, and it is a task"
            raise InvalidMemory(
                f"{end.path} can be no end of this link: {rel.value} {rule}", hints=("memhtml help link",)
            )
