"""What the suites of commits share."""

import os
from collections.abc import Mapping
from pathlib import Path

from conftest import git

from memhtml.git.commit import CommitRequest, Committed, commit
from memhtml.git.head import find_repository
from memhtml.git.objects import ObjectStore
from memhtml.git.plan import holding_at
from memhtml.values import BlobSha, CommitSha

IGNORED = b".memhtml/*.lock\n.memhtml/*.tmp\n.memhtml/pending.json\n"


def requested(root: Path, files: Mapping[str, bytes | None], head: CommitSha | None) -> CommitRequest:
    """Return a request that expects what HEAD holds."""
    location = find_repository(root)
    objects = ObjectStore(location)
    tree = objects.root_tree(head) if head is not None else None
    below = f"{location.prefix}/" if location.prefix else ""
    expects: dict[str, BlobSha | None] = {}
    for path in files:
        held = holding_at(objects.tree, tree, below + path)
        expects[path] = BlobSha(held.sha) if held is not None else None
    return CommitRequest(files, "memhtml(test): files", expects=expects)


def put(root: Path, files: Mapping[str, bytes | None], **options: bool) -> Committed | None:
    """Commit files whatever stood there."""
    return commit(root, lambda head: requested(root, files, head), **options)


def everything(root: Path) -> dict[str, bytes | str]:
    """Every file below `root` with its bytes, git's own included; only our lock may appear."""
    found: dict[str, bytes | str] = {}
    for folder, folders, files in os.walk(root):
        for name in (*files, *folders):
            path = Path(folder, name)
            if path.is_symlink():
                found[str(path)] = f"-> {path.readlink()}"
            elif path.is_file() and name != "write.lock":
                found[str(path)] = path.read_bytes()
            elif path.is_dir() and name != ".memhtml":
                found[str(path)] = "folder"
    return found


def status(root: Path) -> bytes:
    return git(root, "status", "--porcelain=v2", "-z", "-uall")


def names(root: Path, revision: str = "HEAD") -> list[bytes]:
    """The paths that a commit changed."""
    return git(root, "show", "--format=", "--name-only", "--no-renames", "-z", revision).split(b"\0")[:-1]
