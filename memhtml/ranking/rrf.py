"""Reciprocal rank fusion: for lists of which only the order is known.

Where scores are known too, `fusion` keeps more of what the arms say.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

__all__ = ["RANK_CONSTANT", "fuse_ranks", "reciprocal"]

ListName = TypeVar("ListName", bound=str)

#: Cormack, Clarke and Büttcher 2009; behaviour spec `index-traces` 5.1.
RANK_CONSTANT = 60


def reciprocal(rank: int, weight: float, *, constant: int = RANK_CONSTANT) -> float:
    """Return what a 1-based rank adds to a sum; a rank or a weight that is none adds nothing."""
    return weight / (rank + constant) if rank >= 1 and weight > 0.0 else 0.0


def fuse_ranks(
    rankings: Mapping[ListName, Sequence[int]],
    weights: Mapping[ListName, float],
    *,
    constant: int = RANK_CONSTANT,
) -> dict[int, float]:
    """Merge ranked lists into one score a key.

    Shapes: each list is best first and names a key once; lists may be empty or share keys. A list without a positive
    weight is left out, and its keys with it.
    Units: scores compare only within one call.
    Order: independent of the order in which the lists are given, up to the rounding of a sum.
    Errors: none; total over its input.
    Source: behaviour spec `format-store` 5.1.
    """
    fused: dict[int, float] = {}
    for name in sorted(rankings):
        weight = weights.get(name, 0.0)
        if weight <= 0.0:
            continue
        for rank, key in enumerate(rankings[name], start=1):
            fused[key] = fused.get(key, 0.0) + reciprocal(rank, weight, constant=constant)
    return fused
