"""What `make demo` runs: the main job on the example corpus, with the real program and plain git.

python bench/demo.py [FOLDER]      (without one: .demo in the checkout, made anew)

Each step prints its command and what came of it, and is checked: the demo fails at the first thing that is not as told.
"""

import json
import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
PLACE = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else CHECKOUT / ".demo"
PROGRAM = Path(sys.executable).with_name("memhtml")
BROKEN = "areas/inbox/broken.html"
MOVED = ("areas/inbox/rates-tell-more-than-levels.html", "resources/sensors/rates-tell-more-than-levels.html")
EDITED = "areas/preferences/jonna-takes-no-calls-before-ten.html"


def environment() -> dict[str, str]:
    """The person's own, with an identity for git where they have none, and without settings of other stores."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMHTML_", "GIT_"))}
    return {
        **kept,
        "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}",
        "GIT_AUTHOR_NAME": "memhtml demo",
        "GIT_AUTHOR_EMAIL": "demo@example.com",
        "GIT_COMMITTER_NAME": "memhtml demo",
        "GIT_COMMITTER_EMAIL": "demo@example.com",
        "TERM": "dumb",
        "GIT_PAGER": "cat",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }


class Failed(Exception):
    """A step did not do what it says."""


def say(text: str) -> None:
    """Explain the next step."""
    print(f"\n\N{BULLET} {text}", flush=True)


def run(command: str, *, status: int = 0, cwd: Path = PLACE / "store") -> None:
    """Run a command on a terminal, as a person would, and show it with its output."""
    print(f"  $ {command}", flush=True)
    end, terminal = pty.openpty()  # in a pipe memhtml would answer in JSON
    process = subprocess.Popen(
        ["sh", "-c", command],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    output = drained(end, process)
    os.close(end)
    for line in output.decode("utf-8", "replace").splitlines():
        print(f"    {line}")
    expect(process.returncode == status, f"`{command}` ended with {process.returncode}, not with {status}")


def drained(end: int, process: subprocess.Popen[bytes]) -> bytes:
    """Return everything that a process and its children write on a terminal.

    Not every system says that the last writer is gone, so the end of the process and silence count too.
    """
    chunks: list[bytes] = []
    while True:
        over = process.poll() is not None
        ready, _, _ = select.select([end], [], [], 0 if over else 0.05)
        try:
            chunk = os.read(end, 65536) if ready else b""
        except OSError:  # how Linux says that nobody is at the other end any more
            process.wait()
            chunk = b""
            over = True
        if chunk:
            chunks.append(chunk)
        elif over:
            return b"".join(chunks)


def ask(*arguments: str, status: int = 0) -> dict[str, object]:
    """Return what the program tells other programs, for checking what was shown."""
    done = subprocess.run(
        [str(PROGRAM), *arguments, "--json"],
        cwd=PLACE / "store",
        env=environment(),
        capture_output=True,
        check=False,
    )
    expect(done.returncode == status, f"memhtml {' '.join(arguments)} ended with {done.returncode}")
    data = json.loads(done.stdout)["data"]
    assert isinstance(data, dict)
    return data


def expect(holds: bool, otherwise: str) -> None:
    """Go on if something holds."""
    if not holds:
        raise Failed(otherwise)


def replace(path: str, old: str, new: str) -> None:
    """Edit a file of the store as a person would."""
    file = PLACE / "store" / path
    text = file.read_text(encoding="utf-8")
    expect(old in text, f"{path} does not say “{old}”")
    file.write_text(text.replace(old, new), encoding="utf-8")
    print(f"  (edited {path}: “{old}” is now “{new}”)")


def demo() -> None:
    """Show the main job, from nothing to a finding."""
    if PLACE == CHECKOUT / ".demo":
        shutil.rmtree(PLACE, ignore_errors=True)
    expect(not PLACE.exists(), f"{PLACE} is there already")
    PLACE.mkdir(parents=True)

    say("A store is a git repository. `init` makes one, with an example corpus to look around in.")
    run("memhtml init store --example", cwd=PLACE)

    say("The example memories are plain files; committing them is plain git.")
    run("git add -A && git commit -q -m 'the example' && git log --oneline")

    say("The index is made from the tree. It can be deleted and made anew at any time.")
    run("memhtml index rebuild")
    memories = ask("index", "status")["files"]
    expect(isinstance(memories, int) and memories > 50, "the example corpus was not indexed")
    digest = ask("index", "status")["digest"]

    say("Search by words, stemmed; an archived belief is still there for its own time.")
    run("memhtml search 'restoring the database' --limit 2")
    run("memhtml search 'when can I call Jonna' --limit 1")
    run("memhtml search 'when can I call Jonna' --as-of 2026-05-01 --limit 1")

    say("Edit one memory, move another, commit both. The update reads these two and nothing else.")
    replace(EDITED, "before 10:00", "before 11:00")
    run(f"git mv {MOVED[0]} {MOVED[1]}")
    run("git commit -q -a -m 'later calls; a better place'")
    run("memhtml index update")
    run("memhtml search 'no call before 11:00' --limit 1")
    hits = ask("search", "no call before 11:00")["hits"]
    expect(isinstance(hits, list) and hits[0]["path"] == EDITED, "the edited memory is not the first hit")

    say(
        "An update gives the rows that a rebuild gives: verify makes an index beside it and compares every row."
    )
    run("memhtml index verify")
    expect(ask("index", "status")["digest"] != digest, "the digest did not change with the corpus")

    say(
        "The doctor finds no error. That the edited file's hash stamp is out of date is a warning, and fails nothing."
    )
    run("memhtml doctor")

    say(
        "Somebody commits a file that is no memory: it has two claims. The doctor says which file, line and rule."
    )
    source = (PLACE / "store" / MOVED[1]).read_text(encoding="utf-8")
    broken = source.replace("</article>", "<p><mark>A second claim.</mark></p>\n</article>")
    (PLACE / "store" / BROKEN).write_text(broken, encoding="utf-8")
    run(f"git add {BROKEN} && git commit -q -m 'two claims in one file'")
    run("memhtml index update")
    run("memhtml doctor", status=1)
    findings = ask("doctor", status=1)["findings"]
    assert isinstance(findings, list)
    told = [finding for finding in findings if finding["path"] == BROKEN and finding["severity"] == "error"]
    expect(bool(told), f"the doctor did not name {BROKEN}")
    expect(isinstance(told[0]["line"], int), "the doctor did not name the line")
    expect(told[0]["code"] == "FORMAT_VIOLATION", f"the doctor called it {told[0]['code']}")

    print(f"\nAll as told. The store is still there to look at: {PLACE / 'store'}")


if __name__ == "__main__":
    try:
        demo()
    except Failed as failure:
        sys.exit(f"\nThe demo failed: {failure}")
