"""Edits of heads: the lines that were asked for, and no other byte."""

import pytest
from builders import memory
from integration.store.conftest import everything_in, subjects
from integration.store.test_archive import PROBE, bytes_at, planted, sound

from memhtml.app.edit import Changes, edit
from memhtml.app.wire import Store
from memhtml.errors import InvalidMemory, MemhtmlError, PathNotFound, PathRefused, SecretRefused
from memhtml.format.parse import parse

TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TASK = "areas/inbox/tasks/paint.html"


@pytest.fixture
def probed(store: Store) -> Store:
    metas = [("importance", "8"), ("tag", "sensors"), ("tag", "cold  days"), ("valid-from", "2026-01-01")]
    aligned = memory("A probe reads low.", title="Probe", metas=metas)
    aligned = aligned.replace(
        b'<meta name="memhtml-tag" content="sensors">',
        b"<!-- mine -->  <META NAME=memhtml-tag  content='sensors'>",
    )
    task = memory("Paint it.", type_="task", metas=[("task-status", "todo"), ("due", "2026-09-01")])
    return planted(store, {PROBE: aligned, TASK: task})


def test_only_the_lines_that_were_asked_for_differ(probed: Store) -> None:
    before = bytes_at(probed, PROBE).splitlines()
    done = edit(probed, PROBE, Changes(importance=3, add_tags=("warm",), remove_tags=("cold days",)))
    assert set(done.changed) == {"importance", "tag"}
    after = bytes_at(probed, PROBE).splitlines()
    assert set(before) - set(after) == {
        b'<meta name="memhtml-updated" content="2026-03-11T17:42:30Z">',
        b'<meta name="memhtml-importance" content="8">',
        b'<meta name="memhtml-tag" content="cold  days">',
    }
    assert len(after) == len(before)
    assert parse(bytes_at(probed, PROBE)).tags == ("sensors", "warm")
    assert subjects(probed.root)[0] == f"memhtml(edit): {PROBE}"
    sound(probed)


def test_what_is_so_already_is_no_commit(probed: Store) -> None:
    before = everything_in(probed.root)
    changes = Changes(importance=8, add_tags=("sensors",), remove_tags=("unknown",), clear=("due",))
    assert edit(probed, PROBE, changes).commit_sha is None
    assert everything_in(probed.root) == before


def test_every_field_can_be_set_and_left_unsaid_again(probed: Store) -> None:
    before = bytes_at(probed, TASK)
    edit(
        probed,
        TASK,
        Changes(
            importance=1,
            confidence=0.5,
            valid_from="2026-01-01T01:00:00+01:00",
            valid_until="2026-12-31",
            due="2026-10-01",
            add_entities=("person:ada",),
            add_aliases=("painting",),
        ),
    )
    said = parse(bytes_at(probed, TASK))
    assert (said.importance, said.confidence, said.due) == (1, 0.5, "2026-10-01")
    assert (said.valid_from, said.valid_until) == ("2026-01-01T00:00:00Z", "2026-12-31")
    assert (said.entities, said.aliases) == (("person:ada",), ("painting",))
    clear = ("importance", "confidence", "valid-from", "valid-until")
    edit(
        probed,
        TASK,
        Changes(clear=clear, due="2026-09-01", remove_entities=("person:ada",), remove_aliases=("painting",)),
    )
    assert [line for line in bytes_at(probed, TASK).splitlines() if b"updated" not in line] == [
        line for line in before.splitlines() if b"updated" not in line
    ]


@pytest.mark.parametrize(
    ("path", "changes", "error"),
    [
        ("areas/none.html", Changes(importance=3), PathNotFound),
        ("../x.html", Changes(importance=3), PathRefused),
        (PROBE, Changes(importance=11), InvalidMemory),
        (PROBE, Changes(confidence=1.5), InvalidMemory),
        (PROBE, Changes(confidence=float("nan")), InvalidMemory),
        (PROBE, Changes(valid_until="next tuesday"), InvalidMemory),
        (PROBE, Changes(valid_until="2025-12-31"), InvalidMemory),
        (PROBE, Changes(due="2026-09-01"), InvalidMemory),
        (PROBE, Changes(add_entities=("nobody",)), InvalidMemory),
        (PROBE, Changes(add_tags=(TOKEN,)), SecretRefused),
        (PROBE, Changes(importance=3, reason=TOKEN), SecretRefused),
        (TASK, Changes(clear=("valid-from",), due="soon"), InvalidMemory),
        (PROBE, Changes(add_tags=tuple(f"t{n}" for n in range(300))), InvalidMemory),
    ],
)
def test_a_refused_edit_leaves_everything_as_it_was(
    probed: Store, path: str, changes: Changes, error: type[MemhtmlError]
) -> None:
    before = everything_in(probed.root)
    with pytest.raises(error):
        edit(probed, path, changes)
    assert everything_in(probed.root) == before


def test_hostile_values_stay_values(probed: Store) -> None:
    edit(probed, PROBE, Changes(add_tags=('"><script>alert(1)</script>', "a\nb\0c", " ")))
    assert parse(bytes_at(probed, PROBE)).tags[-2:] == (
        '"><script>alert(1)</script>',
        "a b\N{REPLACEMENT CHARACTER}c",
    )
    sound(probed)
