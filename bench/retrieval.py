"""How well search finds: two public sets as real stores, through the real index, judged by their own answers.

    python -m bench.retrieval [--data DIR]

SciFact: 5,183 abstracts and the 809 training claims. Pool: 120 questions over 1,408 short chat turns. Every document
becomes a memory (title, claim, body), is committed, indexed and searched as a person's would be. The "nudged" rows give
memories ages and uses drawn at random, which know nothing of the questions: what recency and salience cost at worst.
"""

import argparse
import html
import json
import math
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.repository import IGNORED, import_commit, init, run_git
from memhtml.app import indexing, retrieval
from memhtml.app.wire import Store, open_store
from memhtml.db.open import attach_state
from memhtml.resources import migrations
from memhtml.values import Instant, Plane

__all__ = ["CollectionScore", "Question", "measure", "ndcg", "recall"]

_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "bench"
_NOW = Instant("2026-06-01T00:00:00Z")
_LONG_AGO = "2026-01-01T00:00:00Z"
_SEED = 20260802
_DEPTH = 10
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Collection:
    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    #: Whether the first sentence is the claim; else the whole text is.
    claims_first_sentence: bool


@dataclass(frozen=True, slots=True)
class CollectionScore:
    collection: str
    row: str
    questions: int
    ndcg: float
    recall: float
    median_ms: float


def ndcg(ranked: Sequence[str], relevant: frozenset[str], depth: int = _DEPTH) -> float:
    """Return the normalised discounted gain of a ranking, every relevant document counting the same."""
    gain = sum(1 / math.log2(place + 2) for place, name in enumerate(ranked[:depth]) if name in relevant)
    best = sum(1 / math.log2(place + 2) for place in range(min(depth, len(relevant))))
    return gain / best if best else 0.0


def recall(ranked: Sequence[str], relevant: frozenset[str], depth: int = _DEPTH) -> float:
    """Return the share of the relevant documents that the ranking holds."""
    return len(relevant.intersection(ranked[:depth])) / len(relevant) if relevant else 0.0


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def scifact(folder: Path) -> Collection:
    """Read abstracts and training claims; a claim may have several relevant abstracts."""
    documents = tuple(Document(d["_id"], d["title"], d["text"]) for d in _lines(folder / "corpus.jsonl"))
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.train.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        relevant.setdefault(query, set()).add(document)
    questions = tuple(
        Question(q["text"], frozenset(relevant[q["_id"]]))
        for q in _lines(folder / "queries.train.jsonl")
        if q["_id"] in relevant
    )
    return Collection("scifact", documents, questions, claims_first_sentence=True)


def pool(folder: Path) -> Collection:
    """Read chat turns and questions. A turn has no title, so all have the same; the whole turn is the claim."""
    documents = tuple(Document(d["_id"], "Turn", d["text"]) for d in _lines(folder / "passages.jsonl"))
    questions = tuple(
        Question(q["question"], frozenset(q["relevant"])) for q in _lines(folder / "queries.jsonl")
    )
    return Collection("longmemeval-pool", documents, questions, claims_first_sentence=False)


def _memory(document: Document, *, claims_first_sentence: bool, updated: str) -> bytes:
    cut = _SENTENCE_END.split(document.text, maxsplit=1) if claims_first_sentence else [document.text]
    paragraphs = "".join(f"<p>{html.escape(part)}</p>\n" for part in cut[1:])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(document.title)}</title>\n"
        '<meta name="memhtml-type" content="semantic">\n<meta name="memhtml-status" content="active">\n'
        f'<meta name="memhtml-created" content="{updated}">\n<meta name="memhtml-updated" content="{updated}">\n'
        f"</head>\n<body>\n<article>\n<p><mark>{html.escape(cut[0])}</mark></p>\n{paragraphs}</article>\n</body>\n</html>\n"
    ).encode()


def _plant(root: Path, collection: Collection, *, aged: bool) -> dict[str, list[str]]:
    """Commit a collection as memories; return the documents that stand at each path (equal texts share one)."""
    draw = random.Random(_SEED)
    by_text: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    files: list[tuple[str, bytes]] = [(".gitignore", IGNORED)]
    for document in collection.documents:
        # Equal articles are one memory: the index keeps the first, and it answers for all of them.
        path = by_text.setdefault(document.text, f"resources/{collection.name}/{document.name}.html")
        names.setdefault(path, []).append(document.name)
        day = int(draw.random() * 720)
        updated = f"{2024 + day // 360}-{day % 360 // 30 + 1:02}-{day % 30 % 28 + 1:02}T00:00:00Z"
        if len(names[path]) == 1:
            data = _memory(
                document,
                claims_first_sentence=collection.claims_first_sentence,
                updated=updated if aged else _LONG_AGO,
            )
            files.append((path, data))
    init(root)
    import_commit(root, files, f"corpus: {collection.name}")
    run_git(root, "reset", "-q", "--hard")
    return names


def _use(store: Store, paths: Sequence[str]) -> None:
    """Give every third memory a random history of use."""
    draw = random.Random(_SEED + 1)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        attach_state(connection, store.state_path, mode="write", migrations=migrations(Plane.STATE), now=_NOW)
        connection.execute("BEGIN")
        for path in paths:
            if draw.random() < 1 / 3:
                last = f"2026-05-{int(draw.random() * 28) + 1:02}T12:00:00Z"
                connection.execute(
                    "INSERT INTO state.access (path, access_count, outcome_score, last_accessed_at, updated_at)"
                    " VALUES (?, ?, ?, ?, ?)",
                    (path, 1 + int(draw.random() ** 2 * 20), draw.random() * 2 - 1, last, last),
                )
        connection.execute("COMMIT")


def _judge(
    collection: Collection, names: dict[str, list[str]], row: str, ask: Callable[[str], list[str]]
) -> CollectionScore:
    gained = found = 0.0
    taken = []
    for question in collection.questions:
        begun = time.perf_counter()
        paths = ask(question.text)
        taken.append((time.perf_counter() - begun) * 1000)
        ranked = [name for path in paths for name in names[path]]
        gained += ndcg(ranked, question.relevant)
        found += recall(ranked, question.relevant)
    count = len(collection.questions)
    return CollectionScore(
        collection.name, row, count, gained / count, found / count, sorted(taken)[len(taken) // 2]
    )


def measure(folder: Path, collection: Collection) -> Iterator[CollectionScore]:
    """Plant, index and question one collection, once without and once with ages and uses."""
    for row, aged in (("lexical", False), ("nudged", True)):
        root = folder / f"{collection.name}-{row}"
        names = _plant(root, collection, aged=aged)
        store = open_store(root, clock=lambda: _NOW)
        indexed = indexing.rebuild(store, embed=False).files_indexed
        assert indexed == len(names), f"{indexed} of {len(names)} documents were indexed"
        if aged:
            _use(store, list(names))
        yield _judge(
            collection,
            names,
            row,
            lambda text, store=store: [hit.path for hit in retrieval.search(store, text, limit=_DEPTH).hits],  # type: ignore[misc]  # a lambda's default has no type
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a row; exit 1 where the data is not there."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=_DATA, help="folder of scifact/ and longmemeval-pool/")
    asked = parser.parse_args(arguments)
    if not asked.data.is_dir():
        print(f"no data at {asked.data}", file=sys.stderr)
        return 1
    print(f"{'collection':18} {'row':8} {'questions':>9} {'NDCG@10':>8} {'recall@10':>9} {'ms':>6}")
    with tempfile.TemporaryDirectory(prefix="memhtml-retrieval-") as folder:
        for read, name in ((scifact, "scifact"), (pool, "longmemeval-pool")):
            for score in measure(Path(folder), read(asked.data / name)):
                print(
                    f"{score.collection:18} {score.row:8} {score.questions:9} {score.ndcg:8.4f}"
                    f" {score.recall:9.4f} {score.median_ms:6.1f}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
