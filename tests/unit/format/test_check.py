"""The rules: what each one says about which markup, what it costs, and that nothing can make the check fail."""

from collections.abc import Sequence

import pytest
from builders import memory
from hypothesis import given
from hypothesis import strategies as st

from memhtml.format.check import RULES, Severity, ViolationCode, check, errors, is_root_href, refusals
from memhtml.format.parse import parse


def codes(data: bytes) -> list[str]:
    return [violation.code.value for violation in check(parse(data))]


def article(inner: str) -> list[str]:
    return codes(memory(article=inner))


def beside(inner: str) -> list[str]:
    """The codes of a valid memory that holds `inner` as well."""
    return article("<p><mark>m</mark></p>" + inner)


def head(*metas: tuple[str, str], type_: str = "semantic") -> list[str]:
    return codes(memory(type_=type_, metas=metas))


def in_head(markup: str) -> list[str]:
    return codes(memory().replace(b"</head>", markup.encode() + b"</head>"))


def test_a_plain_memory_has_no_violation() -> None:
    assert codes(memory()) == []


@pytest.mark.parametrize("data", [b"", b"not html", b"\x00\xff" * 50, "<p>é".encode("utf-16")])
def test_what_is_no_memory_at_all_lacks_everything(data: bytes) -> None:
    assert codes(data) == ["title-count", *["meta-missing"] * 4, "article-count"]


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<mark>m</mark>", ["mark-outside-block"]),
        ("<ul><li><mark>m</mark></li></ul>", []),
        ("<p>Lead</p><p><mark>m</mark></p>", ["mark-not-first"]),
        ("<aside><p>note</p></aside><p><mark>m</mark></p>", ["mark-not-first"]),
        ("<p>lead <ul><li><mark>m</mark></li></ul>", ["mark-not-first"]),
        ("<h2>t</h2><p><mark>m</mark></p>", ["element-unknown"]),
        ("<table><tr><td><p><mark>m</mark></p></td></tr></table>", []),
        ("<p><mark></mark></p>", ["mark-empty"]),
        ("<p><mark> &nbsp;&#160;&#xfeff; </mark></p>", ["mark-empty"]),
        ("<p><mark>\u200b</mark></p>", []),
        ("<p><mark><code>cmd</code></mark></p>", ["mark-empty"]),
        ("<p><mark><kbd>Ctrl-C</kbd></mark></p>", []),
        ("<p>a</p>", ["mark-missing"]),
        ("<p><mark>a</mark><mark>b</mark></p>", ["mark-multiple"]),
        ("<p><mark>x <ul><li>y</li></ul></mark></p>", []),
        ("<aside><p><mark>m</mark></p></aside>", ["mark-in-aside"]),
        ("<aside><mark>m</mark></aside>", ["mark-in-aside"]),
        ("<aside><mark></mark></aside>", ["mark-empty", "mark-in-aside"]),
        ("<details><summary><mark>m</mark></summary></details>", ["mark-in-details"]),
        ("<aside><details><p><mark>m</mark></p></details></aside>", ["mark-in-aside", "mark-in-details"]),
        ("<p><mark>m</mark></p></article><article>", ["article-count"]),
        ("<article><p>x</p></article>", ["article-count"]),
    ],
)
def test_the_claim_stands_where_a_reader_looks_first(inner: str, expected: list[str]) -> None:
    assert article(inner) == expected


def test_a_mark_outside_the_article_is_not_counted() -> None:
    assert codes(memory().replace(b"</article>", b"</article><p><mark>other</mark></p>")) == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (memory(title=""), ["title-empty"]),
        (memory(title="\u00a0 "), ["title-empty"]),
        (memory().replace(b"<title>A memory</title>", b""), ["title-count"]),
        (memory().replace(b"</head>", b"<title>b</title></head>"), ["title-count"]),
        (memory(body="<title>b</title>"), ["title-count"]),
        (memory(body="<svg><title>b</title></svg>"), ["title-count", "element-unknown"]),
    ],
)
def test_there_is_one_title_with_text(data: bytes, expected: list[str]) -> None:
    assert codes(data) == expected


@pytest.mark.parametrize("name", ["type", "status", "created", "updated"])
def test_each_required_name_is_missed_by_its_name(name: str) -> None:
    lines = [line for line in memory().split(b"\n") if b'"memhtml-' + name.encode() not in line]
    violations = check(parse(b"\n".join(lines)))
    assert [(v.code, v.subject) for v in violations] == [(ViolationCode.META_MISSING, f"memhtml-{name}")]


@pytest.mark.parametrize(
    ("metas", "expected"),
    [
        ([("type", "semantic")], ["meta-duplicate"]),
        ([("author", "a"), ("author", "b")], ["meta-duplicate"]),
        (
            [("tag", "a"), ("tag", "b"), ("entity", "a:b"), ("entity", "c"), ("alias", "x"), ("alias", "y")],
            [],
        ),
        ([("colour", "red")], ["meta-unknown"]),
        ([("content-hash", "sha256:wrong")], []),
        ([("confidence", "1.5"), ("importance", "7.5"), ("reprieves", "")], ["meta-malformed"] * 3),
        ([("valid-from", "soon"), ("valid-until", ""), ("archived", "2026")], ["instant-bad"] * 3),
        ([("task-status", "doing")], ["task-status-on-nontask"]),
        ([("task-status", "wip")], ["task-status-on-nontask", "task-status-unknown"]),
        ([("due", "next friday")], ["due-bad"]),
        ([("due", "08/09/2026")], ["due-bad"]),
        ([("due", "2026-08-09T25:00:00Z")], ["due-bad"]),
        ([("due", "2026-08-09")], []),
    ],
)
def test_the_head_holds_known_names_with_sane_values(
    metas: Sequence[tuple[str, str]], expected: list[str]
) -> None:
    assert head(*metas) == expected


@pytest.mark.parametrize(
    ("metas", "expected"),
    [
        ([], ["task-status-missing"]),
        ([("task-status", "done")], []),
        ([("task-status", "Done")], ["task-status-unknown"]),
        ([("task-status", "todo"), ("due", "2026-03-20T10:00Z")], []),
    ],
)
def test_a_task_has_a_task_status(metas: Sequence[tuple[str, str]], expected: list[str]) -> None:
    assert head(*metas, type_="task") == expected


@pytest.mark.parametrize("type_", ["folklore", "Semantic", "", "semantic "])
def test_a_type_is_one_of_the_ten_letter_by_letter(type_: str) -> None:
    assert codes(memory(type_=type_)) == ["type-unknown"]


def test_a_status_is_active_or_archived() -> None:
    assert codes(memory(status="draft")) == ["status-unknown"]


def test_a_bad_creation_time_is_a_warning_and_no_refusal() -> None:
    violations = check(parse(memory(created="yesterday", updated="")))
    assert [(v.code, v.subject, v.severity) for v in violations] == [
        (ViolationCode.INSTANT_BAD, "memhtml-created", Severity.WARNING),
        (ViolationCode.INSTANT_BAD, "memhtml-updated", Severity.WARNING),
    ]


def test_extension_names_of_the_closed_list_are_known_and_others_are_a_warning() -> None:
    assert in_head('<meta name="x-memhtml-run" content="r1"><meta name="x-memhtml-risk" content="low">') == []
    assert in_head('<meta name="x-memhtml-mood" content="r1">') == ["meta-unknown"]
    assert in_head('<meta name="viewport" content="width=device-width">') == []


@pytest.mark.parametrize(
    ("rel", "href", "expected"),
    [
        ("part_of", "/areas/x.html", []),
        ("laterally_related", "/areas/x.html", []),
        ("friend_of", "/areas/x.html", ["link-rel-unknown"]),
        ("part-of memhtml-supports", "/areas/x.html", ["link-rel-unknown"]),
        ("part_of", "areas/x.html", ["link-href-not-root"]),
        ("part_of", "https://example.com/x", ["link-href-not-root"]),
        ("part_of", "", ["link-href-missing"]),
        ("part_of", "/", ["link-href-not-root"]),
        ("part_of", "/areas/", ["link-href-not-root"]),
        ("part_of", "//areas/x.html", ["link-href-not-root"]),
        ("part_of", "/areas/../x.html", ["link-href-not-root"]),
        ("part_of", "/areas/./x.html", ["link-href-not-root"]),
        ("part_of", "/areas/%2e%2e/x.html", []),
        ("part_of", "/a.html?x=../y#z//", []),
    ],
)
def test_a_link_names_a_relation_and_a_path_from_the_root(rel: str, href: str, expected: list[str]) -> None:
    assert codes(memory(links=[(rel, href)])) == expected


def test_a_link_without_href_is_missing_it() -> None:
    assert in_head('<link rel="memhtml-part-of">') == ["link-href-missing"]
    assert in_head('<link rel="memhtml-laterally_related" href="/a.html">') == []
    assert in_head('<link rel="MEMHTML-part-of" href="x">') == []


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        (' datetime="2026-02-28"', []),
        (' datetime="2026-02-30"', ["time-bad-datetime"]),
        (' datetime=""', ["time-bad-datetime"]),
        (" datetime", ["time-bad-datetime"]),
        ("", ["time-no-datetime"]),
    ],
)
def test_a_time_says_its_time(stamp: str, expected: list[str]) -> None:
    assert beside(f"<time{stamp}>x</time>") == expected


def test_a_time_is_checked_wherever_it_stands() -> None:
    assert codes(memory().replace(b"</article>", b"</article><time>x</time>")) == ["time-no-datetime"]
    assert in_head("<time>x</time>") == ["time-no-datetime"]


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<script>x</script>", ["forbidden-element"]),
        ("<svg><script>x</script></svg>", ["forbidden-element", "element-unknown"]),
        ("<style>x</style>", ["forbidden-element"]),
        ('<p class="">x</p>', ["forbidden-attribute"]),
        ('<p CLASS="a" style="b">x</p>', ["forbidden-attribute"] * 2),
        ("<h2>x</h2><h2>y</h2><br>", ["element-unknown"] * 2),
        ("<figure><div><span>x</span></div></figure>", []),
        ("<div>x</div><span>y</span>", ["scoped-outside-figure"] * 2),
        ("<figure></figure><div></div>", ["scoped-outside-figure"]),
        ("<div><figure></figure></div>", ["scoped-outside-figure"]),
        ('<code data-lang="c++">x</code>', []),
        ('<code data-lang="not a lang">x</code>', ["lang-token-bad"]),
        ('<pre data-lang="-x">x</pre>', ["lang-token-bad"]),
        ("<address>x</address>", []),
    ],
)
def test_the_vocabulary_is_closed(inner: str, expected: list[str]) -> None:
    assert beside(inner) == expected


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ('<p onclick="x()">x</p>', ["event-handler"]),
        ('<p one="x">x</p>', ["event-handler"]),
        ('<p on="x" on-x="y" on1="z">x</p>', []),
        ('<a href="javascript:x()">x</a>', ["url-script"]),
        ('<a href=" \tJAVA\nSCRIPT:x()">x</a>', ["url-script"]),
        ('<a href="data:text/html,x">x</a>', ["url-script"]),
        ('<svg><a xlink:href="javascript:x">y</a></svg>', ["url-script", "element-unknown"]),
        ('<q cite="vbscript:x">x</q>', ["url-script"]),
        ('<form action="javascript:x"></form>', ["url-script", "element-unknown"]),
        ('<a href="https://example.com/">x</a>', []),
        ('<a href="//example.com/">x</a>', []),
        ('<q cite="https://example.com/">x</q>', []),
        ('<img src="https://example.com/x.png">', ["remote-resource", "element-unknown"]),
        ('<img src="//example.com/x.png">', ["remote-resource", "element-unknown"]),
        ('<img src="x.png">', ["element-unknown"]),
        ('<img srcset="x.png 1x, https://example.com/y.png 2x">', ["remote-resource", "element-unknown"]),
        (
            '<svg><image href="https://example.com/y.png"/></svg>',
            ["remote-resource", "element-unknown", "element-unknown"],
        ),
        ('<base href="/x">', ["base-element", "element-unknown"]),
        ('<meta http-equiv="refresh" content="0;url=https://example.com">', ["meta-http-equiv"]),
        ('<iframe src="x.html"></iframe>', ["embedded-page", "element-unknown"]),
        ('<object data="x.svg"></object>', ["embedded-page", "element-unknown"]),
        ("<template></template>", ["element-unknown"]),
        ("<template>x</template>", ["hidden-content", "element-unknown"]),
        ("<noscript> </noscript>", ["element-unknown"]),
        ("<noscript><style>x</style></noscript>", ["hidden-content", "element-unknown"]),
    ],
)
def test_what_acts_on_a_browser_is_unsafe_and_never_an_error(inner: str, expected: list[str]) -> None:
    assert beside(inner) == expected
    assert errors(check(parse(memory(body=inner)))) == ()


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<link rel="stylesheet" href="https://example.com/x.css">', ["remote-resource"]),
        ('<link rel="stylesheet" href="../x.css">', []),
        ('<link rel="memhtml-supports" href="/a.html" onload="x()">', ["event-handler"]),
        ('<base href="/x">', ["base-element", "element-unknown"]),
        ('<meta http-equiv="refresh" content="0">', ["meta-http-equiv"]),
        ("<template><p>x</p></template>", ["hidden-content", "element-unknown"]),
        ("<noscript>x</noscript>", ["hidden-content", "element-unknown"]),
        ("<style>x</style>", ["forbidden-element"]),
        ("<script>x</script>", ["forbidden-element"]),
    ],
)
def test_the_head_is_looked_at_as_closely_as_the_body(markup: str, expected: list[str]) -> None:
    assert in_head(markup) == expected


def test_the_outer_elements_are_looked_at_too() -> None:
    data = memory().replace(b'<html lang="en">', b"<html onclick=x>").replace(b"<body>", b"<body onload=y>")
    assert [v.subject for v in check(parse(data))] == ["onclick", "onload"]
    assert codes(memory().replace(b"<head>", b"<head class=x>")) == ["forbidden-attribute"]


def test_what_a_template_hides_is_named() -> None:
    inner = (
        "<template><p class=a onclick=b><script>x</script><template><style>y</style></template></template>"
    )
    violations = check(parse(memory(body=inner)))
    hidden = [v.subject for v in violations if v.code is ViolationCode.HIDDEN_CONTENT]
    assert hidden == ["template", "class", "onclick", "script", "style"]
    assert errors(violations) == ()


def test_a_file_beyond_the_limits_of_a_write_is_unsafe() -> None:
    assert codes(memory(body="x" * 66_000)) == ["file-large"]
    assert head(*[("tag", str(i)) for i in range(197)]) == ["meta-count"]
    assert codes(memory(links=[("supports", f"/areas/{i}.html") for i in range(501)])) == ["link-count"]
    assert codes(memory(links=[("supports", f"/areas/{i}.html") for i in range(500)])) == []


def test_errors_come_first_and_the_order_is_that_of_the_rules() -> None:
    violations = check(
        parse(memory(title="", body="<h2 class=x onclick=y>x</h2><time>x</time>", created="?"))
    )
    assert [v.code.value for v in violations] == [
        "title-empty",
        "time-no-datetime",
        "forbidden-attribute",
        "event-handler",
        "instant-bad",
        "element-unknown",
    ]
    assert [v.code.value for v in refusals(violations)][-1] == "event-handler"
    assert [v.code.value for v in errors(violations)][-1] == "forbidden-attribute"


def test_every_code_has_one_rule_and_severities_are_grouped_in_the_order_of_codes() -> None:
    assert list(RULES) == list(ViolationCode)
    order = [RULES[code].severity for code in ViolationCode]
    assert order == sorted(order, key=list(Severity).index)
    for code, rule in RULES.items():
        assert rule.meaning.endswith("."), code
        assert not rule.message.endswith("."), code
        assert code.value == code.value.lower().replace("_", "-")


def test_the_number_of_findings_is_bounded() -> None:
    inner = "".join(f"<x-{i} class=a on{'a' * i}=b></x-{i}>" for i in range(200))
    violations = check(parse(memory(body=inner)))
    assert len(violations) < 100


def test_a_message_quotes_names_and_no_control_character() -> None:
    name = "x" * 1000
    violations = check(parse(memory(body=f"<{name}>secret</{name}><\u0001b>")))
    assert all(len(v.subject) <= 64 and v.subject.isprintable() for v in violations)
    assert not any("secret" in v.message for v in violations)


@given(st.text(max_size=30))
def test_a_root_href_has_no_way_out(href: str) -> None:
    if is_root_href(href):
        path = href.split("#")[0].split("?")[0]
        assert path.startswith("/")
        assert not {"", ".", ".."} & set(path[1:].split("/"))


@given(st.binary(max_size=300))
def test_every_input_can_be_checked_twice_with_one_answer(data: bytes) -> None:
    assert check(parse(data)) == check(parse(data))
