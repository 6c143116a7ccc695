"""The commands that change, move, join and judge memories: the real program, its envelopes, its texts, its refusals."""

import shlex
from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import memhtml, memhtml_on_a_terminal
from conftest import git

from memhtml.app.setup import init
from memhtml.cli.parsing import parse

PROBE, KETTLE = "areas/sensors/probe.html", "areas/kitchen/kettle.html"
PAINT = "areas/inbox/tasks/paint.html"
AWAY = "archive/2026/areas/sensors/old.html"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = init(tmp_path / "store").root
    plant(
        root,
        {
            PROBE: memory("A probe reads low.", title="Probe", metas=[("tag", "cold")]),
            KETTLE: memory("A kettle boils.", title="Kettle", links=[("relates_to", f"/{PROBE}")]),
            PAINT: memory("Paint it.", title="Paint", type_="task", metas=[("task-status", "todo")]),
            AWAY: memory("An old probe.", title="Old", status="archived"),
        },
    )
    git(root, "add", "-A")
    git(root, "commit", "-qm", "memories")
    assert memhtml("index", "rebuild", cwd=root).status == 0
    return root


@pytest.mark.parametrize(
    ("words", "kind", "fields"),
    [
        (["archive", PROBE, "--reason", "old"], "memory.archived", {"path", "archivePath", "commitSha"}),
        (["restore", AWAY], "memory.restored", {"path", "archivePath", "successorPath", "commitSha"}),
        (
            ["correct", PROBE, "--claim", "A probe reads high.", "--reason", "measured"],
            "memory.corrected",
            {"path", "archivedPath", "commitSha", "contentHash"},
        ),
        (["edit", PROBE, "--importance", "3"], "memory.edited", {"path", "changed", "commitSha"}),
        (["link", PROBE, "supports", KETTLE], "memory.linked", {"srcPath", "rel", "dstPath", "commitSha"}),
        (["unlink", KETTLE, "relates_to", PROBE], "memory.linked", {"srcPath", "linked", "commitSha"}),
        (["neighbors", PROBE, "--depth", "2"], "memory.neighbors", {"center", "depth", "nodes", "edges"}),
        (["resolve", "areas/sensors/old.html"], "memory.resolved", {"path", "resolvedPath", "stop", "hops"}),
        (["reinforce", PROBE, KETTLE], "memory.reinforced", {"bumped", "cooledDown", "signal"}),
        (
            ["task", "add", "--title", "Sweep"],
            "task.written",
            {"path", "created", "deduped", "existingPath", "taskStatus", "dueAt", "commitSha"},
        ),
        (
            ["task", "status", PAINT, "done"],
            "task.updated",
            {"path", "taskStatus", "archived", "archivePath", "commitSha", "unchanged"},
        ),
        (["task", "list"], "task.list", {"tasks", "nextCursor"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_each_command_answers_in_an_envelope_of_its_type(
    store: Path, words: list[str], kind: str, fields: set[str]
) -> None:
    ran = memhtml(*words, cwd=store)
    assert (ran.status, ran.envelope["type"]) == (0, kind), ran
    assert fields <= set(ran.data)
    assert git(store, "status", "--porcelain") == b""


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["archive", PROBE, "--reason", "old"], f"archived {PROBE} as archive/"),
        (["restore", AWAY], f"restored areas/sensors/old.html from {AWAY}"),
        (["correct", PROBE, "--body", "It reads high."], f"in the place of {PROBE}, now archive/"),
        (["edit", PROBE, "--remove-tag", "cold"], f"edited {PROBE}: tag"),
        (["edit", PROBE, "--add-tag", "cold"], "says all that already"),
        (["link", PROBE, "supports", KETTLE], f"linked {PROBE} supports {KETTLE}"),
        (["link", KETTLE, "relates_to", PROBE], "linked already"),
        (["unlink", KETTLE, "supports", PROBE], "there is no link"),
        (["neighbors", PROBE], f"<- relates_to {KETTLE}"),
        (["neighbors", PAINT], "nothing is linked with it"),
        (["resolve", PROBE], f"live: {PROBE}"),
        (["reinforce", PROBE, "--signal", "negative"], f"negative {PROBE}"),
        (["task", "add", "--title", "Sweep", "--due", "2027-01-01"], "todo, due 2027-01-01"),
        (["task", "status", PAINT, "todo"], f"already todo: {PAINT}"),
        (["task", "list"], f"{PAINT}  todo"),
        (["task", "list", "--status", "done"], "no such tasks"),
    ],
)
def test_a_person_is_told_in_words(store: Path, words: list[str], shown: str) -> None:
    ran = memhtml_on_a_terminal(*words, cwd=store, env={"NO_COLOR": "1"})
    assert (ran.status, ran.stderr) == (0, b"")
    assert shown in ran.stdout.decode()


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (["archive", PROBE], 2, "ERR_MISSING_ARGUMENT"),
        (["archive", AWAY, "--reason", "again"], 1, "ERR_PATH_REFUSED"),
        (["archive", "../x.html", "--reason", "x"], 1, "ERR_PATH_REFUSED"),
        (["archive", "areas/none.html", "--reason", "x"], 1, "ERR_PATH_NOT_FOUND"),
        (["restore", PROBE], 1, "ERR_PATH_REFUSED"),
        (["correct", PROBE], 2, "ERR_MISSING_ARGUMENT"),
        (["correct", PROBE, "--claim", "x", "--article-html", "<p>"], 2, "ERR_INVALID_FLAG"),
        (["correct", PROBE, "--claim", "A kettle boils."], 1, "ERR_DUPLICATE_CONTENT"),
        (["correct", PROBE, "--article-html", "<p>none</p>"], 1, "ERR_INVALID_MEMORY"),
        (["edit", PROBE], 2, "ERR_MISSING_ARGUMENT"),
        (["edit", PROBE, "--importance", "12"], 2, "ERR_INVALID_FLAG"),
        (["edit", PROBE, "--confidence", "two"], 2, "ERR_INVALID_FLAG"),
        (["edit", PROBE, "--clear", "title"], 2, "ERR_INVALID_FLAG"),
        (["link", PROBE, "supports", PROBE], 1, "ERR_INVALID_MEMORY"),
        (["link", PROBE, "about_person", KETTLE], 2, "ERR_INVALID_FLAG"),
        (["link", PROBE, "supports", PAINT], 1, "ERR_INVALID_MEMORY"),
        (["neighbors", PROBE, "--depth", "3"], 2, "ERR_INVALID_FLAG"),
        (["resolve", "areas/.."], 1, "ERR_PATH_REFUSED"),
        (["reinforce", "areas/typo.html"], 1, "ERR_PATH_NOT_FOUND"),
        (["reinforce", PROBE, "--signal", "bad"], 2, "ERR_INVALID_FLAG"),
        (["task", "status", PROBE, "done"], 1, "ERR_INVALID_MEMORY"),
        (["task", "status", PAINT, "soon"], 2, "ERR_INVALID_FLAG"),
        (["task", "add", "--title", "x", "--due", "next tuesday"], 1, "ERR_INVALID_MEMORY"),
        (["task", "list", "--due-before", "soon"], 1, "ERR_INVALID_MEMORY"),
    ],
)
def test_a_refusal_has_a_code_a_status_and_suggestions_that_parse(
    store: Path, words: list[str], status: int, code: str
) -> None:
    before = git(store, "rev-parse", "HEAD")
    ran = memhtml(*words, cwd=store)
    assert (ran.status, ran.envelope["code"]) == (status, code)
    for suggestion in ran.envelope["suggestions"]:
        parse(shlex.split(suggestion)[1:])
    assert ran.envelope["suggestions"]
    assert (git(store, "rev-parse", "HEAD"), git(store, "status", "--porcelain")) == (before, b"")
