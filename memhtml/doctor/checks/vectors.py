"""Whether all vectors are of one space, of the space that is configured, and there."""

import sqlite3
from collections.abc import Iterator
from typing import Final

from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.index.embed import remaining
from memhtml.index.watermark import Watermark
from memhtml.models.ports import Space

__all__ = ["check_embedder", "check_vectors"]

_COUNT: Final = "SELECT count(*) FROM embeddings"
_STRANGE: Final = (
    "SELECT count(*) FROM embeddings WHERE model IS NOT ?1 OR dim IS NOT ?2 OR length(vec) IS NOT 4 * ?2"
)


def check_vectors(connection: sqlite3.Connection, mark: Watermark, space: Space | None) -> Iterator[Finding]:
    """Yield what keeps the stored vectors from being compared with those of the configured embedder."""
    (vectors,) = connection.execute(_COUNT).fetchone()
    if vectors:
        (strange,) = connection.execute(_STRANGE, (mark.embed_model, mark.embed_dim)).fetchone()
        if strange:
            of_all = f"{strange:,} of {vectors:,} vectors"
            yield finding(FindingCode.VECTORS_WRONG, f"{of_all} are not of the space that the index names")
        if space is not None and mark.embed_model != space.identity:
            stored = mark.embed_model or "an unknown space"
            message = f"the index holds vectors of {stored}, and {space.identity} is configured"
            yield finding(FindingCode.EMBED_MISMATCH, message)
            return
    if vectors or space is not None:
        missing = remaining(connection, space)
        if missing:
            texts = "1 text has" if missing == 1 else f"{missing:,} texts have"
            yield finding(FindingCode.EMBED_INCOMPLETE, f"{texts} no vector yet")


def check_embedder(space: Space | None, named: str, stored: str | None, because: str) -> Iterator[Finding]:
    """Yield a finding where the store names an embedder, or holds vectors of one, and none answers here."""
    if space is None and (named or stored is not None):
        which = named or (stored or "").partition(";")[0]
        yield finding(FindingCode.EMBEDDER_ABSENT, f"the store uses {which}, and here {because}")
