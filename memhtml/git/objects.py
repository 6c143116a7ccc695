"""Reads objects of one repository through libgit2, and many blobs at once through git.

Whatever pygit2 raises ends here: a caller sees GitFailed with a cure, and a missing object is never a gap.
"""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from memhtml.errors import GitFailed, RepoUnsupported
from memhtml.git.discover import Location
from memhtml.git.process import child_environment, command, failure, unsafe_ownership
from memhtml.git.wire import TreeItem, parse_tree
from memhtml.values import CommitSha

__all__ = ["ObjectStore"]

#: From this many blobs on, `git cat-file --batch` reads them faster than libgit2: libgit2 remembers 16 MB of delta
#: bases, and in a packed corpus beyond that it inflates the same chains again and again (100,000 files: 7.5 s
#: against 2.2 s; 8,000 files: equal).
_BULK = 8_000

#: Formats that change nothing for a reader: where missing objects come from, and how worktrees are linked.
_HARMLESS_EXTENSIONS = ("partialclone", "relativeworktrees")


class ObjectStore:
    """The objects of one repository."""

    __slots__ = ("_odb", "location", "repository")

    def __init__(self, location: Location) -> None:
        if location.ref_storage != "files":
            raise RepoUnsupported(
                "this repository stores its references in a form that libgit2 cannot read; "
                "use the `files` reference storage"
            )
        self.location = location
        self.repository = _open(location)
        self._odb = self.repository.odb

    def commit_exists(self, sha: str) -> bool:
        """Tell whether `sha` is a commit whose object is here."""
        try:
            kind, _ = self._odb.read(sha)
        except (KeyError, ValueError):
            return False
        except pygit2.GitError as error:
            raise self._damaged(sha) from error
        return kind == ObjectType.COMMIT

    def root_tree(self, commit: str) -> str:
        """Return the tree of a commit."""
        return self._read(commit, ObjectType.COMMIT)[5:45].decode("ascii")

    def parents(self, commit: str) -> tuple[CommitSha, ...]:
        """Return the parents of a commit that are here, the first one first."""
        head = self._read(commit, ObjectType.COMMIT).partition(b"\n\n")[0]
        named = [line[7:].decode("ascii") for line in head.split(b"\n") if line.startswith(b"parent ")]
        return tuple(CommitSha(sha) for sha in named if self.commit_exists(sha))

    def tree(self, sha: str) -> list[TreeItem]:
        """Return the items of a tree."""
        try:
            return parse_tree(self._read(sha, ObjectType.TREE))
        except ValueError as error:
            raise self._damaged(sha) from error

    def blob(self, sha: str) -> bytes:
        """Return the bytes of a blob."""
        return self._read(sha, ObjectType.BLOB)

    def blobs(self, shas: Sequence[str]) -> Iterator[bytes]:
        """Yield the bytes of many blobs in the order of `shas`, repeated ones included."""
        if len(shas) < _BULK or self.location.is_partial_clone:  # git itself would fetch what is missing
            return map(self.blob, shas)
        return self._stream(shas)

    def _read(self, sha: str, expected: ObjectType) -> bytes:
        try:
            kind, data = self._odb.read(sha)
        except KeyError as error:
            raise self._missing(sha, expected) from error
        except ValueError as error:
            raise GitFailed("reading an object", "the name is no object id") from error
        except pygit2.GitError as error:
            raise self._damaged(sha) from error
        if kind != expected:
            raise GitFailed("reading an object", f"{sha[:12]} is no {expected.name.lower()}")
        return data

    def _stream(self, shas: Sequence[str]) -> Iterator[bytes]:
        with tempfile.TemporaryFile() as wanted:
            # A file, not a pipe: nobody has to feed it while the answers are read.
            wanted.write("\n".join(shas).encode("ascii") + b"\n")
            wanted.seek(0)
            try:
                child = subprocess.Popen(
                    command(self.location, "cat-file", "--batch", "--buffer"),
                    stdin=wanted,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    bufsize=1 << 20,
                    env=child_environment(),
                )
            except OSError as error:
                raise GitFailed("cat-file", "git could not be started") from error
        with child:
            out = child.stdout
            assert out is not None
            try:
                for sha in shas:
                    header = out.readline().split()
                    if len(header) == 2:
                        raise self._missing(sha, ObjectType.BLOB)
                    if len(header) != 3 or header[1] != b"blob":
                        raise failure(self.location, "cat-file", child.wait() if not header else 0, b"")
                    data = out.read(int(header[2]))
                    if len(data) != int(header[2]) or out.read(1) != b"\n":
                        raise GitFailed("cat-file", "the answer ended early")
                    yield data
            finally:
                # A consumer that stops early leaves git writing into a pipe that nobody reads.
                child.kill()

    def _missing(self, sha: str, expected: ObjectType) -> GitFailed:
        what = f"{expected.name.lower()} {sha[:12]} is not in this clone"
        if self.location.is_partial_clone:
            return GitFailed(
                "reading an object",
                f"{what}, which is a partial one; `git fetch --refetch --no-filter` completes it",
            )
        return GitFailed(
            "reading an object",
            f"{what}; `git fsck` shows what is lost, `git fetch --refetch` may bring it back",
        )

    def _damaged(self, sha: str) -> GitFailed:
        return GitFailed("reading an object", f"{sha[:12]} is damaged; `git fsck` shows what else is")


def _open(location: Location) -> pygit2.Repository:
    pygit2.settings.set_extensions(list(_HARMLESS_EXTENSIONS))
    try:
        return pygit2.Repository(str(location.git_dir), RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError as error:
        said = str(error)
        if "not owned by current user" in said:
            raise unsafe_ownership("open", location.folder) from error
        if "unsupported" in said:
            raise RepoUnsupported("this repository uses a format that libgit2 cannot read") from error
        raise GitFailed("open", "libgit2 cannot open this repository") from error
