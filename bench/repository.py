"""Git for the harness: repositories of its own, one `fast-import` stream a commit, none of the person's settings."""

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["IGNORED", "git_environment", "import_commit", "init", "read_blobs", "run_git"]

#: What a store keeps out of its own commits.
IGNORED = b".memhtml/*.db*\n.memhtml/*.lock\n.memhtml/*.npy\n.memhtml/pending.json\n"

_IDENTITY = "Corpus Generator <corpus@example.com>"
#: A corpus must be the same commit on every machine, so its commits do not read the clock.
_COMMIT_AT = "1785650400 +0000"
_SETTINGS = (
    ("user.name", "Corpus Generator"),
    ("user.email", "corpus@example.com"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("core.autocrlf", "false"),
    ("commit.gpgsign", "false"),
    ("pack.compression", "1"),
)


def git_environment() -> dict[str, str]:
    """The environment of git in a measurement: the person's and the system's configuration stay out."""
    return os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }


def run_git(root: Path, *args: str, stdin: bytes | None = None) -> bytes:
    """Run git in `root` and return what it printed.

    Errors: `subprocess.CalledProcessError` with git's own words on stderr.
    """
    done = subprocess.run(
        ["git", "-C", str(root), *args],
        input=stdin,
        stdout=subprocess.PIPE,
        check=True,
        env=git_environment(),
    )
    return done.stdout


def read_blobs(root: Path, paths: Sequence[str]) -> dict[str, bytes]:
    """Return what HEAD holds at each path, read by one process."""
    wanted = "".join(f"HEAD:{path}\n" for path in paths).encode()
    stream = run_git(root, "cat-file", "--batch", stdin=wanted)
    blobs: dict[str, bytes] = {}
    place = 0
    for path in paths:
        header, _, _ = stream[place : place + 100].partition(b"\n")
        start = place + len(header) + 1
        place = start + int(header.split()[2]) + 1
        blobs[path] = stream[start : place - 1]
    return blobs


def init(root: Path, *, bare: bool = False) -> None:
    """Make an empty repository at `root` on branch `main`, without background maintenance.

    Errors: `FileExistsError` where something is there already.
    """
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        raise FileExistsError(f"{root} is not empty")
    run_git(root, "init", "-q", "-b", "main", *(["--bare"] if bare else []))
    for name, value in _SETTINGS:
        run_git(root, "config", name, value)


def import_commit(
    root: Path, files: Iterable[tuple[str, bytes]], subject: str, *, parent: str = "", pack: bool = True
) -> str:
    """Commit `files` on `main` through one `git fast-import` stream and return the commit.

    Shapes: (path, bytes); with `parent` they are laid over its tree, without it they are the tree.
    Effects: one pack more, or loose objects as a commit by hand leaves them; neither index nor work tree is touched.
    """
    limit = f"fastimport.unpackLimit={0 if pack else 1_000_000}"
    importer = subprocess.Popen(
        ["git", "-C", str(root), "-c", limit, "fast-import", "--quiet", "--date-format=raw", "--depth=0"],
        stdin=subprocess.PIPE,
        env=git_environment(),
    )
    assert importer.stdin is not None
    with importer.stdin as stream:
        message = subject.encode()
        stream.write(f"commit refs/heads/main\ncommitter {_IDENTITY} {_COMMIT_AT}\n".encode())
        stream.write(b"data %d\n%s\n" % (len(message), message))
        if parent:
            stream.write(f"from {parent}\n".encode())
        for path, data in files:
            stream.write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
        stream.write(b"done\n")
    if importer.wait():
        raise subprocess.CalledProcessError(importer.returncode, "git fast-import")
    return run_git(root, "rev-parse", "main").decode().strip()
