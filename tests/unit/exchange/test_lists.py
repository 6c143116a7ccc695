"""Notes that are lists of facts."""

from imported import note, plan_of, refusal_codes

from memhtml.format.parse import parse
from memhtml.values import MemoryType

AGENTS = """# Rules

Read this first, all of it.

## Build

- Run `make test` before a commit.
- Never push to main by hand. The pipeline does.

These rules hold:

- None

## See also

- [Design](docs/design.md)
"""

OBSERVED = """---
title: Coffee brewing
tags: [coffee]
---
# Coffee brewing

## Observations

- [method] Pour over gives more clarity than a press #brewing
- [preference] Light roasts taste best at 94 degrees #roast #water (measured)

## Relations

- part_of [[Kitchen]]
- pairs well with [[Chocolate]]
"""


def test_each_item_of_a_file_of_instructions_is_a_memory() -> None:
    plan = plan_of(note(AGENTS, "AGENTS.md"))
    said = {each.gist: each for each in (parse(data) for _, data in plan.files)}
    assert set(said) == {
        "Read this first, all of it.",
        "Run make test before a commit.",
        "Never push to main by hand.",
    }
    assert said["Never push to main by hand."].body_text.endswith("The pipeline does.")
    assert said["Run make test before a commit."].tags == ("Build",)
    assert {each.memory_type for each in said.values()} == {MemoryType.PROCEDURAL}
    assert refusal_codes(plan) == ["NO_PROSE", "LINKS_ONLY"]


def test_a_list_in_an_ordinary_note_stays_in_one_piece() -> None:
    assert len(plan_of(note(AGENTS, "rules.md")).files) == 1


def test_an_index_of_a_memory_folder_is_refused_whole() -> None:
    index = "# Memory\n\n- [a](a.md) — about a\n- [b](b.md) — about b\n"
    assert refusal_codes(plan_of(note(index, "MEMORY.md"))) == ["LINKS_ONLY"]


def test_observations_are_memories_of_their_own_and_part_of_their_note() -> None:
    kitchen = note("The kitchen has one window.", "kitchen.md", title="Kitchen")
    plan = plan_of(note(OBSERVED, "coffee.md"), kitchen)
    files = {path: parse(data) for path, data in plan.files}
    by_gist = {each.gist: each for each in files.values()}
    method = by_gist["Pour over gives more clarity than a press"]
    assert method.tags == ("coffee", "method", "brewing")
    assert [link.rel for link in method.links] == ["memhtml-part-of"]
    preference = by_gist["Light roasts taste best at 94 degrees #roast #water (measured)"]
    assert preference.memory_type is MemoryType.USER_PREFERENCE
    whole = by_gist["Coffee brewing"]
    assert (("memhtml-part-of", "/areas/inbox/kitchen.html")) in whole.links
    assert files[method.links[0].href[1:]] == whole


def test_boxes_of_a_list_of_tasks_are_no_observations() -> None:
    plan = plan_of(note("What is left to do here:\n\n- [ ] One thing to do\n- [x] One thing that is done\n"))
    assert len(plan.files) == 1
