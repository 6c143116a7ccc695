"""Whether git would merge a store's memories by the driver that their attributes name."""

from typing import NamedTuple

from memhtml.git.discover import Location
from memhtml.git.process import run_git

__all__ = ["MergeDriver", "merge_driver_of"]

#: Any path of a memory will do: attributes are by pattern.
_PROBE = "areas/inbox/memory.html"
_UNNAMED = frozenset({"", "unspecified", "set", "unset", "text", "binary", "union"})


class MergeDriver(NamedTuple):
    #: The driver that attributes name; empty where they name none of the store's own.
    name: str
    #: Whether the configuration of this clone, or of this user, says what command that is.
    is_known: bool


def merge_driver_of(location: Location) -> MergeDriver:
    """Return which driver git would merge a memory with. Errors: `GitFailed`."""
    path = f"{location.prefix}/{_PROBE}" if location.prefix else _PROBE
    told = run_git(location, "check-attr", "-z", "merge", "--", path).split(b"\0")
    name = told[2].decode("utf-8", "replace") if len(told) > 2 else ""
    if name in _UNNAMED:
        return MergeDriver("", is_known=True)
    # 1: the key is not set; 2 would be a name that no key can have.
    command = run_git(location, "config", "--get", f"merge.{name}.driver", accept=(0, 1, 2))
    return MergeDriver(name, is_known=bool(command.strip()))
