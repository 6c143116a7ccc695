"""Index databases of an older schema, populated in every table, and ways to compare them row by row."""

import hashlib
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from memhtml.values import Instant

NOW = Instant("2026-03-09T08:15:00Z")

#: The `opened` fixture: opens an index in the test's folder and closes it at the end.
Opener = Callable[..., sqlite3.Connection]


def pick(*parts: object) -> int:
    """A number that looks random and is the same in every run."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6], "big")


VOCABULARY = [
    stem + ending
    for stem in (
        "index",
        "merge",
        "proxy",
        "bill",
        "soil",
        "probe",
        "cache",
        "café",
        "naïve",
        "東京",
        "deploy",
        "rollback",
    )
    for ending in ("", "s", "ing", "ed")
]


def words(seed: object, count: int) -> str:
    # Squared, so that some words are common and some are rare.
    size = len(VOCABULARY)
    return " ".join(
        VOCABULARY[pick(seed, n) % size * (pick(seed, n, "z") % size) // size] for n in range(count)
    )


def populate(connection: sqlite3.Connection, memories: int = 400) -> None:
    """Fill every table of the oldest full schema (0007) with rows of all shapes, and wear the full-text index in."""
    types = [
        "episodic",
        "semantic",
        "procedural",
        "agent_insight",
        "user_preference",
        "error_pattern",
        "verdict",
    ]
    connection.execute("BEGIN")
    for n in range(memories):
        archived = int(n % 7 == 0)
        bucket = "archive" if archived else ("projects", "areas", "resources")[n % 3]
        path = f"{bucket}/topic {n % 11}/memory-{n:04}-é.html"
        body = words(n, 30 + n % 90)
        connection.execute(
            "INSERT INTO files (path, blob_sha, content_hash, memory_type, title, body_text, gist, fts_text,"
            " disclosure_text, para, workspace, confidence, importance, archived, origin_path, word_count, created_at,"
            " updated_at, event_at, archived_at, valid_from, valid_until, reprieves, needs_revision, author,"
            " session_id, prompt_id, turn_uuid, frame_key, indexed_at, row_digest)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                path,
                f"{pick('blob', n):040x}",
                # Archived copies of one text exist in the wild.
                f"blake3:{n if not archived else n % 4:064x}" if archived else f"blake3:a{n:063x}",
                types[n % len(types)],
                f"Title {n} \N{SNOWMAN}",
                body,
                words(("gist", n), 6),
                f"Title {n}\n{body}",
                "" if n % 5 else words(("said", n), 9),
                bucket,
                f"w{n % 4}" if bucket == "projects" else None,
                (n % 101) / 100,
                1 + n % 10,
                archived,
                f"areas/memory-{n}.html" if archived else None,
                body.count(" ") + 1,
                f"2026-01-{1 + n % 28:02}T00:00:00Z",
                f"2026-02-{1 + n % 28:02}T00:00:00Z",
                f"2025-12-{1 + n % 28:02}" if n % 3 else None,
                "2026-03-01T00:00:00Z" if archived else None,
                "2026-01-01" if n % 4 else None,
                "2027-01-01" if n % 6 else None,
                n % 3,
                n % 2,
                "agent" if n % 2 else "Zoë",
                f"session-{n % 9}" if n % 2 else None,
                f"prompt-{n}" if n % 2 else None,
                f"turn-{n}" if n % 2 else None,
                f"the port of {n % 50} is" if n % 8 else None,
                "2026-03-09T08:15:00Z",
                f"{pick('digest', n):064x}",
            ),
        )
        for tag in range(n % 4):
            connection.execute("INSERT INTO file_tags VALUES (?, ?)", (path, f"tag-{(n + tag) % 17}"))
        for k in range(n % 3):
            connection.execute(
                "INSERT INTO file_entities VALUES (?, ?, ?, ?)",
                (path, "Service", f"API {k}", f"service:api {k}"),
            )
            connection.execute(
                "INSERT INTO file_facets VALUES (?, ?, ?, ?)",
                (path, f"facet {k}", f"{n}.{k} ms", (float(n), n / 7, None)[k]),
            )
            connection.execute(
                "INSERT INTO file_citations VALUES (?, ?, ?)",
                (path, f"said {k}\nthere", f"https://example.com/{n}" if k else None),
            )
    rows = connection.execute("SELECT DISTINCT content_hash FROM files ORDER BY content_hash").fetchall()
    for n, (content_hash,) in enumerate(rows):
        for ordinal in range(1 + n % 3):
            chunk = hashlib.sha256(f"{content_hash}:{ordinal}".encode()).hexdigest()
            connection.execute(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
                (chunk, content_hash, ordinal, words(chunk, 20), 99),
            )
            vector = struct.pack("<8f", *(pick(chunk, i) % 1000 / 500 - 1 for i in range(8)))
            connection.execute(
                "INSERT INTO embeddings VALUES (?, 'tiny@8', 8, ?, ?)", (chunk, vector, "2026-01-01")
            )
            connection.execute(
                "INSERT INTO embedding_cache VALUES ('tiny@8', ?, 8, ?, ?)",
                (f"{n}:{ordinal}", vector, "2026-01-01"),
            )
    paths = [path for (path,) in connection.execute("SELECT path FROM files ORDER BY path")]
    for n, path in enumerate(paths):
        rel, kind = [("supersedes", "memory"), ("about_person", "person"), ("from_session", "provenance")][
            n % 3
        ]
        derived = int(n % 5 == 0)
        connection.execute(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                path,
                rel,
                paths[n - 1] if n % 4 else f"areas/nowhere-{n}.html",
                kind,
                derived,
                n % 11 / 10,
                "sleep" if derived else "authored",
                "sleep/2026-01-01" if derived else None,
                f"hash {n}" if n % 2 else None,
                None,
                "2026-02-02T00:00:00Z",
            ),
        )
    for n in range(30):
        connection.execute(
            "INSERT INTO traces (session_id, slug, file_path, file_size, file_mtime, search_text, indexed_at)"
            " VALUES (?, 'slug', ?, ?, '2026-01-01T00:00:00.000Z', ?, '2026-01-01')",
            (f"session-{n}", f"/home/me/{n}.jsonl", n, words(("trace", n), 40)),
        )
        connection.execute(
            "INSERT INTO trace_prompts VALUES (?, 'p1', 't1', 0, '2026-01-01T00:00:00Z', NULL, 'head')",
            (f"session-{n}",),
        )
        connection.execute(
            "INSERT INTO trace_watermarks VALUES (?, ?, '2026-01-01T00:00:00.000Z', ?, '2026-01-01')",
            (f"/home/me/{n}.jsonl", n, n),
        )
    connection.execute(
        "INSERT INTO sleep_runs"
        " VALUES ('sleep/2026-01-01', 'sleep/2026-01-01', 'aa', NULL, 'merged', '2026-01-01', NULL)"
    )
    connection.execute(
        "INSERT INTO sleep_phases VALUES ('sleep/2026-01-01', 'link', 1, 'ok', NULL, '{}', NULL, 2, '2026-01-01', NULL)"
    )
    connection.execute(
        "INSERT INTO index_state VALUES (1, ?, 'tiny@8', 8, 'projector', 'random', 3, 0, '2026-01-01', '2026-01-02')",
        ("a" * 40,),
    )
    connection.execute("INSERT INTO probe_vectors VALUES ('tiny@8', 0, 'probe', x'00000000')")
    connection.execute(
        "INSERT INTO skipped_files VALUES ('areas/bad.html', 'bb', 'FORMAT_VIOLATION', 'why', NULL, '')"
    )
    connection.execute("INSERT INTO dirty_paths VALUES ('areas/gone.html', NULL)")
    connection.execute("INSERT INTO pending_moves (batch, from_path, to_path) VALUES (1, 'a', 'b')")
    connection.execute("COMMIT")
    # Wear: a rewritten row, a deleted row and a gap in the ids.
    connection.execute("UPDATE files SET fts_text = fts_text || ' rewritten' WHERE id % 10 = 3")
    connection.execute("DELETE FROM files WHERE id % 50 = 7")


def content(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table but the ledger, those of the full-text index included, with ids and types."""
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_migrations', 'sqlite_sequence')"
    ).fetchall()
    rows: dict[str, list[tuple[object, ...]]] = {}
    for (table,) in tables:
        columns = [
            name
            for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")
            if name not in ("task_status", "due_at")
        ]
        chosen = ", ".join(f"{name}, typeof({name})" for name in columns)
        rows[table] = sorted(connection.execute(f"SELECT {chosen} FROM {table}").fetchall(), key=repr)
    return rows


def found(connection: sqlite3.Connection) -> list[list[tuple[object, ...]]]:
    """Full-text answers in rank order with their exact scores."""
    queries = [
        *VOCABULARY,
        '"index merge"',
        "proxy OR soil OR cafe",
        "rewritten",
        "rewritten NOT probe",
        "title",
    ]
    return [
        connection.execute(
            "SELECT f.id, f.path, bm25(files_fts) FROM files_fts JOIN files f ON f.id = files_fts.rowid"
            " WHERE files_fts MATCH ? ORDER BY bm25(files_fts), f.path",
            (query if " " in query else f'"{query}"',),
        ).fetchall()
        for query in queries
    ]


def schema(connection: sqlite3.Connection) -> list[tuple[str, str, str, str | None]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2").fetchall()


def count(path: Path, query: str) -> int:
    """One number, read past every layer under test."""
    with closing(sqlite3.connect(path)) as connection:
        number: int = connection.execute(query).fetchone()[0]
        return number
