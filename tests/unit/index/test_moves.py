"""Pairing vanished rows with new paths."""

from memhtml.index.changes import Known, pair_moves
from memhtml.values import BlobSha, ContentHash, MemoryPath


def _known(file_id: int, path: str, blob: str, content: str) -> Known:
    return Known(file_id, MemoryPath(path), BlobSha(blob), ContentHash(content), "2026", True)


def _new(blob: str, content: str) -> tuple[BlobSha, ContentHash]:
    return BlobSha(blob), ContentHash(content)


def _pairs(vanished: list[Known], arrived: dict[str, tuple[BlobSha, ContentHash]]) -> dict[str, str]:
    pairs = pair_moves(
        {known.path: known for known in vanished}, {MemoryPath(path): new for path, new in arrived.items()}
    )
    return {str(new): str(known.path) for new, known in pairs.items()}


def test_equal_bytes_outrank_equal_words() -> None:
    vanished = [_known(1, "areas/a.html", "b1", "c"), _known(2, "areas/b.html", "b2", "c")]
    arrived = {"areas/x.html": _new("b2", "c"), "areas/y.html": _new("b3", "c")}
    assert _pairs(vanished, arrived) == {"areas/x.html": "areas/b.html", "areas/y.html": "areas/a.html"}


def test_strangers_are_never_paired() -> None:
    assert _pairs([_known(1, "areas/a.html", "b1", "c1")], {"areas/x.html": _new("b2", "c2")}) == {}


def test_one_row_moves_to_one_path() -> None:
    arrived = {"areas/x.html": _new("b1", "c"), "areas/y.html": _new("b1", "c")}
    assert _pairs([_known(1, "areas/a.html", "b1", "c")], arrived) == {"areas/x.html": "areas/a.html"}


def test_pairs_do_not_depend_on_the_order_of_discovery() -> None:
    vanished = [_known(n, f"areas/{n}.html", "b", "c") for n in range(4)]
    arrived = {f"areas/new-{n}.html": _new("b", "c") for n in range(4)}
    assert _pairs(vanished, arrived) == _pairs(vanished[::-1], dict(reversed(arrived.items())))
