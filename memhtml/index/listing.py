"""Memories by path, a page at a time. The page after one begins behind its last path, so files may come and go."""

import sqlite3
from typing import Final

from memhtml.index.answers import Listed, ListPage
from memhtml.index.scope import Scope, filter_of
from memhtml.values import MemoryPath

__all__ = ["page"]

_PAGE: Final = (
    "SELECT f.path, f.title, f.memory_type, f.gist, f.workspace, f.para, f.confidence, f.importance, f.archived,"
    " f.updated_at FROM files AS f WHERE f.path > :cursor AND {scope} ORDER BY f.path LIMIT :limit"
)


def page(connection: sqlite3.Connection, scope: Scope, *, limit: int, cursor: str = "") -> ListPage:
    """Return the memories of a scope whose path comes after `cursor`, at most `limit`.

    Order: by path, compared as bytes.
    """
    where = filter_of(scope)
    bound = {**where.values, "cursor": cursor, "limit": limit + 1}
    rows = connection.execute(_PAGE.format(scope=where.sql), bound).fetchall()
    files = tuple(
        Listed(
            path=MemoryPath(path),
            title=title,
            memory_type=kind,
            gist=gist,
            workspace=workspace,
            para=para,
            confidence=confidence,
            importance=importance,
            archived=bool(archived),
            updated_at=updated_at,
        )
        for path, title, kind, gist, workspace, para, confidence, importance, archived, updated_at in rows[
            :limit
        ]
    )
    return ListPage(files, files[-1].path if len(rows) > limit else None)
