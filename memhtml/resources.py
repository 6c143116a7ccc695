"""Finds the files that ship with the package: migrations and the corpus template.

A wheel carries them in `memhtml/_data`; a checkout has them beside the package.
"""

import hashlib
from functools import cache
from pathlib import Path

from memhtml.errors import StorageFailed
from memhtml.values import Migration, Plane

__all__ = ["corpus_template", "migrations"]

_PACKAGE = Path(__file__).resolve().parent

_FOLDERS = {Plane.INDEX: "migrations/index", Plane.STATE: "state_migrations/state"}


def _folder(name: str) -> Path:
    for home in (_PACKAGE / "_data", _PACKAGE.parent):
        if (home / name).is_dir():
            return home / name
    raise StorageFailed("finding packaged files", f"this installation has no {name}; install memhtml anew")


@cache
def migrations(plane: Plane) -> tuple[Migration, ...]:
    """Return the migrations of one database.

    Order: by name, which is by number.
    Errors: StorageFailed when the installation lacks them.
    """
    folder = _folder(_FOLDERS[plane])
    try:
        # Text mode makes line ends one: a checkout that rewrote them still has the same schema.
        texts = [(path.name, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.sql"))]
    except (OSError, UnicodeDecodeError) as error:
        raise StorageFailed("reading migrations") from error
    if not texts:
        raise StorageFailed("reading migrations", "this installation has none; install memhtml anew")
    return tuple(Migration(name, hashlib.sha256(text.encode()).hexdigest(), text) for name, text in texts)


def corpus_template() -> Path:
    """Return the folder that `memhtml init` lays down. Errors: StorageFailed."""
    return _folder("corpus_template")
