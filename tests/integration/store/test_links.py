"""Links between memories: one line of one head, made once and taken away whole."""

import pytest
from builders import memory
from conftest import git
from integration.store.conftest import everything_in, subjects
from integration.store.test_archive import bytes_at, planted, sound
from planes import reading

from memhtml.app.links import link, unlink
from memhtml.app.wire import Store
from memhtml.errors import InvalidMemory, MemhtmlError, PathNotFound, PathRefused
from memhtml.git.read import open_reader
from memhtml.store.link import plan_link
from memhtml.store.view import HeadView
from memhtml.values import EdgeRel

A, B = "areas/a.html", "areas/b.html"
TASK, OTHER_TASK = "areas/inbox/tasks/t.html", "areas/inbox/tasks/u.html"


@pytest.fixture
def four(store: Store) -> Store:
    return planted(
        store,
        {
            A: memory("A probe reads low."),
            B: memory(
                "It was cold.", links=[("relates_to", "/areas/gone.html"), ("caused_by", "/areas/a.html")]
            ),
            TASK: memory("Paint it.", type_="task", metas=[("task-status", "todo")]),
            OTHER_TASK: memory("Buy paint.", type_="task", metas=[("task-status", "todo")]),
        },
    )


def edges(store: Store) -> set[tuple[str, str, str]]:
    with reading(store.index_path) as connection:
        return set(connection.execute("SELECT src_path, rel, dst_path FROM edges"))


def test_a_link_is_one_line_of_one_head(four: Store) -> None:
    before = bytes_at(four, A)
    done = link(four, "/" + A, EdgeRel.CAUSED_BY, B)
    assert (done.src_path, done.dst_path, done.linked) == (A, B, True)
    line = f'<link rel="memhtml-caused-by" href="/{B}">\n'.encode()
    assert bytes_at(four, A).replace(line, b"", 1) == before
    assert subjects(four.root)[0].startswith(f"memhtml(link): {A} caused_by")
    assert (A, "caused_by", B) in edges(four)
    assert git(four.root, "status", "--porcelain") == b""


def test_the_same_link_again_is_no_commit(four: Store) -> None:
    link(four, A, EdgeRel.RELATES_TO, B)
    before = everything_in(four.root)
    assert link(four, A, EdgeRel.RELATES_TO, B).commit_sha is None
    assert link(four, B, EdgeRel.CAUSED_BY, A).commit_sha is None
    assert everything_in(four.root) == before


def test_what_was_linked_can_be_unlinked_to_the_byte(four: Store) -> None:
    before = bytes_at(four, A)
    link(four, A, EdgeRel.SUPPORTS, B)
    done = unlink(four, A, EdgeRel.SUPPORTS, "/" + B)
    assert (done.linked, done.commit_sha is None) == (False, False)
    assert bytes_at(four, A) == before
    assert unlink(four, A, EdgeRel.SUPPORTS, B).commit_sha is None


def test_a_link_that_leads_nowhere_can_be_taken_away(four: Store) -> None:
    unlink(four, B, EdgeRel.RELATES_TO, "areas/gone.html")
    unlink(four, B, EdgeRel.CAUSED_BY, A)
    assert b"<link" not in bytes_at(four, B)
    assert edges(four) == set()
    sound(four)


def test_tasks_are_joined_by_the_rels_of_tasks(four: Store) -> None:
    link(four, TASK, EdgeRel.BLOCKS, OTHER_TASK)
    link(four, OTHER_TASK, EdgeRel.SUBTASK_OF, TASK)
    assert {(TASK, "blocks", OTHER_TASK), (OTHER_TASK, "subtask_of", TASK)} <= edges(four)


@pytest.mark.parametrize(
    ("src", "rel", "dst", "error"),
    [
        (A, EdgeRel.RELATES_TO, A, InvalidMemory),
        (A, EdgeRel.RELATES_TO, "/" + A, InvalidMemory),
        (A, EdgeRel.RELATES_TO, TASK, InvalidMemory),
        (TASK, EdgeRel.RELATES_TO, A, InvalidMemory),
        (A, EdgeRel.BLOCKS, TASK, InvalidMemory),
        (TASK, EdgeRel.BLOCKS, A, InvalidMemory),
        (A, EdgeRel.BLOCKS, B, InvalidMemory),
        (A, EdgeRel.RELATES_TO, "areas/gone.html", PathNotFound),
        ("areas/gone.html", EdgeRel.RELATES_TO, A, PathNotFound),
        (A, EdgeRel.RELATES_TO, "../../etc/passwd.html", PathRefused),
        (A, EdgeRel.FROM_SESSION, "../../x.html", PathRefused),
        ("areas/../../a.html", EdgeRel.RELATES_TO, A, PathRefused),
        (A, EdgeRel.RELATES_TO, "", PathRefused),
    ],
)
def test_ends_that_do_not_fit_are_refused_and_nothing_changes(
    four: Store, src: str, rel: EdgeRel, dst: str, error: type[MemhtmlError]
) -> None:
    before = everything_in(four.root)
    with pytest.raises(error):
        link(four, src, rel, dst)
    assert everything_in(four.root) == before


def test_a_session_needs_no_file_to_be_named(four: Store) -> None:
    view = HeadView(open_reader(four.root), open_reader(four.root).head(), lambda _: None)
    planned = plan_link(view, src=A, rel=EdgeRel.FROM_SESSION, dst="resources/sessions/s-1.html")
    assert A in planned.changes
