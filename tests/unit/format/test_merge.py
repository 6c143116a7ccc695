"""Merges by example: each rule of a head, each case of an article, and the bytes that nobody changed."""

import re

import pytest
from builders import memory

from memhtml.format.merge import (
    Conflicted,
    Merged,
    NotMergeable,
    Reason,
    adds_violations,
    merge,
    whole_conflict,
)
from memhtml.format.parse import parse

BODY = "\n<p>One two three.</p>\n<p>Four five six.</p>\n<p>Seven eight nine.</p>"
EARLY, LATE = "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"


def with_metas(
    *metas: tuple[str, str], updated: str = "2026-03-11T17:42:30Z", type_: str = "semantic"
) -> bytes:
    return memory("Claim.", metas=metas, updated=updated, type_=type_, body=BODY)


def merged(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    found = merge(base, ours, theirs)
    assert isinstance(found, Merged), found
    return found.data


def conflicted(base: bytes | None, ours: bytes, theirs: bytes) -> Conflicted:
    found = merge(base, ours, theirs)
    assert isinstance(found, Conflicted), found
    return found


def value(data: bytes, name: str) -> str | None:
    return next((meta.content for meta in parse(data).metas if meta.name == f"memhtml-{name}"), None)


@pytest.mark.parametrize(
    ("name", "base", "one", "other", "expected"),
    [
        ("valid-until", None, LATE, EARLY, EARLY),
        ("valid-until", None, "2026-04-02", EARLY, EARLY),
        ("valid-until", None, "2026-04-01T01:00:00+02:00", EARLY, "2026-04-01T01:00:00+02:00"),
        ("valid-from", "2026-01-01", LATE, EARLY, EARLY),
        ("archived", None, LATE, EARLY, EARLY),
        ("due", None, "2026-06-01", "2026-05-30", "2026-05-30"),
        ("importance", "5", "7", "6", "7"),
        ("importance", "5", "10", "9", "10"),
        ("confidence", "0.9", "0.7", "0.85", "0.7"),
        ("reprieves", None, "2", "3", "3"),
        ("needs-revision", None, "true", "false", "true"),
        ("needs-revision", "true", "1", "false", "1"),
    ],
)
def test_where_both_sides_set_a_name_a_rule_decides(
    name: str, base: str | None, one: str, other: str, expected: str
) -> None:
    start = with_metas(*([(name, base)] if base else []))
    for ours, theirs in ((one, other), (other, one)):
        assert value(merged(start, with_metas((name, ours)), with_metas((name, theirs))), name) == expected


def test_the_later_update_and_the_earlier_creation_hold() -> None:
    ours = memory("Claim.", created="2026-03-01T00:00:00Z", updated=EARLY)
    theirs = memory("Claim.", created="2026-02-01T00:00:00Z", updated=LATE)
    document = parse(merged(None, ours, theirs))
    assert (document.created, document.updated) == ("2026-02-01T00:00:00Z", LATE)


def test_archived_wins_where_both_sides_added_the_file() -> None:
    ours, theirs = memory("Claim.", status="archived"), memory("Claim.", updated=LATE)
    assert parse(merged(None, ours, theirs)).status == "archived"
    assert parse(merged(None, theirs, ours)).status == "archived"


def test_a_memory_that_one_side_restored_is_active() -> None:
    base = memory("Claim.", status="archived", metas=[("archived", EARLY)])
    ours = memory("Claim.", status="active")
    theirs = base.replace(b"</head>", b'<link rel="memhtml-supports" href="/areas/x.html">\n</head>')
    document = parse(merged(base, ours, theirs))
    assert (document.status, document.archived) == ("active", None)
    assert len(document.links) == 1


def test_a_task_that_one_side_finished_is_done() -> None:
    base = with_metas(("task-status", "todo"), type_="task")
    ours = with_metas(("task-status", "blocked"), type_="task", updated=LATE)
    theirs = with_metas(("task-status", "done"), type_="task", updated=EARLY)
    assert parse(merged(base, ours, theirs)).task_status == "done"


def test_without_a_rule_the_side_that_was_updated_last_is_heard() -> None:
    base, ours, theirs = with_metas(), with_metas(updated=LATE), with_metas(updated=EARLY)
    ours = ours.replace(b"A memory</title>", b"Late</title>").replace(b'"semantic"', b'"procedural"')
    theirs = theirs.replace(b"A memory</title>", b"Early</title>").replace(b'"semantic"', b'"verdict"')
    for data in (merged(base, ours, theirs), merged(base, theirs, ours)):
        document = parse(data)
        assert (document.title, document.memory_type) == ("Late", "procedural")


def test_session_prompt_and_turn_come_from_one_side() -> None:
    ours = with_metas(("author", "a"), ("session", "s1"), ("prompt", "p1"), updated=LATE)
    theirs = with_metas(("author", "a"), ("session", "s2"), ("turn", "t2"), updated=EARLY)
    document = parse(merged(with_metas(), ours, theirs))
    assert (document.session, document.prompt, document.turn) == ("s1", "p1", None)


def test_of_two_successors_the_one_that_took_over_first_is_named() -> None:
    ours = with_metas(("valid-until", LATE), ("superseded-by", "/areas/late.html"), updated=LATE)
    theirs = with_metas(("valid-until", EARLY), ("superseded-by", "/areas/early.html"), updated=EARLY)
    document = parse(merged(with_metas(), ours, theirs))
    assert (document.valid_until, document.superseded_by) == (EARLY, "/areas/early.html")


def test_a_value_that_one_side_removed_and_the_other_changed_stays() -> None:
    base = with_metas(("due", "2026-06-01"))
    assert value(merged(base, with_metas(), with_metas(("due", "2026-07-01"))), "due") == "2026-07-01"
    assert value(merged(base, with_metas(), base.replace(b"Claim", b"Claims")), "due") is None


def test_what_others_wrote_into_a_head_is_kept_as_it_stands() -> None:
    base = with_metas().replace(b"<title>", b'<meta name="viewport" content="x">\n<!-- by hand -->\n<title>')
    ours = base.replace(b"</title>", b"</title>\n<!-- ours -->").replace(b"<!-- by hand -->\n", b"")
    theirs = base.replace(
        b"</head>",
        b"<meta name='robots' content=noindex>\n<link rel=canonical href='https://example.com/'>\n"
        b'<meta name="memhtml-newer" content="1">\n<meta name="x-memhtml-branch" content="b">\n</head>',
    )
    data = merged(base, ours, theirs)
    for piece in (
        b'<meta name="viewport" content="x">',
        b"<!-- ours -->",
        b"<meta name='robots' content=noindex>",
        b"<link rel=canonical href='https://example.com/'>",
        b'<meta name="memhtml-newer" content="1">',
        b'<meta name="x-memhtml-branch" content="b">',
    ):
        assert data.count(piece) == 1, piece
    assert b"by hand" not in data


def test_only_changed_lines_differ_from_ours() -> None:
    base = with_metas(("tag", "a")).replace(b"\n<meta", b"\n\t<meta").replace(b"\n", b"\r\n")
    ours = base.replace(b"One two three.", b"One two  three and more.").replace(
        b'type" content', b'type" content'
    )
    theirs = base.replace(b"Seven eight", b"Seven and eight").replace(
        b'content="a">', b'content="a">\r\n\t<meta name="memhtml-tag" content="b">'
    )
    data = merged(base, ours, theirs)
    before, after = ours.split(b"\r\n"), data.split(b"\r\n")
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert [line for line in after if line not in before] == [
        b'\t<meta name="memhtml-tag" content="b">',
        b"<p>Seven and eight nine.</p>",
    ]
    assert [line for line in before if line not in after] == [b"<p>Seven eight nine.</p>"]


def test_a_file_on_one_line_merges_too() -> None:
    base = re.sub(rb"\n", b"", with_metas(("tag", "a")))
    ours = base.replace(b"Four", b"Fourteen")
    theirs = base.replace(b'content="a">', b'content="a"><meta name="memhtml-tag" content="b">')
    assert merged(base, ours, theirs) == theirs.replace(b"Four", b"Fourteen")


def test_a_file_without_head_and_body_tags_merges_too() -> None:
    base = b"".join(
        line
        for line in with_metas(("tag", "a")).splitlines(keepends=True)
        if not re.match(rb"</?(html|head|body)", line)
    )
    ours = base.replace(b"Four", b"Fourteen")
    theirs = base.replace(b'content="a"', b'content="b"')
    assert merged(base, ours, theirs) == theirs.replace(b"Four", b"Fourteen")


def test_line_ends_that_one_side_changed_everywhere_are_taken_over() -> None:
    base = with_metas()
    data = merged(base, base.replace(b"Four", b"Fourteen"), base.replace(b"\n", b"\r\n"))
    assert data == base.replace(b"Four", b"Fourteen").replace(b"\n", b"\r\n")


def test_blocks_that_both_sides_added_at_one_place_both_stay_the_earlier_side_first() -> None:
    base = with_metas()
    ours = with_metas(updated=LATE).replace(b"nine.</p>", b"nine.</p>\n<p>Late.</p>\n<p>Both.</p>")
    theirs = with_metas(updated=EARLY).replace(b"nine.</p>", b"nine.</p>\n<p>Both.</p>\n<p>Early.</p>")
    for data in (merged(base, ours, theirs), merged(base, theirs, ours)):
        article = data.split(b"nine.</p>\n")[1].split(b"\n</article>")[0]
        assert article == b"<p>Early.</p>\n<p>Late.</p>\n<p>Both.</p>"


def test_a_block_that_one_side_added_next_to_one_that_the_other_changed_is_no_conflict() -> None:
    base = with_metas()
    ours = base.replace(b"Four five six.", b"Four five six seven.")
    theirs = base.replace(b"<p>Four", b"<p>New.</p>\n<p>Four")
    assert merged(base, ours, theirs) == ours.replace(b"<p>Four", b"<p>New.</p>\n<p>Four")


def test_a_block_that_one_side_deleted_goes_and_one_that_the_other_changed_meanwhile_is_asked_about() -> None:
    base = with_metas()
    ours = base.replace(b"<p>Four five six.</p>\n", b"")
    assert merged(base, ours, base.replace(b"Seven", b"Eleven")) == ours.replace(b"Seven", b"Eleven")
    found = conflicted(base, ours, base.replace(b"Four five", b"Four and five"))
    assert found.reasons == (Reason.DELETED,)
    assert b"<<<<<<< ours\n=======\n<p>Four and five six.</p>\n>>>>>>> theirs\n" in found.data


def test_a_block_that_both_sides_changed_stands_between_markers_and_the_rest_is_merged() -> None:
    base = with_metas(("content-hash", "sha256:" + "0" * 64))
    ours = base.replace(b"Four five six.", b"Four five.").replace(b"One two", b"One and two")
    theirs = base.replace(b"Four five six.", b"Five six.").replace(b"Seven", b"Eleven")
    found = conflicted(base, ours, theirs)
    assert found.reasons == (Reason.BLOCK,)
    assert found.data.split(b"</mark></p>\n")[1].split(b"</article>")[0] == (
        b"<p>One and two three.</p>\n"
        b"<<<<<<< ours\n<p>Four five.</p>\n=======\n<p>Five six.</p>\n>>>>>>> theirs\n"
        b"<p>Eleven eight nine.</p>\n"
    )
    assert b"content-hash" not in found.data


def test_the_same_change_on_both_sides_is_one_change() -> None:
    base = with_metas()
    both = base.replace(b"Four", b"Fourteen")
    data = merged(base, both.replace(b"One", b"Eleven"), both.replace(b"Seven", b"Twelve"))
    assert data == both.replace(b"One", b"Eleven").replace(b"Seven", b"Twelve")


def test_layout_that_one_side_changed_stands_in_nobodys_way() -> None:
    base = with_metas()
    ours = base.replace(b"<p>Four five six.</p>", b"<p>\n  Four five\n  six.\n</p>")
    assert merged(base, ours, base.replace(b"Seven", b"Eleven")) == ours.replace(b"Seven", b"Eleven")
    both = merged(base, ours, base.replace(b"Four five", b"Four and five"))
    assert b"<p>Four and five six.</p>" in both


def test_white_space_in_pre_counts() -> None:
    base = memory("Claim.", body="\n<pre>a  b</pre>")
    found = conflicted(base, base.replace(b"a  b", b"a   b"), base.replace(b"a  b", b"a    b"))
    assert found.reasons == (Reason.BLOCK,)


def test_claims_that_differ_in_a_file_that_both_sides_added_are_asked_about() -> None:
    found = conflicted(None, memory("One claim.", body="<p>a</p>"), memory("Another claim.", body="<p>b</p>"))
    assert found.reasons == (Reason.CLAIM,)
    assert b"<p>a</p>" in found.data
    assert b"<p>b</p>" in found.data


def test_words_around_the_article_that_both_sides_changed_are_asked_about() -> None:
    base = with_metas()
    ours, theirs = (
        base.replace(b"<body>", b"<body>" + words) for words in (b"<!-- one -->", b"<!-- two -->")
    )
    found = conflicted(base, ours, theirs)
    assert found.reasons == (Reason.AROUND,)
    assert b"<!-- one -->" in found.data
    assert b"<!-- two -->" in found.data
    again = merged(base, ours, base.replace(b"<html", b"<HTML"))
    assert b"<HTML" in again or b"<!-- one -->" in again
    assert b"<!-- one -->" in again


def test_the_stamp_is_made_anew_by_the_algorithm_that_is_in_use() -> None:
    for algorithm, stamp in (
        ("sha256", "sha256:" + "0" * 64),
        ("blake3", "blake3:" + "0" * 64),
        ("blake3", "x"),
    ):
        base = with_metas(("content-hash", stamp))
        data = merged(base, base.replace(b"Four", b"Fourteen"), base.replace(b"Seven", b"Eleven"))
        document = parse(data)
        assert document.stamped_hash == (document.sha256 if algorithm == "sha256" else document.content_hash)
    base = with_metas()
    assert b"content-hash" not in merged(base, base.replace(b"Four", b"F"), base.replace(b"Seven", b"S"))


def test_what_only_together_breaks_a_rule_is_asked_about_as_a_whole() -> None:
    base = with_metas()
    ours = with_metas(*(("tag", f"a{n}") for n in range(120)))
    theirs = with_metas(*(("tag", f"b{n}") for n in range(120)))
    found = conflicted(base, ours, theirs)
    assert found.reasons == (Reason.RULES,)
    assert found.data == whole_conflict(ours, theirs)
    assert found.data.startswith(b"<<<<<<< ours\n<!doctype html>")
    assert found.data.endswith(b"</html>\n>>>>>>> theirs\n")
    assert adds_violations(found.data, ours, theirs)


def test_conflicts_that_an_earlier_merge_left_in_the_base_count_as_absent() -> None:
    base = with_metas().replace(
        b"<p>Four five six.</p>",
        b"<<<<<<<<< ours\n<p>Four.</p>\n=========\n<p>Five.</p>\n>>>>>>>>> theirs",
    )
    both = with_metas().replace(b"Four five six.", b"Four and five.")
    data = merged(base, both.replace(b"One", b"Eleven"), both.replace(b"Seven", b"Twelve"))
    assert data == both.replace(b"One", b"Eleven").replace(b"Seven", b"Twelve")


def test_a_file_that_git_took_for_a_renamed_version_is_not_mixed_with_the_memory() -> None:
    base = with_metas()
    ours = memory("Another claim.", created="2026-05-01T00:00:00Z", body=BODY)
    theirs = with_metas(("tag", "a"))
    for found in (conflicted(base, ours, theirs), conflicted(base, theirs, ours)):
        assert found.reasons == (Reason.STRANGERS,)
    mended = base.replace(b'"2026-03-09T08:15:00Z"', b'"2026-03-09T08:15:01Z"')
    assert parse(merged(base, mended, theirs)).created == "2026-03-09T08:15:01Z"


@pytest.mark.parametrize(
    "theirs",
    [
        b"",
        b"<p>no memory</p>",
        memory("Claim.", status="gone"),
        memory("Claim.", body="<p>" + "x" * 70_000 + "</p>"),
        whole_conflict(memory("a"), memory("b")),
    ],
)
def test_what_is_no_memory_is_left_to_a_merge_of_lines(theirs: bytes) -> None:
    assert isinstance(merge(with_metas(), with_metas(("tag", "a")), theirs), NotMergeable)


def test_an_article_that_cannot_be_cut_is_one_block() -> None:
    base = memory(article="<b><p><mark>Claim.</mark></p></b><p>two</p>")
    tangled = base.replace(b"</p></b>", b"</b></p>")
    found = merged(base, tangled, base.replace(b"</title>", b"!</title>"))
    assert found == tangled.replace(b"</title>", b"!</title>")
    assert isinstance(merge(base, tangled, base.replace(b"two", b"three")), Conflicted)
