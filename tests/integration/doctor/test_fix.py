"""What needs no decision is mended: in heads alone, in one commit, and never over somebody's own work."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import memhtml
from conftest import git
from integration.doctor.stores import AT, KETTLE, PROBE, codes, commit, examine, good_store, indexed, store_of

from memhtml.app.mending import Repaired, mend
from memhtml.db.open import attach_state
from memhtml.format.edit import read_meta
from memhtml.format.parse import parse
from memhtml.resources import migrations
from memhtml.values import Plane

LINKED = "areas/linked.html"
GONE = memory("A gauge drifts.", title="Drift", links=[("relates_to", "/areas/nowhere.html")])


def fix(root: Path, *, dry_run: bool = False) -> Repaired:
    return mend(store_of(root), examine(root), dry_run=dry_run)


def head(root: Path) -> bytes:
    return git(root, "rev-parse", "HEAD").strip()


def article(data: bytes) -> bytes:
    return data[data.index(b"<article>") :]


def test_a_link_to_nowhere_is_dropped_and_the_article_keeps_its_bytes(repo: Path) -> None:
    root = good_store(repo, {LINKED: GONE})
    done = fix(root)
    assert (done.dropped, done.rewritten) == (1, 0)
    after = (root / LINKED).read_bytes()
    assert b"nowhere" not in after
    assert article(after) == article(GONE)
    assert parse(after).content_hash == parse(GONE).content_hash
    assert read_meta(after, "updated") == AT
    assert codes(examine(root)) == []
    assert git(root, "log", "-1", "--format=%s").strip() == b"memhtml(link): repair 1 dangling link"
    assert git(root, "status", "--porcelain").strip() == b""


def test_a_link_to_an_archived_memory_is_led_to_the_archive(repo: Path) -> None:
    links = [("supports", f"/{PROBE}"), ("relates_to", f"/{KETTLE}"), ("example_of", f"/{PROBE}")]
    root = good_store(repo, {LINKED: memory("A gauge drifts.", title="Drift", links=links)})
    gone = f"archive/2026/{KETTLE}"
    stamped = memory("The kettle boils at 94 degrees.", title="Kettle", status="archived")
    commit(root, {KETTLE: None, gone: stamped})
    done = fix(root)
    assert (done.rewritten, done.dropped) == (2, 0)
    hrefs = [(link.rel, link.href) for link in parse((root / LINKED).read_bytes()).links]
    assert hrefs == [
        ("memhtml-supports", f"/{PROBE}"),
        ("memhtml-relates-to", f"/{gone}"),
        ("memhtml-example-of", f"/{PROBE}"),
    ]
    assert codes(examine(root)) == []


def test_a_link_that_is_spelt_as_an_address_is_spelt_as_the_path(repo: Path) -> None:
    links = [("relates_to", f"/{KETTLE}#top"), ("relates_to", f"/{PROBE}?x=1"), ("relates_to", f"/{PROBE}")]
    root = good_store(repo, {LINKED: memory("A gauge drifts.", title="Drift", links=links)})
    fix(root)
    assert [link.href for link in parse((root / LINKED).read_bytes()).links] == [f"/{KETTLE}", f"/{PROBE}"]
    assert codes(examine(root)) == []


def test_a_dry_run_says_the_same_and_writes_nothing(repo: Path) -> None:
    root = good_store(repo, {LINKED: GONE})
    before = head(root), (root / LINKED).read_bytes()
    planned = fix(root, dry_run=True)
    assert (planned.dropped, planned.commit_sha) == (1, None)
    assert (head(root), (root / LINKED).read_bytes()) == before
    assert not (root / ".memhtml" / "index.db").exists()
    assert fix(root).steps == planned.steps


def test_a_file_with_uncommitted_changes_is_left_to_whoever_changed_it(repo: Path) -> None:
    root = good_store(
        repo, {LINKED: GONE, "areas/other.html": memory("B.", links=[("supports", "/areas/x.html")])}
    )
    plant(root, {LINKED: GONE.replace(b"drifts", b"drifted")})
    done = fix(root)
    assert (done.dropped, done.left) == (1, (LINKED,))
    assert (root / LINKED).read_bytes() == GONE.replace(b"drifts", b"drifted")
    assert "LINK_DANGLING" in codes(examine(root))


def test_a_link_to_a_file_that_is_not_committed_yet_stays(repo: Path) -> None:
    root = good_store(repo, {LINKED: GONE})
    plant(root, {"areas/nowhere.html": memory("Nowhere is somewhere.", title="Nowhere")})
    assert fix(root).steps == ()


def test_a_target_whose_removal_is_not_committed_stays_linked(repo: Path) -> None:
    root = good_store(repo)
    (root / KETTLE).unlink()
    before = head(root)
    done = fix(root)
    assert (done.steps, done.left) == ((), (PROBE,))
    assert head(root) == before


@pytest.mark.parametrize("algorithm", ["blake3", "sha256"])
def test_a_wrong_stamp_is_stated_anew_in_its_own_algorithm_and_no_date_moves(
    repo: Path, algorithm: str
) -> None:
    wrong = memory("A gauge drifts.", title="Drift", metas=[("content-hash", f"{algorithm}:" + "0" * 64)])
    root = good_store(repo, {LINKED: wrong})
    assert fix(root).stamped == 1
    after = (root / LINKED).read_bytes()
    stamp = read_meta(after, "content-hash") or ""
    assert stamp.startswith(f"{algorithm}:")
    assert stamp != f"{algorithm}:" + "0" * 64
    assert read_meta(after, "updated") == read_meta(wrong, "updated")
    assert codes(examine(root)) == []
    assert git(root, "log", "-1", "--format=%s").strip() == b"memhtml(doctor): mend 1 head"


def test_a_head_is_mended_to_say_what_the_place_says(repo: Path) -> None:
    root = good_store(
        repo,
        {
            "archive/2026/areas/moved.html": memory("Moved by hand.", title="Moved"),
            "areas/back.html": memory(
                "Back again.", title="Back", metas=[("archived", "2026-01-01T00:00:00Z")]
            ),
        },
    )
    assert [f.fixable for f in examine(root).findings if f.code == "STATUS_MISPLACED"] == [True, True]
    assert fix(root).restated == 2
    assert codes(examine(root)) == []


def test_an_archived_status_outside_of_the_archive_needs_a_decision(repo: Path) -> None:
    root = good_store(repo, {LINKED: memory("Which is it.", title="Which", status="archived")})
    assert [f.fixable for f in examine(root).findings if f.code == "STATUS_MISPLACED"] == [False]
    assert fix(root).steps == ()


def test_counts_of_paths_that_no_file_has_are_deleted_and_those_of_an_uncommitted_removal_kept(
    repo: Path,
) -> None:
    root = indexed(good_store(repo))
    with closing(sqlite3.connect(":memory:", isolation_level=None, uri=True)) as connection:
        attach_state(
            connection,
            root / ".memhtml" / "state.db",
            mode="write",
            migrations=migrations(Plane.STATE),
            now=AT,
        )
        for path in ("areas/gone.html", KETTLE, PROBE):
            connection.execute(
                "INSERT INTO state.access (path, access_count, updated_at) VALUES (?, 3, ?)", (path, AT)
            )
    (root / KETTLE).unlink()
    assert fix(root, dry_run=True).pruned_access_rows == 1
    assert fix(root).pruned_access_rows == 1
    with closing(sqlite3.connect(root / ".memhtml" / "state.db")) as connection:
        assert [row[0] for row in connection.execute("SELECT path FROM access ORDER BY path")] == [
            KETTLE,
            PROBE,
        ]


def test_the_command_checks_again_and_its_status_says_what_is_left(repo: Path) -> None:
    root = good_store(repo, {LINKED: GONE, "areas/bad.html": b"<p>no memory"})
    planned = memhtml("doctor", "--fix", "--dry-run", "--repo", str(root))
    assert (planned.status, planned.data["repaired"]["dropped"]) == (1, 1)
    assert planned.data["dangling"] != []
    ran = memhtml("doctor", "--fix", "--repo", str(root))
    assert (ran.status, ran.data["dangling"]) == (1, [])
    assert ran.data["repaired"]["commitSha"] == head(root).decode()
    assert ran.data["indexFresh"] is True
    commit(root, {"areas/bad.html": None})
    assert memhtml("doctor", "--fix", "--repo", str(root)).status == 0
    text = memhtml("doctor", "--fix", "--format", "text", "--repo", str(root)).stdout.decode()
    assert text.startswith("nothing can be mended without a decision\n")


def test_flags_that_contradict_each_other_are_a_wrong_call(repo: Path) -> None:
    root = good_store(repo)
    assert memhtml("doctor", "--dry-run", "--repo", str(root)).status == 2
    assert memhtml("doctor", "--fix", "--committed", "--repo", str(root)).status == 2
