"""A fact's history follows the fact: through moves, corrections and the archive, in any kind of repository."""

from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import memhtml
from conftest import git

from memhtml.app.differences import Added, Changed, Moved, Retired, diff
from memhtml.app.past import Became, blame, history
from memhtml.app.wire import open_store
from memhtml.errors import GitFailed, PathNotFound, UnexpectedArgument

A = "areas/kettle.html"
B = "areas/kettle-2.html"
GONE = f"archive/2026/{A}"
COLD, WARM = "The kettle boils at 94 degrees.", "The kettle boils at 96 degrees."


def record(root: Path, files: dict[str, bytes | None], message: str) -> str:
    for name, data in files.items():
        if data is None:
            (root / name).unlink()
    plant(root, {name: data for name, data in files.items() if data is not None})
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)
    return git(root, "rev-parse", "HEAD").decode().strip()


@pytest.fixture
def kettle(repo: Path) -> Path:
    """A fact that is written, corrected by another memory, and whose second form is then moved and edited."""
    record(repo, {A: memory(COLD, title="Kettle")}, "one\n\nMemhtml-Session: s1\nMemhtml-Prompt: p1")
    record(
        repo,
        {
            A: None,
            GONE: memory(COLD, title="Kettle", status="archived", metas=[("superseded-by", f"/{B}")]),
            B: memory(WARM, title="Kettle", links=[("supersedes", f"/{GONE}")]),
        },
        "two\n\nMemhtml-Session: s2",
    )
    return repo


def told(root: Path, path: str) -> list[tuple[Became, str, str | None]]:
    return [(m.became, m.path, m.from_path) for m in history(open_store(root), path).moments]


def test_a_correction_leads_on_to_the_memory_whose_place_it_took(kettle: Path) -> None:
    assert told(kettle, B) == [(Became.CORRECTED, B, A), (Became.WRITTEN, A, None)]
    newest, oldest = history(open_store(kettle), f"/{B}").moments
    assert (newest.claim, newest.session_id, newest.subject) == (WARM, "s2", "two")
    assert (oldest.claim, oldest.session_id, oldest.prompt_id) == (COLD, "s1", "p1")


def test_the_archived_form_comes_from_where_it_was_written(kettle: Path) -> None:
    assert told(kettle, GONE) == [(Became.MOVED, GONE, A), (Became.WRITTEN, A, None)]


def test_a_memory_that_is_gone_still_has_its_history(kettle: Path) -> None:
    assert told(kettle, A) == [(Became.REMOVED, A, None), (Became.WRITTEN, A, None)]


def test_moves_edits_and_new_claims_are_told_apart(kettle: Path) -> None:
    record(kettle, {B: memory(WARM, title="Kettle", metas=[("tag", "kitchen")])}, "edited")
    record(kettle, {B: None, "projects/tea/k.html": memory(WARM, title="Kettle")}, "moved")
    record(kettle, {"projects/tea/k.html": memory("It is broken.", title="Kettle")}, "claimed")
    assert [kind for kind, _, _ in told(kettle, "projects/tea/k.html")] == [
        Became.CLAIMED,
        Became.MOVED,
        Became.EDITED,
        Became.CORRECTED,
        Became.WRITTEN,
    ]


def test_a_limit_says_that_there_is_more(kettle: Path) -> None:
    short = history(open_store(kettle), B, limit=1)
    assert (len(short.moments), short.truncated) == (1, True)
    assert history(open_store(kettle), B, limit=2).truncated is False


@pytest.mark.parametrize("path", ["areas/never.html", "README.md", "", "../x.html", "areas/\0.html"])
def test_a_path_without_a_past_is_not_found(kettle: Path, path: str) -> None:
    with pytest.raises(PathNotFound):
        history(open_store(kettle), path)
    with pytest.raises(PathNotFound):
        blame(open_store(kettle), path)


def test_each_line_names_the_commit_and_session_that_it_stands_so_since(kettle: Path) -> None:
    groups = blame(open_store(kettle), GONE).lines
    text = [line for group in groups for line in group.text]
    assert text == (kettle / GONE).read_text().splitlines()
    assert [group.first_line for group in groups[1:]] == [group.last_line + 1 for group in groups[:-1]]
    claim = next(group for group in groups if any(COLD in line for line in group.text))
    status = next(group for group in groups if any("memhtml-status" in line for line in group.text))
    assert (claim.session_id, status.session_id) == ("s1", "s2")


def test_past_works_in_a_folder_of_a_larger_repository_and_in_a_shallow_clone(
    repo: Path, tmp_path: Path
) -> None:
    store = repo / "notes"
    record(repo, {f"notes/{A}": memory(COLD)}, "one")
    last = record(repo, {f"notes/{A}": memory(WARM)}, "two")
    assert [m.became for m in history(open_store(store), A).moments] == [Became.CLAIMED, Became.WRITTEN]
    assert {group.subject for group in blame(open_store(store), A).lines} == {"one", "two"}
    assert [c.claim for c in diff(open_store(store), "HEAD~1..").changed] == [WARM]
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
    shallow = open_store(tmp_path / "shallow" / "notes")
    assert [(m.became, m.commit_sha) for m in history(shallow, A).moments] == [(Became.WRITTEN, last)]


def test_a_correction_is_a_change_and_not_a_loss_and_a_gain(kettle: Path) -> None:
    told = diff(open_store(kettle), "HEAD~1..HEAD")
    assert told.changed == (Changed(B, WARM, A, COLD),)
    assert (told.added, told.retired, told.moved, told.edited) == ((), (), (), ())


def test_a_difference_the_other_way_round_gives_back_what_was_there(kettle: Path) -> None:
    told = diff(open_store(kettle), "..HEAD~1")
    assert [(new.path, new.claim, new.restored_from) for new in told.added] == [(A, COLD, GONE)]
    assert told.retired == (Retired(B, WARM, None),)


def test_additions_retirements_moves_and_edits_stand_apart(kettle: Path) -> None:
    record(
        kettle,
        {
            "areas/x.html": memory("X stays.", title="X"),
            "areas/y.html": memory("Y leaves.", title="Y"),
            "areas/z.html": memory("Z wanders.", title="Z"),
        },
        "more",
    )
    record(
        kettle,
        {
            "areas/x.html": memory("X stays.", title="X", metas=[("tag", "t")]),
            "areas/y.html": None,
            "archive/2026/areas/y.html": memory("Y leaves.", title="Y", status="archived"),
            "areas/z.html": None,
            "resources/z.html": memory("Z wanders.", title="Z"),
            "areas/new.html": memory("New.", title="New"),
            "areas/index.html": b"<p>a listing",
            "areas/bad.html": b"<p>no memory",
        },
        "changes",
    )
    told = diff(open_store(kettle), "HEAD~1..HEAD")
    assert told.added == (Added("areas/new.html", "New."),)
    assert told.retired == (Retired("areas/y.html", "Y leaves.", "archive/2026/areas/y.html"),)
    assert told.moved == (Moved("resources/z.html", "areas/z.html"),)
    assert (told.edited, told.changed) == (("areas/x.html",), ())
    assert diff(open_store(kettle), "HEAD").added == ()


@pytest.mark.parametrize("span", ["nothing..HEAD", "--all..HEAD", "HEAD..-x", "a\0b", "HEAD^{tree}"])
def test_a_name_of_no_commit_is_refused_whatever_it_looks_like(kettle: Path, span: str) -> None:
    with pytest.raises(GitFailed):
        diff(open_store(kettle), span)


def test_three_dots_are_a_wrong_call(kettle: Path) -> None:
    with pytest.raises(UnexpectedArgument):
        diff(open_store(kettle), "HEAD~1...HEAD")


def test_the_commands_answer_with_envelopes_and_with_text(kettle: Path) -> None:
    at = ("--repo", str(kettle))
    ran = memhtml("history", B, *at)
    assert [m["became"] for m in ran.data["moments"]] == ["corrected", "written"]
    assert memhtml("blame", B, *at).data["lines"][0]["firstLine"] == 1
    assert memhtml("diff", "HEAD~1..HEAD", *at).data["changed"][0]["fromClaim"] == COLD
    assert memhtml("history", "areas/never.html", *at).envelope["code"] == "ERR_PATH_NOT_FOUND"
