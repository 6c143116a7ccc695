"""Findings across files, judged without an index."""

from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from integration.doctor.stores import KETTLE, OLD, codes, examine, good_store, only

from memhtml.doctor.findings import FindingCode, Severity
from memhtml.values import Instant

X = "areas/inbox/x.html"


def test_a_link_to_nowhere_is_an_error_at_its_line(repo: Path) -> None:
    data = memory("Linked.", links=[("relates_to", f"/{KETTLE}"), ("part_of", "/areas/gone.html")])
    report = examine(good_store(repo, {X: data}))
    found = only(report, FindingCode.LINK_DANGLING)
    assert (found.path, found.line, found.fixable) == (X, 11, True)
    (link,) = report.dangling
    assert (link.src_path, str(link.rel), link.dst_path) == (X, "part_of", "areas/gone.html")
    assert link.rewrite_to is None


def test_a_link_to_what_was_archived_says_where_it_stands_now(repo: Path) -> None:
    data = memory("Linked.", links=[("relates_to", "/resources/sensors/old.html")])
    report = examine(good_store(repo, {X: data}))
    assert OLD in only(report, FindingCode.LINK_DANGLING).message
    assert report.dangling[0].rewrite_to == OLD


@pytest.mark.parametrize(("now", "found"), [("2035-01-01T00:00:00Z", True), ("2036-01-01T00:00:00Z", False)])
def test_the_archive_is_searched_ten_years_back(repo: Path, now: str, found: bool) -> None:
    data = memory("Linked.", links=[("relates_to", "/resources/sensors/old.html")])
    report = examine(good_store(repo, {X: data}), at=Instant(now))
    assert (report.dangling[0].rewrite_to == OLD) is found


def test_the_newest_of_several_archived_forms_is_meant(repo: Path) -> None:
    newer = OLD.replace("2025", "2026")
    archived = memory("Older still.", status="archived", metas=[("archived", "2026-01-01T00:00:00Z")])
    data = memory("Linked.", links=[("relates_to", "/resources/sensors/old.html")])
    assert examine(good_store(repo, {X: data, newer: archived})).dangling[0].rewrite_to == newer


@pytest.mark.parametrize(
    "href",
    [
        f"{KETTLE}#top",
        f"{KETTLE}?a=b",
        f"{KETTLE}?a#b",
        "projects/kettle/%6bettle.html",
        "projects/%6Bettle/kettle.html#a",
    ],
)
def test_a_link_that_only_a_browser_follows_is_a_warning_with_the_path_it_means(
    repo: Path, href: str
) -> None:
    report = examine(good_store(repo, {X: memory("Linked.", links=[("relates_to", f"/{href}")])}))
    found = only(report, FindingCode.LINK_SPELLING)
    assert (found.path, found.line, found.severity, found.fixable) == (X, 10, Severity.WARNING, True)
    assert KETTLE in found.message
    assert "no file" not in found.message
    assert report.dangling[0].rewrite_to == KETTLE


def test_a_name_that_holds_such_characters_is_meant_before_what_they_could_stand_for(repo: Path) -> None:
    names = ["areas/100%25.html", "areas/a#b.html", "areas/a?b.html", "areas/caf\u00e9.html"]
    files = {name: memory(f"It is {name}.") for name in names}
    links = [("relates_to", f"/{name}") for name in names]
    assert codes(examine(good_store(repo, {**files, X: memory("Linked.", links=links)}))) == []


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize(
    "target",
    [
        "README.html",
        "README.html#top",
        "resources/index.html",
        "resources/pic.svg",
        "resources/pic%2Esvg?x",
        "site/deep/page.html",
        "resources/sensors",
        ".memhtml/config.toml",
    ],
)
def test_a_link_to_what_is_there_and_is_no_memory_is_a_warning(
    repo: Path, target: str, committed: bool
) -> None:
    good_store(repo, {X: memory("Linked.", links=[("relates_to", f"/{target}")])})
    there = ["README.html", "resources/index.html", "resources/pic.svg", "site/deep/page.html"]
    plant(repo, dict.fromkeys(there, b"<p>") | {".memhtml/config.toml": b""})
    if committed:
        git(repo, "add", "--all", "--force")
        git(repo, "commit", "-q", "-m", "more")
        assert codes(examine(repo, committed=True)) == ["LINK_NO_MEMORY"]
    report = examine(repo)
    found = only(report, FindingCode.LINK_NO_MEMORY)
    assert (found.path, found.line, found.severity, found.fixable) == (X, 10, Severity.WARNING, False)
    assert "no memory" in found.message
    assert report.dangling == ()


@pytest.mark.parametrize("target", ["%zz.html", "areas/%ff.html", "areas/%00.html", "%"])
def test_a_link_that_no_file_could_answer_is_dangling(repo: Path, target: str) -> None:
    report = examine(good_store(repo, {X: memory("Linked.", links=[("relates_to", f"/{target}")])}))
    assert only(report, FindingCode.LINK_DANGLING).severity is Severity.ERROR


def test_an_archived_target_is_found_through_its_escapes(repo: Path) -> None:
    data = memory("Linked.", links=[("relates_to", "/resources/%73ensors/old.html#x")])
    report = examine(good_store(repo, {X: data}))
    assert only(report, FindingCode.LINK_DANGLING).path == X
    assert report.dangling[0].rewrite_to == OLD


def test_a_link_to_a_file_that_is_no_memory_is_found_at_that_file_alone(repo: Path) -> None:
    report = examine(
        good_store(
            repo,
            {X: memory("Linked.", links=[("relates_to", "/areas/broken.html")]), "areas/broken.html": b"<p>"},
        )
    )
    assert {f.path for f in report.findings if f.severity is Severity.ERROR} == {"areas/broken.html"}


def test_a_link_that_dangles_in_the_working_tree_alone_is_found_there(repo: Path) -> None:
    good_store(repo)
    (repo / KETTLE).unlink()
    assert [link.dst_path for link in examine(repo).dangling] == [KETTLE]
    assert examine(repo, committed=True).dangling == ()


def test_equal_words_leave_the_younger_file_out(repo: Path) -> None:
    twin = memory("The kettle boils at 94 degrees.", created="2026-04-01T00:00:00Z", title="Twin")
    found = only(examine(good_store(repo, {X: twin})), FindingCode.DUPLICATE_CONTENT)
    assert (found.path, found.severity) == (X, Severity.WARNING)
    assert KETTLE in found.message


def test_archived_files_and_tasks_may_repeat_words(repo: Path) -> None:
    words = "The kettle boils at 94 degrees."
    report = examine(
        good_store(
            repo,
            {
                "archive/2026/areas/k.html": memory(
                    words, status="archived", metas=[("archived", "2026-01-01T00:00:00Z")]
                ),
                "projects/kettle/tasks/a.html": memory(words, type_="task", metas=[("task-status", "todo")]),
                "projects/kettle/tasks/b.html": memory(words, type_="task", metas=[("task-status", "todo")]),
            },
        )
    )
    assert codes(report) == []


def test_two_active_claims_about_one_thing_are_a_note_at_the_second(repo: Path) -> None:
    frame = "The boiling point of the kettle is {} degrees."
    report = examine(
        good_store(
            repo,
            {
                "areas/a.html": memory(frame.format(94)),
                "areas/b.html": memory(frame.format(99)),
                "areas/c.html": memory("The boiling point of the pan is 99 degrees."),
                "archive/2026/areas/d.html": memory(
                    frame.format(90), status="archived", metas=[("archived", "2026-01-01T00:00:00Z")]
                ),
            },
        )
    )
    found = only(report, FindingCode.CLAIM_SLOT_SHARED)
    assert (found.path, found.severity) == ("areas/b.html", Severity.INFO)
    assert "areas/a.html" in found.message


def test_a_memory_that_is_superseded_and_active_is_a_warning(repo: Path) -> None:
    report = examine(good_store(repo, {X: memory("Was so.", metas=[("superseded-by", f"/{KETTLE}")])}))
    found = only(report, FindingCode.SUPERSEDED_ACTIVE)
    assert (found.path, found.line) == (X, 10)


def test_a_successor_that_is_nowhere_is_a_note_and_an_archived_one_is_none(repo: Path) -> None:
    gone = memory(
        "Was so.",
        status="archived",
        metas=[("archived", "2026-01-01T00:00:00Z"), ("superseded-by", "/areas/gone.html")],
    )
    archived = gone.replace(b"/areas/gone.html", b"/resources/sensors/old.html").replace(
        b"Was so", b"Was too"
    )
    report = examine(
        good_store(repo, {"archive/2026/areas/x.html": gone, "archive/2026/areas/y.html": archived})
    )
    found = only(report, FindingCode.SUPERSEDER_MISSING)
    assert (found.path, "where no file is" in found.message) == ("archive/2026/areas/x.html", True)


def test_a_successor_that_is_there_and_is_no_memory_is_not_said_to_be_nowhere(repo: Path) -> None:
    metas = [("archived", "2026-01-01T00:00:00Z"), ("superseded-by", "/README.html")]
    gone = memory("Was so.", status="archived", metas=metas)
    report = examine(good_store(repo, {"archive/2026/areas/x.html": gone, "README.html": b"<p>"}))
    assert "no memory" in only(report, FindingCode.SUPERSEDER_MISSING).message


def _many(folder: str, count: int, type_: str = "semantic") -> dict[str, bytes]:
    metas = [("task-status", "todo")] if type_ == "task" else []
    return {
        f"{folder}/m{number}.html": memory(f"Claim {number} holds.", type_=type_, metas=metas)
        for number in range(count)
    }


@pytest.mark.parametrize(("count", "expected"), [(20, []), (21, ["INBOX_CROWDED"])])
def test_more_than_twenty_memories_crowd_the_inbox(repo: Path, count: int, expected: list[str]) -> None:
    report = examine(good_store(repo, _many("areas/inbox", count)))
    assert codes(report) == expected
    assert (report.inbox_depth, report.inbox_crowded) == (count, bool(expected))


@pytest.mark.parametrize(("count", "expected"), [(10, []), (11, ["TASK_INBOX_CROWDED"])])
def test_more_than_ten_tasks_crowd_their_inbox_and_count_in_the_other(
    repo: Path, count: int, expected: list[str]
) -> None:
    report = examine(good_store(repo, _many("areas/inbox/tasks", count, "task")))
    assert codes(report) == expected
    assert (report.inbox_depth, report.inbox_task_depth) == (count, count)
    assert report.inbox_tasks_crowded is bool(expected)


def _task(due: str, status: str = "doing") -> bytes:
    return memory("Done soon.", type_="task", metas=[("task-status", status), ("due", due)])


@pytest.mark.parametrize(
    ("due", "overdue"),
    [
        ("2026-05-31", True),
        ("2026-05-31T23:59:59Z", True),
        ("2026-06-01", False),
        ("2026-06-01T00:00:00Z", False),
        ("2026-06-02", False),
    ],
)
def test_a_task_is_overdue_from_the_day_after_its_due_date(repo: Path, due: str, overdue: bool) -> None:
    report = examine(good_store(repo, {"projects/kettle/tasks/x.html": _task(due)}))
    assert [task.due_at for task in report.overdue_tasks] == ([due] if overdue else [])
    if overdue:
        found = only(report, FindingCode.TASK_OVERDUE)
        assert (found.severity, found.line) == (Severity.INFO, 11)
        assert report.healthy


@pytest.mark.parametrize(
    "path", ["projects/kettle/tasks/x.html", "archive/2026/projects/kettle/tasks/x.html"]
)
def test_a_task_that_is_done_or_archived_is_never_overdue(repo: Path, path: str) -> None:
    status = "done" if path.startswith("projects") else "doing"
    assert examine(good_store(repo, {path: _task("2020-01-01", status)})).overdue_tasks == ()


def test_a_task_that_an_archived_one_blocks_is_a_note(repo: Path) -> None:
    blocker = memory(
        "First this.",
        type_="task",
        status="archived",
        metas=[("archived", "2026-01-01T00:00:00Z"), ("task-status", "done")],
        links=[("blocks", "/projects/kettle/tasks/descale.html")],
    )
    report = examine(good_store(repo, {"archive/2026/projects/kettle/tasks/first.html": blocker}))
    found = only(report, FindingCode.TASK_STALE_BLOCKER)
    assert (found.path, found.severity) == ("projects/kettle/tasks/descale.html", Severity.INFO)
    (blocked,) = report.stale_blockers
    assert blocked.blocker_path == "archive/2026/projects/kettle/tasks/first.html"
    assert blocked.blocker_state == "archived"


def test_a_task_that_an_open_one_blocks_is_no_finding(repo: Path) -> None:
    blocker = memory(
        "First this.",
        type_="task",
        metas=[("task-status", "todo")],
        links=[("blocks", "/projects/kettle/tasks/descale.html")],
    )
    assert codes(examine(good_store(repo, {"projects/kettle/tasks/first.html": blocker}))) == []
