"""Every error a caller can meet, with the code it is known by. Imports nothing.

    MemhtmlError
      UsageError         exit 2   the call is wrong; nothing was opened
      RefusedError       exit 1   well formed, and not done; nothing changed
      StaleError         exit 1   a projection is behind or of another version; `hints` hold the command that mends it
      DependencyError    exit 1   git, the disk, a model or another process failed
      IntegrityError     exit 1   a promise about our own data is broken

A message never carries memory text, SQL or an argument list: it may end up in a log or a tool answer.
Codes are append-only. `hints` are commands that our own parser accepts.
"""

from typing import ClassVar

__all__ = [
    "CODES",
    "ConfigInvalid",
    "DependencyError",
    "DirtyTree",
    "DuplicateContent",
    "EmbedModelMismatch",
    "GitFailed",
    "IndexDamaged",
    "IndexMissing",
    "IndexStale",
    "InputUnreadable",
    "IntegrityError",
    "InvalidFlag",
    "InvalidMemory",
    "LockHeld",
    "MemhtmlError",
    "MissingArgument",
    "ModelUnavailable",
    "PathNotFound",
    "PathRefused",
    "RebuildNoEmbedRefused",
    "RefusedError",
    "RepoRequired",
    "RepoUnsupported",
    "SaidElsewhere",
    "SchemaChanged",
    "SchemaTooNew",
    "SecretRefused",
    "StaleError",
    "StorageFailed",
    "UnexpectedArgument",
    "UnknownCommand",
    "UsageError",
    "WriteConflict",
]


class MemhtmlError(Exception):
    """Base of the tree; never raised itself."""

    code: ClassVar[str] = "ERR_UNKNOWN"
    exit_status: ClassVar[int] = 1

    def __init__(self, message: str, *, hints: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints


class UsageError(MemhtmlError):
    exit_status = 2


class RefusedError(MemhtmlError):
    pass


class StaleError(MemhtmlError):
    pass


class DependencyError(MemhtmlError):
    pass


class IntegrityError(MemhtmlError):
    pass


class UnknownCommand(UsageError):
    """The first words name no command; `hints` are the nearest ones."""

    code = "ERR_UNKNOWN_COMMAND"


class MissingArgument(UsageError):
    """A required argument or flag is absent; `hints` show the shape of the call."""

    code = "ERR_MISSING_ARGUMENT"


class InvalidFlag(UsageError):
    """An unknown flag, or a value outside its closed set; `hints` are near names or the legal values."""

    code = "ERR_INVALID_FLAG"


class InputUnreadable(UsageError):
    """The file that a call names as its input cannot be read."""

    code = "ERR_PATH_NOT_FOUND"

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file} cannot be read: {reason}", hints=("memhtml help apply",))
        self.file = file


class UnexpectedArgument(UsageError):
    """More positional arguments than the command takes."""

    code = "ERR_UNEXPECTED_ARGUMENT"


class ConfigInvalid(UsageError):
    """The store's configuration file or an environment variable cannot be read as meant."""

    code = "ERR_CONFIG_INVALID"


class InvalidMemory(RefusedError):
    """The bytes are no memory; `violations` are `(code, sentence)` in the order of the format's rules."""

    code = "ERR_INVALID_MEMORY"

    def __init__(
        self,
        message: str,
        *,
        violations: tuple[tuple[str, str], ...] = (),
        hints: tuple[str, ...] = ("memhtml manifest",),
    ) -> None:
        super().__init__(message, hints=hints)
        self.violations = violations


class SecretRefused(RefusedError):
    """What looks like a secret is not committed; `found` are (kind, place). A false alarm is allowed by its kind."""

    code = "ERR_SECRET_REFUSED"

    def __init__(self, found: tuple[tuple[str, str], ...]) -> None:
        what = ", ".join(f"{kind} ({place})" for kind, place in found)
        super().__init__(
            f"what looks like a secret is not committed: {what}; a false alarm can be allowed by its kind",
            hints=("memhtml help write",),
        )
        self.found = found


class DuplicateContent(RefusedError):
    """The memory at `path` says the same words with another value in its markup: which one holds is to be decided."""

    code = "ERR_DUPLICATE_CONTENT"

    def __init__(self, path: str, what: str, *, hints: tuple[str, ...] = ()) -> None:
        super().__init__(f"{path} says the same words with another {what}", hints=(*hints, "memhtml list"))
        self.path = path


class SaidElsewhere(DuplicateContent):
    """The memory at `path` says these very words already."""

    def __init__(self, path: str) -> None:
        RefusedError.__init__(self, f"{path} says these words already", hints=("memhtml list",))
        self.path = path


class PathNotFound(RefusedError):
    """No memory stands at `path`; `hints` say where it may be."""

    code = "ERR_PATH_NOT_FOUND"

    def __init__(self, path: str, *, hints: tuple[str, ...] = ()) -> None:
        super().__init__(f"no memory at {path}", hints=(*hints, "memhtml list"))
        self.path = path


class DirtyTree(RefusedError):
    """Uncommitted work stands where we would write."""

    code = "ERR_DIRTY_TREE"

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(f"{len(paths)} path(s) have uncommitted changes", hints=("memhtml status",))
        self.paths = paths


class WriteConflict(RefusedError):
    """What stands in HEAD is not what the write was computed from; reading again and repeating it is safe."""

    code = "ERR_WRITE_CONFLICT"

    def __init__(self, path: str, ours: str | None, theirs: str | None) -> None:
        super().__init__(
            f"{path} changed in the repository since it was read: {ours or 'nothing'} was expected, and "
            f"{theirs or 'nothing'} is there",
            hints=("memhtml status",),
        )
        self.path = path
        #: Object ids: what the write expected, and what is there; None for nothing.
        self.ours = ours
        self.theirs = theirs


class PathRefused(RefusedError):
    """Nothing may be written at `path`: the name is unsafe, or something else stands in its way."""

    code = "ERR_PATH_REFUSED"

    def __init__(self, path: str, reason: str, *, hints: tuple[str, ...] = ("memhtml list",)) -> None:
        super().__init__(f"nothing can be written at {path}: {reason}", hints=hints)
        self.path = path
        self.reason = reason


class LockHeld(RefusedError):
    """Another process is writing the index; it went on waiting for `waited_s` seconds. Trying again is safe."""

    code = "ERR_LOCK_HELD"

    def __init__(self, what: str, waited_s: float) -> None:
        super().__init__(
            f"another process holds {what} (waited {waited_s:.0f} s)", hints=("memhtml index status",)
        )


class RebuildNoEmbedRefused(RefusedError):
    """Vectors are stored, and this rebuild could make none: texts that changed since would be left without."""

    code = "ERR_REBUILD_NO_EMBED_REFUSED"

    def __init__(self, count: int, space: str, because: str) -> None:
        super().__init__(
            f"the index holds {count} vectors of {space} and this rebuild cannot embed ({because})",
            hints=("memhtml index update", "memhtml index rebuild --no-embed --force"),
        )
        self.count = count


class RepoRequired(RefusedError):
    """The root is not (in) a git repository."""

    code = "ERR_REPO_REQUIRED"

    def __init__(self, message: str = "this folder is not a memory store in a git repository") -> None:
        super().__init__(message, hints=("memhtml init",))


class RepoUnsupported(RefusedError):
    """The repository uses a format that libgit2 cannot read (SHA-256 objects, reftable)."""

    code = "ERR_REPO_UNSUPPORTED"


class IndexMissing(StaleError):
    """There is no index yet."""

    code = "ERR_INDEX_MISSING"

    def __init__(self) -> None:
        super().__init__("this store has no index yet", hints=("memhtml index rebuild",))


class IndexStale(StaleError):
    """The index describes no commit: an earlier version of memhtml was stopped half-way."""

    code = "ERR_INDEX_STALE"

    def __init__(
        self,
        message: str = "the index names no commit",
        *,
        hints: tuple[str, ...] = ("memhtml index rebuild",),
    ) -> None:
        super().__init__(message, hints=hints)


class SchemaTooNew(StaleError):
    """The database was written by a newer memhtml; nothing was touched."""

    code = "ERR_SCHEMA_TOO_NEW"

    def __init__(self, database: str, migration: str) -> None:
        super().__init__(f"{database} was migrated by a newer memhtml ({migration}); upgrade memhtml")


class SchemaChanged(StaleError):
    """An applied migration differs from the one in this version; a rebuildable database is then made anew."""

    code = "ERR_SCHEMA_CHANGED"

    def __init__(self, database: str, migration: str, *, hints: tuple[str, ...] = ()) -> None:
        super().__init__(
            f"{database}: migration {migration} is not the one that was applied; nothing was touched",
            hints=hints,
        )


class EmbedModelMismatch(StaleError):
    """The index holds vectors of another space than the configured embedder makes."""

    code = "ERR_EMBED_MODEL_MISMATCH"

    def __init__(self, stored: str, configured: str) -> None:
        super().__init__(
            f"the index holds vectors of {stored}, and {configured} is configured",
            hints=("memhtml index rebuild --embed", "memhtml index status"),
        )
        self.stored = stored
        self.configured = configured


class GitFailed(DependencyError):
    """git or libgit2 failed in `operation`."""

    code = "ERR_GIT"

    def __init__(self, operation: str, reason: str = "", *, hints: tuple[str, ...] = ()) -> None:
        super().__init__(f"git {operation} failed" + (f": {reason}" if reason else ""), hints=hints)
        self.operation = operation
        self.reason = reason


class StorageFailed(DependencyError):
    """The disk or SQLite failed in `operation`; the driver's own words go to the log only."""

    code = "ERR_STORAGE"

    def __init__(self, operation: str, reason: str = "", *, hints: tuple[str, ...] = ()) -> None:
        super().__init__(f"{operation} failed" + (f": {reason}" if reason else ""), hints=hints)
        self.operation = operation


class ModelUnavailable(DependencyError):
    """An embedder or text model did not answer, or not as promised."""

    code = "ERR_MODEL_UNAVAILABLE"

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(f"{model}: {reason}", hints=("memhtml status",))
        self.model = model


class IndexDamaged(IntegrityError):
    """index.db cannot be read as a database; a rebuild moves it aside and starts anew."""

    code = "ERR_INDEX_DAMAGED"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the index is damaged ({reason})", hints=("memhtml index rebuild",))


#: Public codes that name no class here: raised by later planes or kept for callers that know them.
RESERVED: tuple[str, ...] = ("ERR_DISCRIMINATION_FAILED",)


def _codes() -> tuple[str, ...]:
    seen: dict[str, None] = {}
    pending: list[type[MemhtmlError]] = [MemhtmlError]
    while pending:
        cls = pending.pop()
        seen[cls.code] = None
        pending.extend(cls.__subclasses__())
    return tuple(sorted([*seen, *RESERVED]))


CODES: tuple[str, ...] = _codes()
