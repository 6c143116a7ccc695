"""The lock that admits one writer, freed by the system when its owner dies."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memhtml.errors import LockHeld, StorageFailed

__all__ = ["LOCK_WAIT_S", "held"]

#: How long a writer waits for the one before it. A pass over 10,000 files takes about two seconds.
LOCK_WAIT_S = 30.0


@contextmanager
def held(lock: Path, *, wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
    """Hold an OS lock on `lock` for the block; none is ever stale.

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
        raise StorageFailed(f"locking {lock.name}", error.strerror or "") from error
    try:
        yield
    finally:
        guard.release()
