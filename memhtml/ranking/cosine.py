"""Cosine similarity: the only place that computes it, for SQL, for the vector arm and for diversification alike.

Vectors are little-endian float32. Sums run in float64, where no float32 square overflows or vanishes. A vector of no
direction (zeros, or anything that is not a number) is similar to nothing: 0.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["decode", "distance", "gram", "similarities", "similarity", "unit"]

#: Rows widened to float64 at a time: 1,024 rows of 1,024 numbers are 8 MB, which a cache still holds in part.
_BLOCK = 1024


def decode(blob: bytes) -> "NDArray[np.float32] | None":
    """Return a blob's numbers without copying them, or None where it is empty or ends within one."""
    if not blob or len(blob) % 4:
        return None
    return np.frombuffer(blob, "<f4")


def similarity(a: bytes, b: bytes) -> float | None:
    """Return the cosine of two blobs, or None where either is ragged or empty.

    Shapes: of unequal vectors the common length counts.
    Units: -1..1.
    Errors: none; total over its input.
    """
    x = decode(a)
    y = decode(b)
    if x is None or y is None:
        return None
    length = min(x.size, y.size)
    # A signalling NaN warns when it is widened.
    with np.errstate(all="ignore"):
        wide_x = x[:length].astype(np.float64)
        wide_y = y[:length].astype(np.float64)
        norms = float(wide_x.dot(wide_x)) * float(wide_y.dot(wide_y))
        if not 0.0 < norms < np.inf:
            return 0.0
        return float(min(1.0, max(-1.0, float(wide_x.dot(wide_y)) / norms**0.5)))


def distance(a: bytes, b: bytes) -> float | None:
    """Return 1 - cosine of two blobs (0..2), or None where either is ragged or empty."""
    cosine = similarity(a, b)
    return None if cosine is None else 1.0 - cosine


def similarities(query: "NDArray[np.float32]", rows: "NDArray[np.float32]") -> "NDArray[np.float64]":
    """Return the cosine of one vector with every row.

    Shapes: query (d,), rows (n, d); of unequal widths the common one counts. Returns (n,).
    Units: -1..1.
    Errors: none; total over its input.
    """
    width = min(query.shape[0], rows.shape[1])
    target = _unit64(query[None, :width])[0]
    cosines = np.empty(rows.shape[0], np.float64)
    with np.errstate(all="ignore"):
        for start in range(0, rows.shape[0], _BLOCK):
            block = rows[start : start + _BLOCK, :width].astype(np.float64)
            norms = np.sqrt(np.einsum("ij,ij->i", block, block))
            usable = (norms > 0.0) & (norms < np.inf)
            cosines[start : start + _BLOCK] = np.where(usable, block.dot(target) / norms, 0.0)
    np.clip(cosines, -1.0, 1.0, out=cosines)
    return cosines


def gram(rows: "NDArray[np.float32]") -> "NDArray[np.float64]":
    """Return the cosine of every row with every row: (n, d) to (n, n), for the few that were found."""
    units = _unit64(rows)
    cosines: NDArray[np.float64] = units.dot(units.T)
    np.clip(cosines, -1.0, 1.0, out=cosines)
    return cosines


def unit(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the rows (n, d) at length one, those of no direction as zeros: their products are cosines."""
    units = np.empty(rows.shape, np.float32)
    for start in range(0, rows.shape[0], _BLOCK):
        units[start : start + _BLOCK] = _unit64(rows[start : start + _BLOCK])
    return units


def _unit64(rows: "NDArray[np.float32]") -> "NDArray[np.float64]":
    with np.errstate(all="ignore"):
        wide = rows.astype(np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
        return np.where((norms > 0.0) & (norms < np.inf), wide / norms, 0.0)
