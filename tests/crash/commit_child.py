"""Makes one commit, or ends a stopped one, and dies by SIGKILL at one point.

Called as `commit_child.py ROOT OPERATION POINT [NTH]`.
"""

import os
import signal
import sys
from pathlib import Path

from memhtml import faults
from memhtml.git.commit import CommitRequest, commit, recover
from memhtml.git.head import find_repository
from memhtml.git.objects import ObjectStore
from memhtml.values import BlobSha

NEW = {
    "areas/edited.html": b"edited by us\n",
    "areas/fresh/new.html": b"new\n",
    "projects/moved.html": None,
    "archive/2026/projects/moved.html": b"moved\n",
}


def request(root: Path) -> CommitRequest:
    tree = ObjectStore(find_repository(root)).repository.head.peel().tree
    expects = {path: BlobSha(str(tree[path].id)) for path in NEW if path in tree}
    return CommitRequest(NEW, "memhtml(test): four paths", expects=expects)


def main() -> None:
    root, operation, point = Path(sys.argv[1]), *sys.argv[2:4]
    left = int(sys.argv[4]) if len(sys.argv) > 4 else 1

    def die() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    faults.arm(point, die)
    if operation == "recover":
        recover(root)
    else:
        commit(root, request(root))
    print("survived")


if __name__ == "__main__":
    main()
