"""Where one store's databases stand, and the lock that admits one writer."""

from dataclasses import dataclass
from pathlib import Path

from memhtml.git.lock import LOCK_WAIT_S, held

__all__ = ["LOCK_WAIT_S", "IndexFolder", "held"]


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
