"""Generated pages follow the memories, are the same bytes for the same memories, and never replace somebody's own."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from builders import memory, plant
from conftest import git
from integration.doctor.stores import GOOD, codes, commit, examine, good_store, store_of
from selectolax.lexbor import LexborHTMLParser

from memhtml.app.publishing import Published, publish
from memhtml.app.retrieval import list_memories
from memhtml.errors import DirtyTree

PAGES = (
    "archive/2025/index.html",
    "archive/2025/resources/index.html",
    "archive/2025/resources/sensors/index.html",
    "archive/index.html",
    "index.html",
    "projects/index.html",
    "projects/kettle/index.html",
    "projects/kettle/tasks/index.html",
    "resources/index.html",
    "resources/sensors/index.html",
    "sitemap.xml",
)


def run(root: Path) -> Published:
    return publish(store_of(root))


def test_every_folder_with_memories_and_those_above_get_a_page_in_one_commit(repo: Path) -> None:
    root = good_store(repo)
    done = run(root)
    assert done.paths == PAGES
    assert (done.artifacts, done.written) == (11, 11)
    assert git(root, "log", "-1", "--format=%s").strip() == b"memhtml(publish): 11 generated pages"
    assert git(root, "status", "--porcelain") == b""
    assert codes(examine(root)) == []


def test_a_second_run_commits_nothing_and_a_clone_gives_the_same_bytes(repo: Path, tmp_path: Path) -> None:
    root = good_store(repo)
    run(root)
    assert (run(root).written, run(root).commit_sha) == (0, None)
    git(root, "rm", "-q", "--", *PAGES)
    git(root, "commit", "-qm", "without pages")
    git(tmp_path, "clone", "-q", str(root), "clone")
    run(tmp_path / "clone")
    for page in PAGES:
        assert (tmp_path / "clone" / page).read_bytes() == git(root, "show", f"HEAD~1:{page}")


def test_a_page_lists_folders_and_memories_with_titles_and_claims_escaped(repo: Path) -> None:
    root = good_store(
        repo,
        {
            "areas/x & <y>.html": memory("Is 1 < 2 & 'so'?", title='<script>"&'),
            "areas/in/z.html": memory("Z."),
        },
    )
    run(root)
    page = LexborHTMLParser((root / "areas" / "index.html").read_bytes())
    assert page.css_first("mark").text() == "areas/ holds 2 memories."
    assert [a.attributes["href"] for a in page.css("li a")] == [
        "/areas/in/index.html",
        "/areas/x%20%26%20%3Cy%3E.html",
    ]
    assert page.css("li a")[1].text() == '<script>"&'
    assert "Is 1 < 2 & 'so'?" in page.css("li")[1].text()
    assert page.css("script") == []
    one = LexborHTMLParser((root / "areas" / "in" / "index.html").read_bytes())
    assert one.css_first("mark").text() == "areas/in/ holds 1 memory."


def test_the_map_is_xml_and_names_every_memory(repo: Path) -> None:
    root = good_store(repo, {"areas/a&b.html": memory("A.")})
    run(root)
    tree = ElementTree.fromstring((root / "sitemap.xml").read_bytes())
    found = [place.text for place in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert found == ["/archive/2025/resources/sensors/old.html", "/areas/a%26b.html"] + [
        f"/{path}" for path in sorted(GOOD) if not path.startswith("archive")
    ]


def test_pages_are_no_memories(repo: Path) -> None:
    root = good_store(repo)
    run(root)
    found = {file.path for file in list_memories(store_of(root)).files}
    assert found == {path for path in GOOD if "archive" not in path and "tasks" not in path}


def test_a_page_of_a_folder_that_lost_its_memories_goes(repo: Path) -> None:
    root = good_store(repo, {"areas/in/z.html": memory("Z.")})
    run(root)
    commit(root, {"areas/in/z.html": None})
    done = run(root)
    assert done.removed == ("areas/in/index.html", "areas/index.html")
    assert not (root / "areas").exists()
    assert set(done.paths) == {"index.html", "sitemap.xml"}


def test_a_page_of_somebodys_own_is_left_alone(repo: Path) -> None:
    own = {"index.html": b"<h1>Mine</h1>", "resources/index.html": b"mine", "areas/none/index.html": b"mine"}
    root = good_store(repo, own)
    done = run(root)
    assert done.left == ("index.html", "resources/index.html")
    assert {name: (root / name).read_bytes() for name in own} == own


def test_uncommitted_changes_of_a_page_refuse_the_run(repo: Path) -> None:
    root = good_store(repo)
    run(root)
    plant(root, {"index.html": b"mine"})
    commit_one = memory("New.")
    plant(root, {"areas/new.html": commit_one})
    git(root, "add", "areas")
    git(root, "commit", "-qm", "new")
    head = git(root, "rev-parse", "HEAD")
    with pytest.raises(DirtyTree):
        run(root)
    assert git(root, "rev-parse", "HEAD") == head
    assert (root / "index.html").read_bytes() == b"mine"


def test_a_store_without_memories_and_one_in_a_folder_have_pages_of_their_own(repo: Path) -> None:
    root = repo / "notes"
    plant(
        repo,
        {
            "index.html": b"<h1>The project</h1>",
            "notes/areas/a.html": memory("A."),
            "notes/areas/bad.html": b"x",
        },
    )
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "one")
    assert run(root).paths == ("areas/index.html", "index.html", "sitemap.xml")
    assert (repo / "index.html").read_bytes() == b"<h1>The project</h1>"
    git(repo, "rm", "-q", "notes/areas/a.html")
    git(repo, "commit", "-qm", "none")
    assert run(root).removed == ("areas/index.html",)
    assert "holds 0 memories" in (root / "index.html").read_text()
