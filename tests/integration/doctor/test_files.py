"""Findings about single files, judged without an index."""

from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from integration.doctor.stores import codes, commit, examine, good_store, only

from memhtml.doctor.findings import FindingCode, Severity
from memhtml.format import content_hash
from memhtml.format.rules import ViolationCode

X = "areas/inbox/x.html"


def test_a_good_store_without_an_index_has_nothing_but_that_note(repo: Path) -> None:
    report = examine(good_store(repo))
    (found,) = report.findings
    assert found.code is FindingCode.INDEX_MISSING
    assert found.severity is Severity.INFO
    assert report.healthy
    assert report.passed
    assert (report.files, report.memories) == (4, 4)
    assert report.index_fresh is None
    assert not (repo / ".memhtml").exists()


def test_a_file_without_a_claim_is_a_violation_at_its_article(repo: Path) -> None:
    report = examine(good_store(repo, {X: memory(article="<p>Nothing is marked.</p>")}))
    found = only(report, FindingCode.FORMAT_VIOLATION)
    assert (found.path, found.rule) == (X, ViolationCode.MARK_MISSING)
    assert found.line is not None
    assert (repo / X).read_text().splitlines()[found.line - 1] == "<article>"
    assert report.unparseable == (X,)
    assert report.exit_status == 1


def test_every_violation_of_a_file_is_a_finding_of_its_own(repo: Path) -> None:
    broken = memory(status="gone", article='<p class="big">No claim.</p><script>x</script>')
    report = examine(good_store(repo, {X: broken}))
    assert {str(f.rule) for f in report.findings if f.code is FindingCode.FORMAT_VIOLATION} == {
        "status-unknown",
        "mark-missing",
        "forbidden-attribute",
        "forbidden-element",
    }
    assert report.unparseable == (X,)


def test_an_element_outside_the_vocabulary_is_a_warning_and_the_file_stays_a_memory(repo: Path) -> None:
    report = examine(good_store(repo, {X: memory(body="\n<blockquote>Said.</blockquote>")}))
    found = only(report, FindingCode.FORMAT_WARNING)
    assert (found.rule, found.line) == (ViolationCode.ELEMENT_UNKNOWN, 14)
    assert [(w.path, w.warnings) for w in report.warnings] == [(X, (found.message,))]
    assert report.unparseable == ()
    assert not report.healthy
    assert report.passed


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ('<p><a href="javascript:alert(1)">go</a></p>', ViolationCode.URL_SCRIPT),
        ('<p onclick="x()">go</p>', ViolationCode.EVENT_HANDLER),
        ("<template><p>hidden</p></template>", ViolationCode.HIDDEN_CONTENT),
    ],
)
def test_markup_that_acts_on_a_reader_is_an_error_and_the_memory_keeps_its_row(
    repo: Path, body: str, rule: ViolationCode
) -> None:
    report = examine(good_store(repo, {X: memory("Doors open inwards.", body="\n" + body)}))
    found = next(f for f in report.findings if f.code is FindingCode.MARKUP_UNSAFE)
    assert (found.rule, found.severity, found.line) == (rule, Severity.ERROR, 14)
    assert report.memories == 5
    assert report.unparseable == ()


def test_a_file_that_is_larger_than_a_write_may_make_it_is_a_warning(repo: Path) -> None:
    report = examine(good_store(repo, {X: memory(body="<p>" + "word " * 14_000 + "</p>")}))
    found = only(report, FindingCode.WRITE_LIMIT)
    assert (found.rule, found.severity) == (ViolationCode.FILE_LARGE, Severity.WARNING)
    assert report.memories == 5


def test_a_stamp_that_is_not_the_articles_hash_is_found_at_its_meta(repo: Path) -> None:
    data = memory("One.", metas=[("content-hash", "sha256:" + "0" * 64)])
    found = only(examine(good_store(repo, {X: data})), FindingCode.FORMAT_HASH_STALE)
    assert (found.severity, found.fixable, found.line) == (Severity.WARNING, True, 10)


@pytest.mark.parametrize("hash_of", [content_hash.blake3_of, content_hash.sha256_of])
def test_a_right_stamp_of_either_algorithm_is_no_finding(repo: Path, hash_of: object) -> None:
    assert callable(hash_of)
    data = memory("One.", metas=[("content-hash", str(hash_of("One.")))])
    assert codes(examine(good_store(repo, {X: data}))) == []


def test_a_stamp_of_no_algorithm_is_stale_too(repo: Path) -> None:
    found = only(
        examine(good_store(repo, {X: memory(metas=[("content-hash", "md5:12")], claim="One.")})),
        FindingCode.FORMAT_HASH_STALE,
    )
    assert found.message == "memhtml-content-hash names no hash"


@pytest.mark.parametrize(
    ("path", "status", "metas"),
    [
        (X, "archived", [("archived", "2026-01-01T00:00:00Z")]),
        ("archive/2026/areas/inbox/x.html", "active", []),
        (X, "active", [("archived", "2026-01-01T00:00:00Z")]),
        ("archive/areas/x.html", "archived", [("archived", "2026-01-01T00:00:00Z")]),
    ],
)
def test_a_head_that_contradicts_the_place_of_its_file_is_a_warning(
    repo: Path, path: str, status: str, metas: list[tuple[str, str]]
) -> None:
    report = examine(good_store(repo, {path: memory("Gone.", status=status, metas=metas)}))
    found = only(report, FindingCode.STATUS_MISPLACED)
    assert (found.path, found.severity) == (path, Severity.WARNING)


def test_bytes_that_are_not_utf8_are_found_at_their_line(repo: Path) -> None:
    data = memory("Tea at noon.").replace(b"Tea", b"T\xe9a")
    found = only(examine(good_store(repo, {X: data})), FindingCode.NOT_UTF8)
    assert found.line == data[: data.index(b"\xe9")].count(b"\n") + 1


def test_other_alphabets_are_no_finding(repo: Path) -> None:
    assert codes(examine(good_store(repo, {X: memory("Größe 設定 🫖.")}))) == []


def test_conflict_markers_are_an_error_at_their_first_line(repo: Path) -> None:
    clean = memory("Ours.").decode()
    data = clean.replace(
        "<article>\n", "<article>\n<<<<<<< HEAD\n<p>a</p>\n=======\n<p>b</p>\n>>>>>>> other\n"
    ).encode()
    report = examine(good_store(repo, {X: data}))
    found = only(report, FindingCode.CONFLICT_MARKERS)
    assert data.decode().splitlines()[(found.line or 0) - 1] == "<<<<<<< HEAD"
    assert report.unparseable == (X,)


def test_what_is_too_large_or_too_deep_to_parse_is_an_error(repo: Path) -> None:
    report = examine(
        good_store(
            repo,
            {
                "areas/a.html": memory(body="<p>" + "word " * 220_000 + "</p>"),
                "areas/b.html": memory(body="<section>" * 9_000),
            },
        )
    )
    assert codes(report) == ["FILE_OVERSIZED", "FILE_TOO_COMPLEX"]
    assert report.errors == 2


def test_a_symbolic_link_is_a_warning_and_is_not_followed(repo: Path) -> None:
    good_store(repo)
    (repo / "areas/inbox").mkdir(parents=True)
    (repo / X).symlink_to("/etc/passwd")
    commit(repo)
    found = only(examine(repo), FindingCode.FILE_SYMLINK)
    assert (found.path, found.severity) == (X, Severity.WARNING)


def test_a_name_that_is_not_utf8_is_an_error(repo: Path) -> None:
    good_store(repo)
    blob = git(repo, "hash-object", "-w", "--stdin", stdin=memory("Odd.")).decode().strip()
    line = f"100644 {blob}\t".encode() + b"areas/od\xffd.html\0"
    git(repo, "update-index", "-z", "--index-info", stdin=line)
    git(repo, "commit", "-q", "-m", "odd")
    git(repo, "checkout", "-q", "--", "areas")
    found = only(examine(repo), FindingCode.PATH_NOT_UTF8)
    assert found.severity is Severity.ERROR


def test_a_file_that_git_cannot_read_is_an_error(repo: Path) -> None:
    good_store(repo)
    git(repo, "config", "filter.broken.clean", "false")
    git(repo, "config", "filter.broken.required", "true")
    plant(repo, {X: memory("Secret."), ".git/info/attributes": b"areas/inbox/*.html filter=broken\n"})
    found = next(f for f in examine(repo).findings if f.code is FindingCode.FILE_UNREADABLE)
    assert (found.path, found.severity) == (X, Severity.ERROR)


def test_paths_that_differ_only_in_case_or_form_clash(repo: Path) -> None:
    report = examine(
        good_store(
            repo,
            {
                "areas/Tea.html": memory("Tea is hot."),
                "areas/tea.html": memory("Tea is cold."),
                "areas/caf\u00e9.html": memory("One."),
                "areas/cafe\u0301.html": memory("Two."),
            },
        )
    )
    assert codes(report) == ["PATH_CLASH", "PATH_CLASH"]
    assert [f.path for f in report.findings if f.code is FindingCode.PATH_CLASH] == [
        "areas/caf\u00e9.html",
        "areas/tea.html",
    ]


def test_generated_listings_and_files_outside_the_buckets_are_not_judged(repo: Path) -> None:
    report = examine(
        good_store(
            repo, {"areas/index.html": b"<h1>x", "README.html": b"<script>", "areas/a.txt": b"<<<<<<< "}
        )
    )
    assert codes(report) == []
    assert report.files == 4
