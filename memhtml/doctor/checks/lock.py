"""Whether a pass is running now."""

import os
from collections.abc import Iterator
from pathlib import Path

from memhtml.doctor.findings import Finding, FindingCode, finding

__all__ = ["check_lock", "is_held"]


def check_lock(lock: Path) -> Iterator[Finding]:
    """Yield a finding while another process holds the pass lock."""
    if is_held(lock):
        yield finding(FindingCode.LOCK_HELD, "another process is writing the index")


def is_held(lock: Path) -> bool:
    """Say whether an OS lock is on a file, without writing to it or making it.

    A shared lock is asked for and given back at once: it is refused exactly while the exclusive one is held. Where the
    system has no such locks nothing is known, and nothing is said.
    """
    try:
        import fcntl
    except ImportError:
        return False
    try:
        handle = os.open(lock, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False
