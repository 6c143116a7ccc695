"""Where one store's databases stand, and the lock that admits one writer."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memhtml.errors import LockHeld, StorageFailed

__all__ = ["LOCK_WAIT_S", "IndexFolder", "held"]

#: How long a pass waits for the one before it. A pass over 10,000 files takes about two seconds.
LOCK_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """The `.memhtml` folder of a store."""

    root: Path

    @property
    def path(self) -> Path:
        return self.root / ".memhtml"

    @property
    def index_path(self) -> Path:
        return self.path / "index.db"

    @property
    def state_path(self) -> Path:
        return self.path / "state.db"

    @property
    def pass_lock(self) -> Path:
        """Held while rows are written."""
        return self.path / "pass.lock"

    @property
    def embed_lock(self) -> Path:
        """Held while vectors are asked for, so that two processes do not pay for the same chunk."""
        return self.path / "embed.lock"


@contextmanager
def held(lock: Path, *, wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
    """Hold an OS lock on `lock` for the block; the system frees it when its owner dies, so none is ever stale.

    Errors: `LockHeld` after `wait_s` seconds, `StorageFailed` where the folder cannot be written.
    """
    from filelock import FileLock, Timeout  # 30 ms of import that searching does not need

    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        guard = FileLock(lock, timeout=wait_s)
        guard.acquire()
    except Timeout as error:
        raise LockHeld(lock.name, wait_s) from error
    except OSError as error:
        raise StorageFailed("index.lock", error.strerror or "") from error
    try:
        yield
    finally:
        guard.release()
