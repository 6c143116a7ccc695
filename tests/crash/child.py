"""Runs one operation and dies by SIGKILL at one point: `child.py ROOT OPERATION POINT [NTH]`."""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from embedders import HashingEmbedder

from memhtml import faults
from memhtml.app import indexing
from memhtml.app.wire import open_store


def main() -> None:
    root, operation, point = sys.argv[1:4]
    left = int(sys.argv[4]) if len(sys.argv) > 4 else 1

    def die() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    faults.arm(point, die)
    store = open_store(Path(root), embedder=HashingEmbedder(batch_size=4))
    if operation == "rebuild":
        indexing.rebuild(store)
    else:
        indexing.update(store)
    print("survived")


if __name__ == "__main__":
    main()
