"""The report on entities: three clocks, spellings apart, and every entity counted."""

import pytest
from builders import memory

from memhtml.app.entities import EntityActivity, activity
from memhtml.errors import InvalidFlag

from .conftest import MakeStore


def about(entity: str, updated: str, event: str | None = None, **more: str) -> bytes:
    seen = f' <time datetime="{event}">then</time>' if event else ""
    article = f"<p><mark>{entity} at {updated}</mark>{seen}</p>"
    return memory(article=article, updated=updated, metas=[("entity", entity)], **more)  # type: ignore[arg-type]  # passed on


FILES = {
    "areas/1.html": about("person:Ada", "2026-01-01T00:00:00Z", "2026-03-01"),
    "areas/2.html": about("person:Ada", "2026-03-15T00:00:00Z"),
    "projects/w/3.html": about("person:ada", "2026-02-15T00:00:00Z"),
    "areas/4.html": about("service:api", "2026-04-01T00:00:00Z", "2026-02-01"),
    "archive/2025/areas/5.html": about("service:old", "2026-04-20T00:00:00Z", status="archived"),
}


def test_each_clock_is_a_maximum_of_its_own(make_store: MakeStore) -> None:
    report = activity(make_store(FILES))
    assert report.entities == (
        EntityActivity("person", "Ada", 2, "2026-03-15T00:00:00Z", "2026-03-01", "2026-03-15T00:00:00Z"),
        EntityActivity("person", "ada", 1, "2026-02-15T00:00:00Z", None, "2026-02-15T00:00:00Z"),
        EntityActivity("service", "api", 1, "2026-02-01", "2026-02-01", "2026-04-01T00:00:00Z"),
    )
    assert report.entity_count == 3


def test_a_clamped_answer_says_how_many_there_are(make_store: MakeStore) -> None:
    report = activity(make_store(FILES), limit=1)
    assert ([entity.entity_name for entity in report.entities], report.entity_count) == (["Ada"], 3)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ({"type": "PERSON"}, ["Ada", "ada"]),
        ({"type": "pers"}, []),
        ({"type": " "}, ["Ada", "ada", "api"]),
        ({"type": "service", "include_archived": True}, ["old", "api"]),
        ({"workspace": "w"}, ["ada"]),
        ({"type": "service", "workspace": "w"}, []),
    ],
)
def test_a_report_can_be_narrowed(make_store: MakeStore, words: dict[str, object], names: list[str]) -> None:
    report = activity(make_store(FILES), **words)  # type: ignore[arg-type]  # the table's values are of many types
    assert [entity.entity_name for entity in report.entities] == names
    assert report.entity_count == len(names)


def test_tasks_count(make_store: MakeStore) -> None:
    task = memory(type_="task", metas=[("task-status", "todo"), ("entity", "person:bo")])
    assert activity(make_store({"areas/inbox/tasks/t.html": task})).entity_count == 1


@pytest.mark.parametrize("limit", [0, 501])
def test_a_report_has_one_to_five_hundred_entities(make_store: MakeStore, limit: int) -> None:
    with pytest.raises(InvalidFlag):
        activity(make_store({}), limit=limit)
