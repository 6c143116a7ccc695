"""Writes some memories of one title, and says what became of each.

Called as `writer_child.py ROOT NAME COUNT SHARED`: of COUNT memories the first SHARED say what every writer says.
"""

import json
import sys
from pathlib import Path

from memhtml.app.wire import open_store
from memhtml.app.write import Words, write


def main() -> None:
    root, name, count, shared = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    store = open_store(root)
    for number in range(count):
        who = "everybody" if number < shared else name
        done = write(
            store, Words(title="One title", memory_type="semantic", claim=f"Fact {number} of {who}.")
        )
        print(json.dumps([done.path, done.created, done.commit_sha]))


if __name__ == "__main__":
    main()
