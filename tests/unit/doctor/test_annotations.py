"""The report as GitHub's workflow commands."""

import re
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st
from unit.doctor.reports import report_of, some_findings

from memhtml.doctor.annotations import render_annotations
from memhtml.doctor.findings import FindingCode, finding
from memhtml.values import MemoryPath

_COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def test_every_finding_is_one_command_with_file_line_and_title() -> None:
    lines = render_annotations(report_of(some_findings(), prefix="notes")).split("\n")
    assert lines[2:] == [
        "::warning file=notes/areas/inbox/b%2C c%3A 100%25.html,line=1,title=FORMAT_HASH_STALE"
        "::memhtml-content-hash names no hash",
        "::error file=notes/areas/inbox/b%2C c%3A 100%25.html,line=3,title=LINK_DANGLING"
        "::the blocks link leads to areas/x.html, where no file is",
        "::warning file=notes/areas/inbox/b%2C c%3A 100%25.html,line=9,title=FORMAT_WARNING/element-unknown"
        "::the element h1 is outside the format's vocabulary",
        "::error file=notes/projects/kettle/a.html,line=12,title=FORMAT_VIOLATION/mark-missing"
        "::the article has no mark element",
    ]


def test_a_finding_about_no_file_names_none_and_says_the_cure() -> None:
    (line,) = render_annotations(report_of([finding(FindingCode.INDEX_STALE, "old")])).split("\n")
    assert line == "::warning title=INDEX_STALE::old (Run `memhtml index update`.)"


def test_nothing_found_prints_nothing() -> None:
    assert render_annotations(report_of([])) == ""


@given(st.text(st.characters(), min_size=1), st.text(st.characters()))
def test_no_path_and_no_message_can_add_a_command_or_a_property(path: str, message: str) -> None:
    found = finding(FindingCode.NOT_UTF8, message, MemoryPath(path), 1)
    text = render_annotations(report_of([found]))
    text.encode()
    match = _COMMAND.fullmatch(text)
    assert match is not None
    names = [part.partition("=")[0] for part in match[2].split(",")]
    assert names == ["file", "line", "title"]
    shown_path = unquote(match[2].split(",")[0].removeprefix("file="))
    assert shown_path == path.encode(errors="replace").decode()
