"""Named points between two effects, where a test can stop the process.

A point costs one dictionary look-up and does nothing unless a test armed it. `POINTS` is the whole list: a crash
test fails when a point exists that nothing arms, and when code names a point that is not listed.
"""

from collections.abc import Callable

__all__ = ["POINTS", "arm", "disarm", "point"]

POINTS: tuple[str, ...] = (
    "pass.locked",
    "pass.begun",
    "pass.rows_removed",
    "pass.rows_written",
    "pass.fts_written",
    "pass.orphans_removed",
    "pass.watermark_written",
    "pass.committed",
    "pass.checkpointed",
    "moves.state_written",
    "moves.forgotten",
    "embed.request_landed",
    "embed.persisted",
    "damage.moved_aside",
    "migrate.script_run",
    "migrate.committed",
    "commit.locked",
    "commit.objects_written",
    "commit.journal_written",
    "commit.index_locked",
    "commit.index_edited",
    "commit.files_extracted",
    "commit.hooks_run",
    "commit.ref_moved",
    "commit.file_placed",
    "commit.files_placed",
    "commit.index_installed",
    "commit.index_unlocked",
    "commit.journal_cleared",
    "commit.recovered",
)

_armed: dict[str, Callable[[], None]] = {}


def arm(name: str, action: Callable[[], None]) -> None:
    """Make `point(name)` call `action`."""
    if name not in POINTS:
        raise KeyError(name)
    _armed[name] = action


def disarm() -> None:
    """Forget every armed point."""
    _armed.clear()


def point(name: str) -> None:
    """Do nothing, unless a test armed this point."""
    if _armed and name in _armed:
        _armed[name]()
