"""The projection: which row a file becomes, and why it becomes none."""

import dataclasses
import json

import blake3
import pytest
from builders import memory
from hypothesis import given
from hypothesis import strategies as st

from memhtml.format import vocabulary
from memhtml.format.parse import parse
from memhtml.format.projection import project_file
from memhtml.format.rows import FILE_COLUMNS, EdgeRow, FacetRow, FileRow, MemoryRows, row_digest
from memhtml.values import BlobSha, EdgeClass, EdgeRel, MemoryPath, Skip, SkipCode

BLOB = BlobSha("0" * 40)


def rows(data: bytes, path: str = "areas/a/x.html") -> MemoryRows:
    projected = project_file(MemoryPath(path), BLOB, data)
    assert isinstance(projected, MemoryRows), projected
    return projected


def skip(data: bytes, path: str = "areas/a/x.html") -> Skip:
    projected = project_file(MemoryPath(path), BLOB, data)
    assert isinstance(projected, Skip)
    return projected


def article(inner: str) -> MemoryRows:
    return rows(memory(article="<p><mark>m</mark></p>" + inner))


def test_a_plain_memory_takes_the_defaults() -> None:
    file = rows(memory("The default port of the billing proxy is 8443.", title="T")).file
    assert file == FileRow(
        path=MemoryPath("areas/a/x.html"),
        blob_sha=BLOB,
        content_hash=parse(memory("The default port of the billing proxy is 8443.")).content_hash,
        memory_type="semantic",
        title="T",
        body_text="The default port of the billing proxy is 8443.",
        gist="The default port of the billing proxy is 8443.",
        fts_text="T\nThe default port of the billing proxy is 8443.\nThe default port of the billing proxy is 8443.",
        disclosure_text="The default port of the billing proxy is 8443.",
        para="areas",
        workspace=None,
        confidence=1.0,
        importance=5,
        archived=0,
        origin_path=None,
        word_count=9,
        created_at="2026-03-09T08:15:00Z",
        updated_at="2026-03-11T17:42:30Z",
        event_at=None,
        archived_at=None,
        valid_from=None,
        valid_until=None,
        reprieves=0,
        needs_revision=0,
        author="agent",
        session_id=None,
        prompt_id=None,
        turn_uuid=None,
        task_status=None,
        due_at=None,
        frame_key="the default port of the billing proxy is",
    )


def test_what_the_head_says_is_in_the_row() -> None:
    file = rows(
        memory(
            type_="task",
            metas=[
                ("confidence", "0.5"),
                ("importance", "9"),
                ("author", "human:mara"),
                ("session", "s"),
                ("prompt", "p"),
                ("turn", "t"),
                ("valid-from", "2026-01-01"),
                ("valid-until", "2026-02-01T00:00:00+01:00"),
                ("reprieves", "2"),
                ("archived", "2026-03-01 10:00"),
                ("needs-revision", "yes"),
                ("task-status", "blocked"),
                ("due", "2026-03-20"),
            ],
        )
    ).file
    assert (file.confidence, file.importance, file.author) == (0.5, 9, "human:mara")
    assert (file.session_id, file.prompt_id, file.turn_uuid) == ("s", "p", "t")
    assert (file.valid_from, file.valid_until) == ("2026-01-01", "2026-01-31T23:00:00Z")
    assert (file.reprieves, file.needs_revision, file.archived_at) == (2, 1, "2026-03-01T10:00:00Z")
    assert (file.task_status, file.due_at) == ("blocked", "2026-03-20")


def test_a_confidence_of_zero_is_no_default() -> None:
    assert rows(memory(metas=[("confidence", "0")])).file.confidence == 0.0


def test_the_path_decides_what_is_archived_and_not_the_head() -> None:
    archived = rows(memory(), "archive/2025/areas/x.html").file
    assert (archived.para, archived.archived, archived.origin_path) == ("archive", 1, "areas/x.html")
    odd = rows(memory(), "archive/areas/x.html").file
    assert (odd.archived, odd.origin_path) == (1, None)
    active = rows(memory(status="archived")).file
    assert (active.archived, active.origin_path) == (0, None)


def test_the_workspace_is_the_project_folder() -> None:
    assert rows(memory(), "projects/checkout/a.html").file.workspace == "checkout"
    assert rows(memory(), "projects/a.html").file.workspace is None


def test_a_path_is_stored_in_tree_form() -> None:
    assert rows(memory(), "/areas//a/x.html/").file.path == "areas/a/x.html"


@pytest.mark.parametrize(
    ("inner", "count"),
    [
        ("", 1),
        ("<p>a  b\nc</p>", 4),
        ("<p>a\u00a0b \u3000 c</p>", 4),
        ("<p>a\u2003b\vc</p>", 4),
        ("<p>a\u200bb</p>", 2),
    ],
)
def test_words_are_counted_between_any_white_space(inner: str, count: int) -> None:
    assert article(inner).file.word_count == count


def test_the_search_text_is_nfc_and_ends_with_derived_terms() -> None:
    file = rows(memory("Cafe\u0301 parse_config 日本語", title="T")).file
    assert file.gist == "Cafe\u0301 parse_config 日本語"
    assert file.fts_text.split("\n") == [
        "T",
        "Café parse_config 日本語",
        "Café parse_config 日本語",
        "日本 本語 語 parseconfig",
    ]


def test_what_may_be_quoted_is_claim_and_structure() -> None:
    file = article(
        "<p>prose</p><dl><dt>Unit</dt><dd>bar</dd></dl><details><summary>How</summary><p>folded</p></details>"
        "<aside>beside</aside><p><cite>log</cite><cite> </cite></p><figure><figcaption>cap</figcaption></figure>"
    ).file
    assert file.disclosure_text == "m\nHow\nUnit: bar\nlog"
    assert file.body_text == "m prose Unit bar How folded beside log cap"


def test_tags_are_trimmed_and_each_stands_once() -> None:
    assert rows(memory(metas=[("tag", t) for t in ("b", " a ", "b", " ", "a")])).tags == ("b", "a")


def test_entities_come_from_metas_terms_and_languages() -> None:
    metas = [
        ("entity", e)
        for e in (
            "service:checkout-api",
            "url:http://x",
            "sanju",
            ":x",
            "x:",
            "a:b:c",
            " concept:drift ",
            "concept:drift",
        )
    ]
    inner = (
        "<p><mark>m</mark> <dfn>drift</dfn> <dfn>new term</dfn></p>"
        '<code data-lang="ts">x</code><code data-lang="TS">y</code><code>z</code>'
    )
    assert rows(memory(metas=metas, article=inner)).entities == (
        ("service", "checkout-api"),
        ("url", "http://x"),
        ("unknown", "sanju"),
        ("unknown", ":x"),
        ("unknown", "x:"),
        ("a", "b:c"),
        ("concept", "drift"),
        ("concept", "new term"),
        ("lang", "ts"),
    )


def test_facets_are_one_a_name_and_value_and_never_joined() -> None:
    inner = "<dl><dt>a b<dd>c<dt>a<dd>b c<dd>b c<dt>n<dd><data value='7'>7</data></dl>"
    assert article(inner).facets == (
        FacetRow("a b", "c", None),
        FacetRow("a", "b c", None),
        FacetRow("n", "7", 7.0),
    )


def test_citations_are_one_a_text_and_keep_the_first_address() -> None:
    assert article(
        '<p><q cite="/a">x</q><q cite="/b">x</q><cite>y</cite><q cite="/c">y</q></p>'
    ).citations == (
        ("x", "/a"),
        ("y", None),
    )


def test_edges_are_one_a_relation_and_target_and_never_to_itself() -> None:
    links = [
        ("part_of", "/areas/y.html"),
        ("part_of", "//areas/y.html"[1:]),
        ("supports", "/areas/y.html"),
        ("supports", "/areas/a/x.html"),
        ("blocks", "/projects/t/tasks/b.html"),
        ("about_person", "/resources/people/m.html"),
        ("from_session", "/nowhere"),
    ]
    assert rows(memory(links=links)).edges == (
        EdgeRow(EdgeRel.PART_OF, MemoryPath("areas/y.html"), EdgeClass.MEMORY),
        EdgeRow(EdgeRel.SUPPORTS, MemoryPath("areas/y.html"), EdgeClass.MEMORY),
        EdgeRow(EdgeRel.BLOCKS, MemoryPath("projects/t/tasks/b.html"), EdgeClass.TASK),
        EdgeRow(EdgeRel.ABOUT_PERSON, MemoryPath("resources/people/m.html"), EdgeClass.PERSON),
        EdgeRow(EdgeRel.FROM_SESSION, MemoryPath("nowhere"), EdgeClass.PROVENANCE),
    )


def test_a_file_that_breaks_the_format_is_skipped_with_its_reasons() -> None:
    skipped = skip(memory(title="", type_="folklore"))
    assert skipped.code is SkipCode.FORMAT
    assert skipped.reason == "the title is empty; memhtml-type is none of the ten types"
    assert (skipped.path, skipped.blob_sha) == ("areas/a/x.html", BLOB)


def test_a_reason_is_short() -> None:
    data = memory(body="".join(f'<p class="a" style="b"><time>{i}</time>' for i in range(50)))
    broken = memory(links=[(f"rel{i}" * 9, "x") for i in range(100)])
    assert len(skip(data).reason) <= 500
    assert len(skip(broken).reason) == 500


@pytest.mark.parametrize(
    "body",
    [
        '<p onclick="x()">x</p>',
        '<a href="javascript:x()">x</a>',
        '<img src="https://example.com/x.png">',
        "<template><script>x</script></template>",
        "<p>" + "x" * 70_000,
        "<h2>unknown</h2>",
    ],
)
def test_what_is_unsafe_to_show_keeps_its_row(body: str) -> None:
    assert rows(memory(body=body)).file.gist.startswith("Power")


def test_unknown_names_of_a_newer_writer_keep_the_row() -> None:
    data = memory(metas=[("mood", "calm")]).replace(
        b"</head>", b'<meta name="x-memhtml-run" content="r"></head>'
    )
    assert rows(data).file == rows(memory()).file


def test_a_file_over_a_mebibyte_is_not_even_parsed() -> None:
    padding = vocabulary.MAX_INDEXED_BYTES - len(memory(body="<p></p>"))
    assert rows(memory(body="<p>" + "x" * padding + "</p>")).file.word_count > 1
    assert skip(memory(body="<p>" + "x" * (padding + 1) + "</p>")).code is SkipCode.OVERSIZED


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("<section>" * 300 + "x" * 65_536, SkipCode.TOO_COMPLEX),
        ("<section>" * 150 + "x" * 65_536, None),
        ("<p " + " ".join(f"a{i}" for i in range(300)) + ">" + "x" * 65_536, SkipCode.TOO_COMPLEX),
        ("<p " + " ".join(f"a{i}" for i in range(200)) + ">" + "x" * 65_536, None),
        ("<section>" * 990, None),
        ("<section>" * 1500, SkipCode.TOO_COMPLEX),
        ("<p>" + "".join(f"<b id={i}>" for i in range(1500)) + "<p>x" * 1500, SkipCode.TOO_COMPLEX),
    ],
)
def test_a_file_that_would_cost_too_much_is_not_parsed(body: str, code: SkipCode | None) -> None:
    projected = project_file(MemoryPath("areas/x.html"), BLOB, memory(body=body))
    assert (projected.code if isinstance(projected, Skip) else None) is code


CONFLICT = "<<<<<<< HEAD\n<p>ours</p>\n=======\n<p>theirs</p>\n>>>>>>> topic\n"


@pytest.mark.parametrize(
    "text", [CONFLICT, CONFLICT.replace("\n", "\r\n"), "<<<<<<< a\n||||||| b\n=======\n>>>>>>> c"]
)
def test_an_unresolved_merge_is_no_memory(text: str) -> None:
    assert skip(memory(body="\n" + text)).code is SkipCode.CONFLICT


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< HEAD",
        ">>>>>>> a\n=======\n<<<<<<< b\n",
        "x " + CONFLICT.replace("\n", " "),
        "<<<<<<< a\n========\n>>>>>>> b",
    ],
)
def test_what_only_looks_like_a_merge_is_one(text: str) -> None:
    assert isinstance(project_file(MemoryPath("areas/x.html"), BLOB, memory(body="\n" + text)), MemoryRows)


def test_many_half_conflicts_take_linear_time() -> None:
    assert isinstance(
        project_file(MemoryPath("areas/x.html"), BLOB, memory(body="\n<<<<<<< a" * 90_000)), MemoryRows
    )


def test_the_digest_is_that_of_the_canonical_json() -> None:
    projected = rows(
        memory(metas=[("tag", "b"), ("tag", "a"), ("entity", "x:é")], links=[("supports", "/areas/y.html")])
    )
    expected = json.dumps(
        [list(projected.file), ["a", "b"], [["x", "é"]], [], [], [["supports", "areas/y.html", "memory"]]],
        separators=(",", ":"),
    )
    assert projected.row_digest == blake3.blake3(expected.encode()).hexdigest()


def test_the_digest_does_not_depend_on_the_order_of_children() -> None:
    one = rows(
        memory(
            metas=[("tag", "b"), ("tag", "a")], article="<p><mark>m</mark> <cite>x</cite> <cite>y</cite></p>"
        )
    )
    assert one.row_digest == row_digest(
        one.file, one.tags[::-1], one.entities, one.facets, one.citations[::-1], one.edges
    )


@pytest.mark.parametrize("column", FILE_COLUMNS)
def test_the_digest_covers_every_column(column: str) -> None:
    projected = rows(memory())
    changed = projected.file._replace(**{column: "other"})
    assert row_digest(changed, *projected[1:6]) != projected.row_digest


def test_the_columns_are_those_of_the_row_in_order() -> None:
    assert FileRow._fields == FILE_COLUMNS
    assert len(set(FILE_COLUMNS)) == 31


@given(st.binary(max_size=500))
def test_every_input_is_a_row_or_a_reason(data: bytes) -> None:
    projected = project_file(MemoryPath("areas/x.html"), BLOB, data)
    assert isinstance(projected, Skip)
    assert projected.reason
    assert dataclasses.is_dataclass(projected)


@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.text(max_size=10), max_size=4))
def test_every_valid_memory_is_projected_the_same_way_twice(
    title: str, claim: str, values: list[str]
) -> None:
    metas = [(name, value) for value in values for name in ("tag", "entity", "alias")]
    data = memory(
        f"m {claim}", title=f"t {title}", metas=metas, body=f"<dl><dt>{len(values)}<dd>{claim!r}</dl>"
    )
    first = project_file(MemoryPath("areas/x.html"), BLOB, data)
    assert first == project_file(MemoryPath("areas/x.html"), BLOB, data)
    assert isinstance(first, MemoryRows)
    for children in first[1:6]:
        assert len(set(children)) == len(children)
