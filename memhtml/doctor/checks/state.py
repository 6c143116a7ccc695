"""Whether the state plane can be read, and whether it counts reads of files that are there."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

from memhtml.db.open import attach_state
from memhtml.db.storage import storage
from memhtml.doctor.checks.integrity import check_pages, schema_differences
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.errors import LockHeld, SchemaChanged, SchemaTooNew, StorageFailed
from memhtml.values import Instant, Migration, Plane

__all__ = ["StateOutcome", "check_state", "orphan_finding", "orphans_of", "pending_moves"]

_ACCESSED: Final = "SELECT path FROM state.access ORDER BY path"
_MOVES: Final = "SELECT batch, from_path, to_path FROM pending_moves ORDER BY seq"


class StateOutcome(NamedTuple):
    findings: tuple[Finding, ...] = ()
    #: The paths that were counted, sorted; None where they could not be read.
    accessed: tuple[str, ...] | None = None


def check_state(path: Path, migrations: Sequence[Migration], at: Instant) -> StateOutcome:
    """Read the state plane at `path`; one that is not there yet has nothing wrong with it.

    Errors: LockHeld.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None, uri=True)) as connection:
        try:
            if not attach_state(connection, path, mode="read", migrations=migrations, now=at):
                return StateOutcome(accessed=() if not path.exists() else None)
            with storage("checking state.db", Plane.STATE):
                found = list(check_pages(connection, "state", FindingCode.STATE_DAMAGED))
                differences = schema_differences(connection, "state", migrations, Plane.STATE, at)
                if differences:
                    message = f"the schema of state.db differs from its ledger in {', '.join(differences)}"
                    found.append(finding(FindingCode.LEDGER_DRIFT, message, subject="state"))
                accessed = tuple(row[0] for row in connection.execute(_ACCESSED))
                return StateOutcome(tuple(found), accessed)
        except SchemaTooNew as error:
            return StateOutcome((finding(FindingCode.SCHEMA_TOO_NEW, error.message, subject="state"),))
        except SchemaChanged as error:
            return StateOutcome((finding(FindingCode.LEDGER_DRIFT, error.message, subject="state"),))
        except LockHeld:
            raise
        except StorageFailed as error:
            return StateOutcome((finding(FindingCode.STATE_DAMAGED, error.message),))


def pending_moves(connection: sqlite3.Connection) -> dict[str, str]:
    """Return where paths went of which the state plane has not heard yet; the moves of one batch happened at once."""
    moved: dict[str, str] = {}
    for _, batch in groupby(connection.execute(_MOVES), key=itemgetter(0)):
        step = {old: new for _, old, new in batch}
        moved = step | {start: step.get(end, end) for start, end in moved.items()}
    return moved


def orphans_of(
    accessed: Iterable[str], has_file: Callable[[str], bool], moved: Mapping[str, str]
) -> Iterator[str]:
    """Yield the counted paths that no file has, not even after the moves that are still to be told."""
    for path in accessed:
        if not has_file(moved.get(path, path)):
            yield path


def orphan_finding(path: str) -> Finding:
    """Return the finding of one counted path without a file."""
    return finding(FindingCode.STATE_ORPHAN, f"reads of {path} are counted, where no file is", subject=path)
