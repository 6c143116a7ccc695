"""Tasks: written down, moved on, archived when they are done, and listed with what blocks them."""

import pytest
from builders import memory
from conftest import git
from integration.store.conftest import committed, everything_in, head, subjects, words
from integration.store.test_archive import PROBE, bytes_at, planted, sound

from memhtml.app import indexing
from memhtml.app.archive import archive, restore
from memhtml.app.links import link
from memhtml.app.tasks import TaskQuestion, TaskRow, add_task, list_tasks, set_task_status
from memhtml.app.wire import Store
from memhtml.app.write import Words, write
from memhtml.errors import InvalidMemory, MemhtmlError, PathNotFound, PathRefused, SecretRefused
from memhtml.format.parse import parse
from memhtml.values import EdgeRel, TaskStatus

PAINT = "projects/hive/tasks/paint.html"


def task(claim: str = "Paint it.", *, status: str = "todo", due: str | None = None, **said: object) -> bytes:
    metas = [("task-status", status), *([("due", due)] if due else [])]
    return memory(claim, title=claim, type_="task", metas=metas, **said)  # type: ignore[arg-type]  # a test's own words


def listed(store: Store, question: TaskQuestion = TaskQuestion()) -> list[str]:  # noqa: B008 - a tuple
    return [row.path for row in list_tasks(store, question).tasks]


def row(store: Store, path: str) -> TaskRow:
    (found,) = [t for t in list_tasks(store, TaskQuestion(include_archived=True)).tasks if t.path == path]
    return found


def test_a_task_stands_with_its_workspace_and_says_its_title(store: Store) -> None:
    done = add_task(store, Words(title="Paint the hive", memory_type="", workspace="Hive", due="2026-09-01"))
    assert done.path == "projects/hive/tasks/paint-the-hive.html"
    assert (done.task_status, done.due_at, done.created) == (TaskStatus.TODO, "2026-09-01", True)
    assert parse(bytes_at(store, done.path)).gist == "Paint the hive"
    inbox = add_task(
        store, Words(title="Paint", memory_type="task", claim="Paint it blue.", task_status="doing")
    )
    assert inbox.path == "areas/inbox/tasks/paint.html"
    assert row(store, inbox.path).task_status == "doing"
    again = add_task(store, Words(title="Paint", memory_type="task", claim="Paint it blue."))
    assert again.path == "areas/inbox/tasks/paint-2.html"
    sound(store)


def test_a_memory_may_say_what_a_task_says(store: Store) -> None:
    add_task(store, Words(title="Paint", memory_type="task", claim="Paint it blue."))
    assert write(store, words("Paint it blue.")).deduped is False


def test_a_status_changes_two_lines_of_a_head_and_nothing_else(store: Store) -> None:
    aligned = (
        task()
        .replace(b"<head>", b"<head>\n<!-- by   hand -->")
        .replace(b'"memhtml-created"', b'"memhtml-created"   ')
    )
    planted(store, {PAINT: aligned})
    before = bytes_at(store, PAINT).splitlines()
    done = set_task_status(store, PAINT, TaskStatus.DOING)
    after = bytes_at(store, PAINT).splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 2
    assert (done.archived, done.unchanged, done.archive_path) == (False, False, None)
    assert subjects(store.root)[0] == f"memhtml(task): doing {PAINT}"
    commit = head(store.root)
    again = set_task_status(store, PAINT, TaskStatus.DOING)
    assert (again.unchanged, again.commit_sha, head(store.root)) == (True, None, commit)


def test_done_is_archived_in_the_same_commit_and_comes_back_when_it_is_not(store: Store) -> None:
    planted(store, {PAINT: task()})
    before = head(store.root)
    done = set_task_status(store, PAINT, TaskStatus.DONE)
    assert (done.path, done.archived, done.archive_path) == (PAINT, True, f"archive/2026/{PAINT}")
    assert git(store.root, "rev-list", "--count", f"{before}..HEAD").strip() == b"1"
    said = parse(bytes_at(store, str(done.archive_path)))
    assert (said.task_status, said.status) == ("done", "archived")
    assert subjects(store.root)[0] == f"memhtml(archive): {PAINT} — task done"
    assert listed(store) == []
    assert listed(store, TaskQuestion(include_archived=True)) == [done.archive_path]
    assert listed(store, TaskQuestion(include_archived=True, workspace="Hive")) == [done.archive_path]
    assert set_task_status(store, str(done.archive_path), TaskStatus.DONE).unchanged is True
    back = set_task_status(store, str(done.archive_path), TaskStatus.DOING, "not yet")
    assert (back.path, back.archived) == (PAINT, False)
    assert parse(bytes_at(store, PAINT)).task_status == "doing"
    assert committed(store.root) == [PAINT]
    sound(store)


def test_a_task_that_was_archived_undone_can_be_said_to_be_done(store: Store) -> None:
    planted(store, {PAINT: task(status="doing")})
    away = archive(store, PAINT, "no paint")
    done = set_task_status(store, away.archive_path, TaskStatus.DONE)
    assert (done.archive_path, done.archived) == (away.archive_path, True)
    assert parse(bytes_at(store, away.archive_path)).task_status == "done"
    assert restore(store, away.archive_path).path == PAINT
    assert parse(bytes_at(store, PAINT)).task_status == "todo"


def test_the_list_names_what_blocks_until_that_is_archived(store: Store) -> None:
    other = "areas/inbox/tasks/buy.html"
    planted(store, {PAINT: task(), other: task("Buy paint.")})
    link(store, other, EdgeRel.BLOCKS, PAINT)
    assert (row(store, PAINT).blocked_by, row(store, other).blocked_by) == ((other,), ())
    away = set_task_status(store, PAINT, TaskStatus.DONE)
    assert row(store, str(away.archive_path)).blocked_by == (other,), "the link leads to where it stood"
    set_task_status(store, str(away.archive_path), TaskStatus.TODO)
    set_task_status(store, other, TaskStatus.DONE)
    assert row(store, PAINT).blocked_by == ()


def test_due_before_looks_at_days_and_leaves_that_day_out(store: Store) -> None:
    day, morning = "areas/inbox/tasks/day.html", "areas/inbox/tasks/morning.html"
    planted(store, {day: task(due="2026-09-01"), morning: task(due="2026-09-01T07:00:00Z"), PAINT: task()})
    for bound, expected in (
        ("2026-09-01", []),
        ("2026-09-01T23:00:00Z", []),
        ("2026-09-02", [day, morning]),
    ):
        assert listed(store, TaskQuestion(due_before=bound)) == expected
    with pytest.raises(InvalidMemory, match="ISO date"):
        list_tasks(store, TaskQuestion(due_before="next tuesday"))


def test_detected_tasks_are_told_by_their_names(store: Store) -> None:
    folder = "areas/inbox/tasks"
    names = ["det-0123456789ab-x", "det-zzzzzzzzzzzz-x", "det-0123-x", "detonate-now", "det-0123456789ab"]
    planted(store, {f"{folder}/{name}.html": task(name) for name in names})
    assert listed(store, TaskQuestion(detected=True)) == [f"{folder}/det-0123456789ab-x.html"]
    done = set_task_status(store, f"{folder}/det-0123456789ab-x.html", TaskStatus.DONE)
    assert listed(store, TaskQuestion(detected=True)) == []
    assert listed(store, TaskQuestion(detected=True, include_archived=True)) == [done.archive_path]


def test_pages_go_on_behind_the_last_path(store: Store) -> None:
    planted(store, {f"areas/inbox/tasks/t{n}.html": task(f"Task {n}.") for n in range(5)})
    found, cursor = [], None
    while True:
        page = list_tasks(store, TaskQuestion(status="todo"), limit=2, cursor=cursor)
        found += [each.path for each in page.tasks]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == [f"areas/inbox/tasks/t{n}.html" for n in range(5)]
    assert listed(store, TaskQuestion(status="blocked")) == []


def test_a_rebuilt_index_lists_the_same_tasks(store: Store) -> None:
    other = "areas/inbox/tasks/buy.html"
    planted(store, {PAINT: task(due="2026-09-01"), other: task("Buy.", links=[("blocks", f"/{PAINT}")])})
    before = list_tasks(store, TaskQuestion())
    assert len(before.tasks) == 2
    store.index_path.unlink()
    indexing.rebuild(store, embed=False)
    assert list_tasks(store, TaskQuestion()) == before


@pytest.mark.parametrize(
    ("path", "reason", "error"),
    [
        (PROBE, "", InvalidMemory),
        ("areas/none.html", "", PathNotFound),
        ("../../x.html", "", PathRefused),
        (PAINT, "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", SecretRefused),
    ],
)
def test_a_refused_status_leaves_everything_as_it_was(
    store: Store, path: str, reason: str, error: type[MemhtmlError]
) -> None:
    planted(store, {PAINT: task(), PROBE: memory("A probe reads low.")})
    before = everything_in(store.root)
    with pytest.raises(error):
        set_task_status(store, path, TaskStatus.DONE, reason)
    assert everything_in(store.root) == before


@pytest.mark.parametrize("said", [{"due": "next tuesday"}, {"task_status": "soon"}, {"title": " "}])
def test_a_refused_task_leaves_everything_as_it_was(store: Store, said: dict[str, str]) -> None:
    before = everything_in(store.root)
    with pytest.raises(InvalidMemory):
        add_task(store, Words(**{"title": "Paint", "memory_type": "task", **said}))  # type: ignore[arg-type]  # as above
    assert everything_in(store.root) == before
