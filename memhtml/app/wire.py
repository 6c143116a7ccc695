"""The composition root: what a store is made of, bound together once per process."""

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memhtml import clock as clocks
from memhtml.clock import Clock
from memhtml.errors import RepoRequired
from memhtml.models.ports import Embedder
from memhtml.settings import CONFIG_FILE, StoreConfig, parse_config, read_config
from memhtml.values import MemoryPath

if TYPE_CHECKING:  # libgit2, which most calls do without
    from memhtml.git.read import GitReader

__all__ = ["Store", "named_embedder", "open_store"]


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of memories with everything an operation on it needs; holds no connection open."""

    root: Path
    clock: Clock
    embedder: Embedder | None
    #: Why there is no embedder, in the words of a report; empty when there is one.
    no_embedder_because: str = ""

    @property
    def index_path(self) -> Path:
        return self.root / ".memhtml" / "index.db"

    @property
    def state_path(self) -> Path:
        return self.root / ".memhtml" / "state.db"

    @property
    def lock_path(self) -> Path:
        return self.root / ".memhtml" / "pass.lock"


def _require_folder(root: Path) -> None:
    try:
        is_folder = stat.S_ISDIR(root.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise RepoRequired(f"the folder {root} does not exist") from error
    except (OSError, ValueError):
        return  # what is wrong with it shows when it is used
    if not is_folder:
        raise RepoRequired(f"{root} is a file, not a folder")


def open_store(
    root: Path, *, clock: Clock = clocks.now, embedder: Embedder | None = None, embed: bool = True
) -> Store:
    """Return the store at `root`. Its configuration is read; nothing is made until an operation needs it.

    `embed=False` is the person's wish to do without vectors in this process, told apart from having no embedder.
    Errors: `RepoRequired` where there is no folder; `ConfigInvalid`, also where nothing is to be embedded: what a store
    says wrongly should not wait.
    """
    _require_folder(root)
    named = read_config(root).embedder
    if not embed:
        return Store(root.resolve(), clock, None, "embedding is switched off")
    if embedder is not None:
        return Store(root.resolve(), clock, embedder)
    if named == "none":
        return Store(root.resolve(), clock, None, "no embedder is configured")
    return Store(
        root.resolve(), clock, None, f"this version of memhtml does not come with the embedder “{named}”"
    )


def named_embedder(root: Path, reader: "GitReader", *, committed: bool) -> str:
    """Return the embedder that a store's configuration names, empty for none: that of HEAD, or of the work tree.

    Errors: `ConfigInvalid`, `GitFailed`.
    """
    head = reader.head()
    if (committed or reader.is_bare) and head is not None:
        entry = reader.entry_at(head, MemoryPath(CONFIG_FILE))
        config = parse_config(reader.blob(entry.blob_sha)) if entry is not None else StoreConfig()
    else:
        config = read_config(root)
    return "" if config.embedder == "none" else config.embedder
