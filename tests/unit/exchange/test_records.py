"""Notes that come as JSON."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported import plan_of, refusal_codes

from memhtml.exchange.note import Note
from memhtml.exchange.records import MAX_LINE, limited, notes_of_json, notes_of_lines
from memhtml.exchange.report import ImportPlan
from memhtml.format.document import Document
from memhtml.format.parse import parse
from memhtml.values import TaskStatus


def from_json(value: object) -> ImportPlan:
    return plan_of(*notes_of_json("export.json", json.dumps(value)), name="export.json")


def from_lines(*records: object) -> ImportPlan:
    lines = [json.dumps(record).encode() for record in records]
    return plan_of(*notes_of_lines("notes.jsonl", lines), name="notes.jsonl")


def documents(plan: ImportPlan) -> list[Document]:
    files = dict(plan.files)
    return [parse(files[each.path]) for each in plan.imported]


def test_a_line_is_a_note_with_a_path() -> None:
    (found,) = documents(
        from_lines(
            {
                "path": "rails/a.md",
                "title": "A title",
                "created": "2020-01-02T03:04:05+01:00",
                "updated": "2020-02-02T03:04:05Z",
                "text": "# A title\n\nA fact about rails.",
            }
        )
    )
    assert (found.title, found.gist, found.tags) == ("A title", "A fact about rails.", ("rails",))
    assert (found.created, found.updated) == ("2020-01-02T02:04:05Z", "2020-02-02T03:04:05Z")


@pytest.mark.parametrize(
    "wrapped", [lambda m: m, lambda m: {"results": m, "relations": []}, lambda m: {"memories": m}]
)
def test_an_export_of_an_assistants_memories_is_a_fact_each(wrapped: object) -> None:
    memories = [
        {
            "id": "m-1",
            "memory": "Prefers tea over coffee.",
            "user_id": "mara",
            "categories": ["food"],
            "metadata": {"source": "chat"},
            "created_at": "2024-07-26T01:02:03.456-07:00",
            "updated_at": None,
            "hash": "abc",
        },
        {"id": "m-2", "memory": "Lives by the sea.", "created_at": 1721980800.5},
    ]
    first, second = documents(from_json(wrapped(memories)))  # type: ignore[operator] # one of the three above
    assert (first.title, first.gist, first.tags) == ("Prefers tea over coffee.",) * 2 + (("food",),)
    assert first.created == "2024-07-26T08:02:03Z"
    assert {facet.name: facet.value for facet in first.facets} == {"user id": "mara", "source": "chat"}
    assert second.created == "2024-07-26T08:00:00Z"


def test_a_list_of_sentences_is_a_fact_each() -> None:
    assert [each.gist for each in documents(from_json(["Lives by the sea.", "Owns two boats."]))] == [
        "Lives by the sea.",
        "Owns two boats.",
    ]


def test_an_entity_with_observations_is_a_fact_each_about_the_entity() -> None:
    plan = from_lines(
        {"type": "entity", "name": "Mara", "entityType": "person", "observations": ["Lives by the sea."]},
        {"type": "relation", "from": "Mara", "to": "Sea", "relationType": "lives by"},
    )
    (found,) = documents(plan)
    assert (found.gist, found.entities) == ("Lives by the sea.", ("person:Mara",))
    assert plan.imported[0].path.startswith("resources/people/")
    assert refusal_codes(plan) == ["NOT_A_NOTE"]


@pytest.mark.parametrize(
    "value",
    [
        [{"title": "Chat", "mapping": {"a": {"message": {}}}}],
        {"messages": [{"role": "user", "content": "Hello, how are you?"}]},
        {"chat_messages": [{"text": "Hello there, all of you."}]},
    ],
)
def test_a_conversation_is_refused(value: object) -> None:
    assert refusal_codes(from_json(value)) == ["TRANSCRIPT"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "BAD_JSON"),
        ("{", "BAD_JSON"),
        ("[" * 100_000, "BAD_JSON"),
        ("1" * 5_000, "BAD_JSON"),
        ("null", "NOT_A_NOTE"),
        ('[["nested list"]]', "NOT_A_NOTE"),
        ('{"title": "no text"}', "NOT_A_NOTE"),
        ('{"text": "A fact of three words.", "is_deleted": true}', "RETIRED"),
    ],
)
def test_what_is_no_export_is_refused(text: str, code: str) -> None:
    assert refusal_codes(plan_of(*notes_of_json("x.json", text))) == [code]


_ITEM = {"issue_type": "task", "created_at": "2026-02-11T12:49:38.742719614+01:00", "created_by": "Dev Two"}


def test_work_items_are_tasks_joined_as_they_depend_on_each_other() -> None:
    plan = from_lines(
        {
            **_ITEM,
            "id": "hive-1",
            "title": "Epic",
            "status": "open",
            "issue_type": "epic",
            "description": "All of it.",
        },
        {
            **_ITEM,
            "id": "hive-1.1",
            "title": "Second",
            "status": "in_progress",
            "description": "Do *it*.",
            "notes": "Mind the gap.",
            "labels": ["ui"],
            "dependencies": [
                {"type": "parent-child", "depends_on_id": "hive-1"},
                {"type": "blocks", "depends_on_id": "hive-1.0"},
            ],
        },
        {
            **_ITEM,
            "id": "hive-1.0",
            "title": "First",
            "status": "closed",
            "close_reason": "Closed",
            "description": "X.",
        },
        {**_ITEM, "id": "hive-2", "title": "Gone", "status": "tombstone"},
    )
    epic, second, first = documents(plan)
    assert [each.task_status for each in (epic, second, first)] == [
        TaskStatus.TODO,
        TaskStatus.DOING,
        TaskStatus.DONE,
    ]
    assert [each.path for each in plan.imported] == [
        f"projects/hive/tasks/{name}.html" for name in ("epic", "second", "first")
    ]
    assert second.links == (("memhtml-subtask-of", "/projects/hive/tasks/epic.html"),)
    assert first.links == (("memhtml-blocks", "/projects/hive/tasks/second.html"),)
    assert second.body_text == "Second Do it. Notes Mind the gap."
    assert (second.tags, second.author, second.created) == (("ui",), "human:Dev Two", "2026-02-11T11:49:38Z")
    assert refusal_codes(plan) == ["RETIRED"]


def test_lines_that_cannot_be_read_are_refused_by_their_numbers_and_the_others_are_not() -> None:
    long = b'{"text": "' + b"x" * MAX_LINE + b'"}\n'
    data = (
        b'\xef\xbb\xbf{"text": "A fact to keep."}\n\n'
        + long
        + b'{"text": "\xff"}\n{\n{"text": "One more fact."}'
    )
    plan = plan_of(*notes_of_lines("n.jsonl", limited(io.BytesIO(data).readline)))
    assert [(each.source, each.code.value) for each in plan.refused] == [
        ("n.jsonl:3", "TOO_LARGE"),
        ("n.jsonl:4", "NOT_UTF8"),
        ("n.jsonl:5", "BAD_JSON"),
    ]
    assert [each.gist for each in documents(plan)] == ["A fact to keep.", "One more fact."]


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["text", "memory", "title", "id", "path", "status", "issue_type", "tags", "metadata",
                         "dependencies", "observations", "name", "created", "memories", "html", "article_html"]),
        inner,
        max_size=5,
    ),
    max_leaves=12,
)  # fmt: skip


@given(_JSON)
def test_any_json_is_notes_and_refusals(value: object) -> None:
    text = json.dumps(value)
    assert all(isinstance(each, Note) or each.reason for each in notes_of_json("x.json", text))
    plan = plan_of(*notes_of_json("x.json", text))
    assert len(plan.files) == len(plan.imported)
