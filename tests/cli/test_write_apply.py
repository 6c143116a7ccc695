"""`write` and `apply` end to end: the real program, its streams and its exit status."""

import json
from pathlib import Path

import pytest
from cli.processes import Ran, memhtml, memhtml_on_a_terminal
from conftest import git
from integration.store.conftest import committed, everything_in, head

from memhtml.app.setup import init

ARTICLE = (
    '<p><mark>The gauge was read.</mark> On <time datetime="2026-03-08">8 March</time>.</p>'
    "<table><tr><td>bay</td><td>4</td></tr></table>"
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = init(tmp_path / "store").root
    git(root, "config", "gc.auto", "0")
    return root


def write(store: Path, *flags: str) -> Ran:
    return memhtml("write", "--title", "Warm probes up", "--type", "procedural", *flags, cwd=store)


def lines(*ops: dict[str, object]) -> bytes:
    given = ({"op": "write", "title": "A title", "type": "semantic", **op} for op in ops)
    return b"".join(json.dumps(op).encode() + b"\n" for op in given)


def apply(store: Path, data: bytes, *flags: str) -> Ran:
    return memhtml("apply", *flags, cwd=store, stdin=data)


def test_a_memory_is_written_where_its_workspace_is_with_its_session(store: Path) -> None:
    ran = write(store, "--claim", "Power a probe first.", "--workspace", "Green", "--session-id", "s-1")
    assert (ran.status, ran.envelope["type"]) == (0, "memory.written")
    assert set(ran.data) == {
        "path",
        "created",
        "deduped",
        "existingPath",
        "commitSha",
        "contentHash",
        "similar",
        "warnings",
    }
    assert (ran.data["path"], ran.data["created"]) == ("projects/green/warm-probes-up.html", True)
    assert ran.data["commitSha"] == head(store)
    shown = memhtml("read", ran.data["path"], cwd=store).data
    assert shown["gist"] == "Power a probe first."
    assert {"name": "memhtml-session", "content": "s-1"} in shown["metas"]
    assert git(store, "status", "--porcelain") == b""


def test_writing_the_same_again_answers_with_what_is_there(store: Path) -> None:
    first = write(store, "--claim", "Power a probe first.").data
    before = everything_in(store)
    ran = write(store, "--claim", "Power a probe first.")
    assert ran.status == 0
    assert (ran.data["created"], ran.data["deduped"], ran.data["existingPath"], ran.data["commitSha"]) == (
        False,
        True,
        first["path"],
        None,
    )
    assert everything_in(store) == before


def test_prose_is_escaped_and_markup_kept(store: Path) -> None:
    prose = write(store, "--claim", "Never use <script>.", "--body", "A <b>tag</b>\n\n```sh\nls\n```").data[
        "path"
    ]
    text = (store / prose).read_text()
    assert "<mark>Never use &lt;script&gt;.</mark> A &lt;b&gt;tag&lt;/b&gt;</p>" in text
    assert '<code data-lang="sh">ls</code>' in text
    markup = write(store, "--article-html", ARTICLE).data["path"]
    assert '<time datetime="2026-03-08">8 March</time>' in (store / markup).read_text()
    assert "<td>bay</td>" in (store / markup).read_text()


def test_markup_that_breaks_the_rules_is_refused_with_every_violation(store: Path) -> None:
    before = everything_in(store)
    ran = write(store, "--article-html", '<p onclick="x()">no claim</p>')
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_INVALID_MEMORY")
    assert {violation["code"] for violation in ran.envelope["violations"]} == {
        "mark-missing",
        "event-handler",
    }
    assert everything_in(store) == before


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ((), "ERR_MISSING_ARGUMENT"),
        (("--claim", "  "), "ERR_MISSING_ARGUMENT"),
        (("--claim", "x", "--article-html", ARTICLE), "ERR_INVALID_FLAG"),
        (("--body", "x", "--article-html", ARTICLE), "ERR_INVALID_FLAG"),
        (("--claim", "x", "--importance", "11"), "ERR_INVALID_FLAG"),
        (("--claim", "x", "--importance", "many"), "ERR_INVALID_FLAG"),
        (("--claim", "x", "--confidence", "1.5"), "ERR_INVALID_FLAG"),
        (("--claim", "x", "--confidence", "sure"), "ERR_INVALID_FLAG"),
        (("--claim", "x", "--type", "arc"), "ERR_INVALID_FLAG"),
        (("--claim", "x", "--allow-secret", "ANYTHING"), "ERR_INVALID_FLAG"),
    ],
)
def test_a_wrong_call_is_refused_before_the_store_is_looked_at(
    store: Path, flags: tuple[str, ...], code: str
) -> None:
    before = everything_in(store)
    ran = write(store, *flags)
    assert (ran.status, ran.envelope["code"]) == (2, code)
    assert ran.envelope["suggestions"]
    assert everything_in(store) == before


@pytest.mark.parametrize("missing", [("--title", "x"), ("--type", "semantic")])
def test_title_and_type_are_required(store: Path, missing: tuple[str, ...]) -> None:
    ran = memhtml("write", *missing, "--claim", "x", cwd=store)
    assert (ran.status, ran.envelope["code"]) == (2, "ERR_MISSING_ARGUMENT")


def test_a_secret_is_refused_and_a_false_alarm_let_through(store: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    ran = write(store, "--claim", f"Use {token}.")
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_SECRET_REFUSED")
    assert token not in ran.stdout.decode()
    assert write(store, "--claim", f"Use {token}.", "--allow-secret", "GITHUB_TOKEN").data["created"]


def test_a_person_is_told_what_became_of_it(store: Path) -> None:
    call = ("write", "--title", "T", "--type", "semantic", "--claim", "A claim of some words here.")
    first = memhtml_on_a_terminal(*call, cwd=store, env={"NO_COLOR": "1"})
    assert first.stdout.decode() == "wrote areas/inbox/t.html\n"
    again = memhtml_on_a_terminal(*call, cwd=store, env={"NO_COLOR": "1"})
    assert again.stdout.decode() == "known areas/inbox/t.html says the same; nothing was written\n"


@pytest.mark.parametrize("how", ["word", "nothing", "file"])
def test_ops_are_read_from_standard_input_or_a_file(store: Path, tmp_path: Path, how: str) -> None:
    data = lines({"body": "One."}, {"body": "Two."}, {"body": "Three."})
    before = head(store)
    if how == "file":
        (tmp_path / "ops.jsonl").write_bytes(data)
        ran = memhtml("apply", "--file", str(tmp_path / "ops.jsonl"), cwd=store)
    else:
        ran = apply(store, data, *(["-"] if how == "word" else []))
    assert (ran.status, ran.envelope["type"]) == (0, "batch.applied")
    assert [row["path"] for row in ran.data["results"]] == [
        f"areas/inbox/a-title{tail}.html" for tail in ("", "-2", "-3")
    ]
    assert git(store, "rev-list", f"{before}..HEAD").decode().split() == [ran.data["commit_sha"]]


def test_every_key_of_a_result_is_there_and_absent_is_null(store: Path) -> None:
    ran = apply(store, lines({"body": "One."}))
    assert ran.data["results"] == [
        {
            "index": 0,
            "ok": True,
            "path": "areas/inbox/a-title.html",
            "deduped": False,
            "existing_path": None,
            "code": None,
            "error": None,
            "skipped": False,
            "conflict": None,
            "consolidated_into": None,
            "superseded_path": None,
        }
    ]
    assert ran.data["summary"] == {
        "total": 1,
        "written": 1,
        "deduped": 0,
        "failed": 0,
        "skipped": 0,
        "consolidated": 0,
    }


def test_a_refused_op_makes_the_exit_status_1_and_writes_nothing_unless_asked(store: Path) -> None:
    apply(store, lines({"body": "First."}))
    data = lines({"body": "One."}, {"body": "Two.", "type": "folklore"}, {"body": "Three."})
    before = everything_in(store)
    ran = apply(store, data)
    assert ran.status == 1
    assert [(row["ok"], row["skipped"], row["code"]) for row in ran.data["results"]] == [
        (False, True, None),
        (False, False, "ERR_INVALID_MEMORY"),
        (False, True, None),
    ]
    assert everything_in(store) == before
    ran = apply(store, data, "--continue-on-error")
    assert (ran.status, ran.data["summary"]["written"]) == (1, 2)
    assert len(committed(store)) == 3


@pytest.mark.parametrize(
    ("data", "code", "told"),
    [
        (b"", "ERR_MISSING_ARGUMENT", "no ops"),
        (lines({"body": "One."}) + b"{nonsense", "ERR_INVALID_FLAG", "line 2"),
        (lines({"body": "One.", "op": "delete"}), "ERR_INVALID_FLAG", "the ops are write"),
        (lines({"body": "One.", "sesion_id": "x"}), "ERR_INVALID_FLAG", "session_id"),
        (lines({"body": "One.", "title": ""}), "ERR_MISSING_ARGUMENT", "title"),
    ],
)
def test_a_stream_of_the_wrong_shape_is_refused_whole(store: Path, data: bytes, code: str, told: str) -> None:
    before = everything_in(store)
    ran = apply(store, data)
    assert (ran.status, ran.envelope["code"]) == (2, code)
    assert told in ran.envelope["error"]
    assert everything_in(store) == before


def test_a_file_that_is_not_there_is_named(store: Path) -> None:
    ran = memhtml("apply", "--file", "no/such.jsonl", cwd=store)
    assert (ran.status, ran.envelope["code"]) == (2, "ERR_PATH_NOT_FOUND")
    assert "no/such.jsonl" in ran.envelope["error"]
    both = apply(store, lines({"body": "x"}), "-", "--file", "no/such.jsonl")
    assert (both.status, both.envelope["code"]) == (2, "ERR_INVALID_FLAG")


def test_a_terminal_is_no_stream_of_ops(store: Path) -> None:
    ran = memhtml_on_a_terminal("apply", "--json", cwd=store)
    assert (ran.status, ran.envelope["code"]) == (2, "ERR_MISSING_ARGUMENT")


def test_conflicts_and_consolidation_are_told_in_the_results(store: Path) -> None:
    held = apply(store, lines({"body": "The deploy branch is main."})).data["results"][0]["path"]
    told = apply(store, lines({"body": "The deploy branch is trunk."}), "--detect-conflicts")
    assert told.data["results"][0]["conflict"] == {
        "path": held,
        "batch_index": None,
        "claim": "The deploy branch is main.",
    }
    assert [(near["index"], near["path"]) for near in told.data["similar"]] == [(0, held)]
    data = lines({"body": "The tide table is old."}, {"body": "The tide table is new."})
    ran = apply(store, data, "--consolidate", "last-wins")
    assert [row["consolidated_into"] for row in ran.data["results"]] == [None, 0]
    again = apply(store, lines({"body": "The tide table is gone."}), "--consolidate", "last-wins")
    assert again.data["results"][0]["superseded_path"] == ran.data["results"][0]["path"]
    assert memhtml("apply", "--consolidate", "first-wins", cwd=store).status == 2


def test_a_batch_of_twenty_with_two_repetitions_is_eighteen_memories(store: Path) -> None:
    facts: list[dict[str, object]] = [{"body": f"Fact number {n} is known. More words."} for n in range(17)]
    batch = [*facts, {"article_html": ARTICLE}, facts[3], facts[5]]
    ran = apply(store, lines(*batch), "--session-id", "s-1")
    assert ran.data["summary"] == {
        "total": 20,
        "written": 18,
        "deduped": 2,
        "failed": 0,
        "skipped": 0,
        "consolidated": 0,
    }
    assert [row["index"] for row in ran.data["results"] if row["deduped"]] == [18, 19]
    assert git(store, "log", "-1", "--format=%s%n%(trailers)").decode().split("\n")[:2] == [
        "memhtml(batch): 18 memories",
        "Memhtml-Session: s-1",
    ]
    assert memhtml("index", "status", cwd=store).data["files"] == 18
    assert memhtml("doctor", cwd=store).status == 0


def test_a_person_is_told_of_every_op(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "ops.jsonl"
    file.write_bytes(lines({"body": "One."}, {"body": "One."}, {"body": "Two.", "type": "x"}))
    call = ("apply", "--file", str(file), "--continue-on-error")
    shown = memhtml_on_a_terminal(*call, cwd=store, env={"NO_COLOR": "1"})
    assert shown.status == 1
    told = shown.stdout.decode().splitlines()
    assert told[:2] == ["   1. wrote areas/inbox/a-title.html", "   2. known areas/inbox/a-title.html"]
    assert told[2].startswith("   3. refused the type is one of episodic")
    assert told[3] == "3 ops: 1 written, 1 deduped, 1 failed"


def test_writing_needs_a_store(tmp_path: Path) -> None:
    ran = memhtml("write", "--title", "x", "--type", "semantic", "--claim", "x", "--repo", str(tmp_path))
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_REPO_REQUIRED")
