"""The commands end to end: the real program on real stores."""

from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import memhtml, memhtml_on_a_terminal
from cli.test_process import HEAVY, imported_by
from conftest import git

from memhtml.app.setup import init
from memhtml.cli.table import COMMANDS
from memhtml.doctor.findings import FailOn

RESTORE = "projects/hive/restore.html"
FIRST = "resources/sensors/warm-up.html"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of three committed memories, not indexed yet."""
    root = init(tmp_path / "store").root
    plant(
        root,
        {
            RESTORE: memory(
                "Restore the database from last night's backup.",
                title="Restore the database",
                type_="procedural",
                metas=[("entity", "service:ingest"), ("tag", "backup")],
            ),
            FIRST: memory(title="Warm a probe up", metas=[("tag", "sensors")]),
            "archive/2026/areas/old.html": memory(
                "Restore by hand.", title="Restoring by hand", status="archived"
            ),
        },
    )
    git(root, "add", "-A")
    git(root, "commit", "-qm", "three memories")
    return root


@pytest.fixture
def indexed(store: Path) -> Path:
    assert memhtml("index", "rebuild", cwd=store).status == 0
    return store


def test_the_store_is_the_folder_one_stands_in_or_below(indexed: Path) -> None:
    assert len(memhtml("list", cwd=indexed / "projects" / "hive").data["files"]) == 2


def test_repo_wins_over_the_variable_and_the_variable_over_the_folder(indexed: Path, tmp_path: Path) -> None:
    other = init(tmp_path / "other").root
    ran = memhtml("list", "--repo", str(indexed), cwd=other, env={"MEMHTML_ROOT": str(other)})
    assert len(ran.data["files"]) == 2
    ran = memhtml("list", cwd=indexed, env={"MEMHTML_ROOT": str(other)})
    assert ran.envelope["code"] == "ERR_INDEX_MISSING"


def test_init_reports_what_it_made_and_then_that_there_is_nothing_to_do(tmp_path: Path) -> None:
    first = memhtml("init", "new", cwd=tmp_path)
    assert first.envelope["type"] == "repo.init"
    assert first.data["root"] == str(tmp_path / "new")
    assert first.data["created"] is True
    assert first.data["headSha"] == first.data["commitSha"]
    assert ".gitignore" in first.data["wrote"]
    second = memhtml("init", "--repo", str(tmp_path / "new"), cwd=tmp_path)
    assert (second.data["created"], second.data["wrote"], second.data["commitSha"]) == (False, [], None)
    assert memhtml("init", "a", "--repo", "b", cwd=tmp_path).status == 2


def test_init_without_a_folder_makes_the_default_store_below_home(tmp_path: Path) -> None:
    ran = memhtml("init", cwd=tmp_path, env={"HOME": str(tmp_path)})
    assert ran.data["root"] == str(tmp_path / "memhtml")


def test_init_in_a_clone_completes_that_clone(store: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(store), "clone")
    ran = memhtml("init", cwd=tmp_path / "clone" / "projects")
    assert ran.data["root"] == str(tmp_path / "clone")
    assert git(tmp_path / "clone", "config", "merge.ours.driver") == b"true\n"


def test_a_missing_index_is_told_with_the_command_that_makes_it(store: Path) -> None:
    for words in (["search", "x"], ["list"], ["index", "status"], ["entity", "activity"]):
        ran = memhtml(*words, cwd=store)
        assert (ran.status, ran.envelope["code"]) == (1, "ERR_INDEX_MISSING"), words
        assert ran.envelope["suggestions"] == ["memhtml index rebuild"]


def test_a_folder_that_is_no_store_is_told_as_such(tmp_path: Path) -> None:
    ran = memhtml("index", "rebuild", "--repo", str(tmp_path))
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_REPO_REQUIRED")


def test_rebuild_update_status_and_verify_agree_about_the_index(store: Path) -> None:
    rebuilt = memhtml("index", "rebuild", cwd=store)
    assert rebuilt.envelope["type"] == "index.report"
    assert rebuilt.data["mode"] == "rebuild"
    assert rebuilt.data["filesIndexed"] == 3
    plant(store, {"areas/new.html": memory("A new fact.", title="New")})
    updated = memhtml("index", "update", cwd=store).data
    assert (updated["mode"], updated["added"], updated["dirty"]) == ("update", 1, 1)
    assert memhtml("index", "update", cwd=store).data["unchanged"] is True
    status = memhtml("index", "status", cwd=store).data
    assert (status["fresh"], status["files"]) == (True, 4)
    verified = memhtml("index", "verify", cwd=store)
    assert verified.status == 0
    assert verified.data["digest"] == verified.data["expectedDigest"] == status["digest"]


def test_committed_leaves_the_working_tree_out(store: Path) -> None:
    plant(store, {"areas/new.html": memory("A new fact.", title="New")})
    assert memhtml("index", "rebuild", "--committed", cwd=store).data["filesIndexed"] == 3
    assert memhtml("index", "rebuild", cwd=store).data["filesIndexed"] == 4


def test_verify_finds_a_row_that_was_changed_behind_our_back(indexed: Path) -> None:
    import sqlite3

    with sqlite3.connect(indexed / ".memhtml" / "index.db") as connection:
        connection.execute("UPDATE files SET importance = 9 WHERE path = ?", (FIRST,))
    connection.close()
    ran = memhtml("index", "verify", cwd=indexed)
    assert ran.status == 1
    assert any(row["key"].endswith(FIRST) for row in ran.data["differences"])


def test_embedding_without_an_embedder_says_why(indexed: Path) -> None:
    ran = memhtml("index", "embed", cwd=indexed)
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_MODEL_UNAVAILABLE")
    assert "no embedder is configured" in ran.envelope["error"]


def test_a_store_that_names_an_unknown_embedder_is_a_usage_error_with_its_line(indexed: Path) -> None:
    (indexed / ".memhtml" / "config.toml").write_text('# ours\nembedder = "magic"\n')
    ran = memhtml("search", "x", cwd=indexed)
    assert (ran.status, ran.envelope["code"]) == (2, "ERR_CONFIG_INVALID")
    assert ".memhtml/config.toml:2" in ran.envelope["error"]


def test_search_answers_and_says_how(indexed: Path) -> None:
    ran = memhtml("search", "restore", "database", cwd=indexed)
    assert ran.envelope["type"] == "memory.hits"
    assert [hit["path"] for hit in ran.data["hits"]] == [RESTORE]
    assert ran.data["degraded"] is True
    assert ran.data["archivedMatches"] == 1
    assert {"title", "gist", "memoryType", "score", "confidence", "updatedAt", "snippet", "entities"} <= set(
        ran.data["hits"][0]
    )


@pytest.mark.parametrize(
    "query", ["don't restore", "service:x restore", "-restore", '"restore', "restore AND", "*"]
)
def test_no_query_is_a_driver_error(indexed: Path, query: str) -> None:
    assert memhtml("search", query, cwd=indexed).status == 0


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        (["--type", "procedural"], 1),
        (["--type", "semantic"], 0),
        (["--type", "semantic", "--type", "procedural"], 1),
        (["--tag", "backup"], 1),
        (["--entity", "Service:Ingest"], 1),
        (["--workspace", "hive"], 1),
        (["--para", "areas"], 0),
        (["--include-archived"], 2),
        (["--as-of", "2026-01-01"], 0),
        (["--as-of", "2026-04-01"], 2),
        (["--include-archived", "--limit", "1"], 1),
    ],
)
def test_flags_narrow_a_search(indexed: Path, flags: list[str], count: int) -> None:
    assert len(memhtml("search", "restore", *flags, cwd=indexed).data["hits"]) == count


def test_an_empty_scope_says_so_also_densely(indexed: Path) -> None:
    ran = memhtml("search", "restore", "--entity", "service:nothing", "--dense", cwd=indexed)
    assert ran.data["hits"] == []
    assert ran.data["scopeEmpty"] is True


def test_a_malformed_day_is_a_usage_error(indexed: Path) -> None:
    ran = memhtml("search", "x", "--as-of", "yesterday", cwd=indexed)
    assert (ran.status, ran.envelope["code"]) == (2, "ERR_INVALID_FLAG")


def test_explain_tells_what_each_arm_contributed(indexed: Path) -> None:
    (hit,) = memhtml("search", "restore", "--explain", cwd=indexed).data["hits"]
    assert hit["explanation"]["matched"] == ["restore"]
    assert {"arm", "rank", "score", "contribution"} == set(hit["explanation"]["arms"][0])


def test_a_listing_goes_on_behind_its_cursor(indexed: Path) -> None:
    first = memhtml("list", "--limit", "1", cwd=indexed).data
    second = memhtml("list", "--limit", "1", "--cursor", first["nextCursor"], cwd=indexed).data
    assert [file["path"] for file in (*first["files"], *second["files"])] == [RESTORE, FIRST]
    assert second["nextCursor"] is None


def test_reading_shows_the_memory_and_counts_it(indexed: Path) -> None:
    ran = memhtml("read", f"/{RESTORE}", cwd=indexed)
    assert ran.envelope["type"] == "memory.detail"
    assert ran.data["gist"] == "Restore the database from last night's backup."
    assert {"name": "memhtml-tag", "content": "backup"} in ran.data["metas"]
    assert (indexed / ".memhtml" / "state.db").exists()


def test_reading_what_is_not_there_leads_on(indexed: Path) -> None:
    ran = memhtml("read", "areas/old.html", cwd=indexed)
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_PATH_NOT_FOUND")
    assert ran.envelope["suggestions"]


def test_entity_activity_reports_three_clocks(indexed: Path) -> None:
    ran = memhtml("entity", "activity", "--type", "SERVICE", cwd=indexed)
    assert ran.envelope["type"] == "entity.activity"
    (row,) = ran.data["entities"]
    assert (row["entityType"], row["entityName"], row["fileCount"]) == ("service", "ingest", 1)
    assert ran.data["entityCount"] == 1


PEOPLE = [
    ("index rebuild", "rebuilt 3 memories"),
    ("index update", "up to date"),
    ("index status", "index current"),
    ("index verify", "the same as a rebuild"),
    ("search restore --explain --include-archived", "Restore the database"),
    ("search zzzz", "nothing found"),
    ("list", FIRST),
    ("list --limit 1", "--cursor"),
    ("list --workspace nowhere", "no memories"),
    (f"read {FIRST}", "Power a soil probe"),
    ("entity activity", "service:ingest"),
    ("entity activity --type nothing", "no entities"),
    ("init", "nothing to commit"),
    ("status", "index current"),
    ("doctor", "judged"),
]


@pytest.mark.parametrize(("words", "shown"), PEOPLE)
def test_a_person_reads_plain_words(indexed: Path, words: str, shown: str) -> None:
    ran = memhtml_on_a_terminal(*words.split(" "), cwd=indexed, env={"NO_COLOR": "1"})
    assert ran.status == 0, ran
    assert shown in ran.stdout.decode()
    assert "{" not in ran.stdout.decode()
    assert ran.stderr == b""


def test_a_memory_cannot_drive_the_terminal(indexed: Path) -> None:
    plant(indexed, {"areas/evil.html": memory("Boo \x1b]0;owned\x07 and \x9b31m", title="Evil \x1b[31m")})
    assert memhtml("index", "update", cwd=indexed).status == 0
    for words in ("search boo", "list", "read areas/evil.html"):
        ran = memhtml_on_a_terminal(*words.split(" "), cwd=indexed, env={"NO_COLOR": "1"})
        assert ran.status == 0
        assert b"\x1b" not in ran.stdout
        assert "\x9b" not in ran.stdout.decode()


def test_a_file_that_was_skipped_is_named_with_its_reason(store: Path) -> None:
    plant(store, {"areas/broken.html": b"<p>no memory</p>"})
    ran = memhtml("index", "rebuild", cwd=store)
    (skip,) = ran.data["skipped"]
    assert (skip["path"], skip["code"]) == ("areas/broken.html", "FORMAT_VIOLATION")
    shown = memhtml_on_a_terminal("index", "rebuild", cwd=store, env={"NO_COLOR": "1"}).stdout.decode()
    assert "areas/broken.html  FORMAT_VIOLATION" in shown


@pytest.mark.parametrize("words", ["search restore", "list", f"read {RESTORE}", "entity activity", "status"])
def test_reading_imports_nothing_that_vectors_or_writing_need(indexed: Path, words: str) -> None:
    allowed = {"read": {"selectolax"}, "status": {"selectolax", "subprocess"}}.get(words.split(" ")[0], set())
    assert not imported_by(*words.split(" "), cwd=indexed) & ((HEAVY | {"subprocess"}) - allowed)


BROKEN = memory(body="<p><mark>A second claim.</mark></p>")


def test_the_doctor_passes_a_sound_store_and_fails_one_with_a_finding(indexed: Path) -> None:
    sound = memhtml("doctor", cwd=indexed)
    assert (sound.status, sound.envelope["type"], sound.data["passed"]) == (0, "doctor.report", True)
    plant(indexed, {"areas/broken.html": BROKEN})
    ran = memhtml("doctor", cwd=indexed)
    assert ran.status == 1
    (found,) = [finding for finding in ran.data["findings"] if finding["severity"] == "error"]
    assert (found["code"], found["path"]) == ("FORMAT_VIOLATION", "areas/broken.html")
    assert isinstance(found["line"], int)
    assert memhtml("doctor", "--committed", cwd=indexed).status == 0
    assert memhtml("doctor", "--fail-on", "never", cwd=indexed).status == 0


def test_the_doctor_can_be_made_stricter(indexed: Path) -> None:
    plant(indexed, {"areas/new.html": memory("New.")})
    assert memhtml("doctor", cwd=indexed).status == 0
    assert memhtml("doctor", "--fail-on", "info", cwd=indexed).status == 1


def test_a_named_format_stands_on_stdout_as_it_is(indexed: Path) -> None:
    plant(indexed, {"areas/broken.html": BROKEN})
    text = memhtml("doctor", "--format", "text", cwd=indexed)
    assert (text.status, text.stdout.startswith(b"{")) == (1, False)
    sarif = memhtml("doctor", "--format", "sarif", cwd=indexed)
    assert (sarif.status, sarif.envelope["version"]) == (1, "2.1.0")
    github = memhtml("doctor", "--format", "github", cwd=indexed)
    assert github.status == 1
    assert b"::error " in github.stdout
    on_terminal = memhtml_on_a_terminal("doctor", "--format", "json", cwd=indexed)
    assert on_terminal.envelope["type"] == "doctor.report"


def test_a_configuration_that_cannot_be_read_is_a_finding_and_not_the_end(indexed: Path) -> None:
    (indexed / ".memhtml" / "config.toml").write_text("embedder = \n")
    ran = memhtml("doctor", cwd=indexed)
    assert "CONFIG_INVALID" in {finding["code"] for finding in ran.data["findings"]}


def test_severities_are_coloured_on_a_terminal(indexed: Path) -> None:
    plant(indexed, {"areas/broken.html": BROKEN})
    assert b"\x1b[31merror\x1b[0m" in memhtml_on_a_terminal("doctor", cwd=indexed).stdout
    assert b"\x1b" not in memhtml_on_a_terminal("doctor", cwd=indexed, env={"NO_COLOR": "1"}).stdout


def test_the_values_of_fail_on_are_those_of_the_doctor() -> None:
    (flag,) = [f for c in COMMANDS if c.name == "doctor" for f in c.flags if f.name == "fail-on"]
    assert flag.values == tuple(FailOn)


def test_status_tells_the_store_and_its_index(store: Path) -> None:
    before = memhtml("status", cwd=store)
    assert before.envelope["type"] == "status.health"
    assert (before.data["indexFresh"], before.data["indexProblem"]) == (False, "ERR_INDEX_MISSING")
    assert memhtml("index", "rebuild", cwd=store).status == 0
    after = memhtml("status", cwd=store).data
    assert (after["root"], after["indexFresh"]) == (str(store), True)
    assert after["countsByType"] == {"procedural": 1, "semantic": 1}
    plant(store, {"areas/new.html": memory("New.")})
    git(store, "add", "-A")
    git(store, "commit", "-qm", "new")
    assert memhtml("status", cwd=store).data["indexFresh"] is False
    shown = memhtml_on_a_terminal("status", cwd=store, env={"NO_COLOR": "1"}).stdout.decode()
    assert "index behind; run `memhtml index update`" in shown
