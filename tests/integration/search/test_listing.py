"""Pages of memories by path."""

import pytest
from builders import memory

from memhtml.app.retrieval import list_memories
from memhtml.errors import InvalidFlag
from memhtml.index.scope import scope_of

from .conftest import MakeStore


def test_pages_hold_every_memory_once_and_in_order(make_store: MakeStore) -> None:
    names = [f"areas/{name}.html" for name in ("a", "B", "ä", "a/b", "z", "aa")]
    store = make_store({name: memory(f"Claim {n}.") for n, name in enumerate(names)})
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = list_memories(store, limit=2, cursor=cursor)
        seen += [file.path for file in page.files]
        cursor = page.next_cursor
        if cursor is None:
            break
        assert cursor == page.files[-1].path
    assert seen == sorted(names, key=str.encode)


def test_a_page_that_is_exactly_full_is_the_last(make_store: MakeStore) -> None:
    store = make_store({f"areas/{n}.html": memory(f"Claim {n}.") for n in range(2)})
    assert list_memories(store, limit=2).next_cursor is None


def test_a_page_goes_on_behind_a_cursor_that_is_gone(make_store: MakeStore) -> None:
    store = make_store({f"areas/{n}.html": memory(f"Claim {n}.") for n in (1, 3)})
    assert [file.path for file in list_memories(store, cursor="/areas/2.html").files] == ["areas/3.html"]


def test_a_row_carries_what_the_file_says(make_store: MakeStore) -> None:
    store = make_store(
        {
            "projects/w/a.html": memory(
                "Claim.", title="T", metas=[("importance", "9"), ("confidence", "0.25")]
            )
        }
    )
    assert list_memories(store).files == (
        (
            "projects/w/a.html",
            "T",
            "semantic",
            "Claim.",
            "w",
            "projects",
            0.25,
            9,
            False,
            "2026-03-11T17:42:30Z",
        ),
    )


def test_arcs_and_archived_memories_are_listed_where_asked_for(make_store: MakeStore) -> None:
    store = make_store(
        {
            "areas/arcs/a.html": memory("Arc.", type_="arc"),
            "archive/2025/areas/b.html": memory("Gone.", status="archived"),
        }
    )
    assert [f.path for f in list_memories(store, scope=scope_of(types=["arc"])).files] == [
        "areas/arcs/a.html"
    ]
    archived = list_memories(store, scope=scope_of(para="archive", include_archived=True)).files
    assert [(file.path, file.archived) for file in archived] == [("archive/2025/areas/b.html", True)]


@pytest.mark.parametrize("limit", [0, -5, 501])
def test_a_page_has_one_to_five_hundred_memories(make_store: MakeStore, limit: int) -> None:
    with pytest.raises(InvalidFlag):
        list_memories(make_store({}), limit=limit)
