"""Readable makers of memory files and corpora."""

import html
from collections.abc import Iterable, Mapping
from pathlib import Path


def memory(
    claim: str = "Power a soil probe for ten minutes before calibrating it.",
    *,
    title: str = "A memory",
    type_: str = "semantic",
    status: str = "active",
    created: str = "2026-03-09T08:15:00Z",
    updated: str = "2026-03-11T17:42:30Z",
    metas: Iterable[tuple[str, str]] = (),
    links: Iterable[tuple[str, str]] = (),
    body: str = "",
    article: str | None = None,
) -> bytes:
    """Return the bytes of one valid memory; `metas` are (name without prefix, value), `links` (rel with _, href)."""
    head = [
        ("type", type_),
        ("status", status),
        ("created", created),
        ("updated", updated),
        *metas,
    ]
    inner = article if article is not None else f"<p><mark>{html.escape(claim)}</mark></p>{body}"
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f"<title>{html.escape(title)}</title>",
        *(f'<meta name="memhtml-{name}" content="{html.escape(value, quote=True)}">' for name, value in head),
        *(
            f'<link rel="memhtml-{rel.replace("_", "-")}" href="{html.escape(href, quote=True)}">'
            for rel, href in links
        ),
        "</head>",
        "<body>",
        "<article>",
        inner,
        "</article>",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(lines).encode()


def plant(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files below `root`, making folders as needed."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
