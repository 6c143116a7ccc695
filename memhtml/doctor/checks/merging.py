"""Whether this clone knows how memories merge: git clones files, and no configuration."""

from collections.abc import Iterator

from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.git.discover import Location
from memhtml.git.merge_config import merge_driver_of

__all__ = ["check_merge_driver"]


def check_merge_driver(location: Location) -> Iterator[Finding]:
    """Yield a finding where attributes name a merge driver that this clone was not told of.

    A bare repository merges nothing, and a store that names no driver wants none.
    """
    if location.work_dir is None:
        return
    driver = merge_driver_of(location)
    if not driver.is_known:
        yield finding(
            FindingCode.MERGE_DRIVER_MISSING,
            f"memories are to merge by the driver “{driver.name}”, which this clone does not know",
            subject=driver.name,
        )
