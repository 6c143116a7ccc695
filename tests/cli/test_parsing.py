"""The one parser: what it takes, what it refuses, and that its own suggestions parse."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml import errors
from memhtml.app.manifest import GLOBAL_FLAGS, Command
from memhtml.cli.parsing import distance, nearest_commands, parse
from memhtml.cli.table import COMMANDS
from memhtml.errors import (
    InvalidFlag,
    MemhtmlError,
    MissingArgument,
    UnexpectedArgument,
    UnknownCommand,
    UsageError,
)


def refusal(*argv: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse(argv)
    return caught.value


def parses(hint: str) -> bool:
    words = shlex.split(hint)
    assert words[0] == "memhtml", hint
    parse(words[1:])
    return True


def test_a_value_may_stand_behind_an_equals_sign_or_a_space() -> None:
    assert parse(["search", "x", "--limit", "3"]) == parse(["search", "x", "--limit=3"])
    assert parse(["search", "x", "--explain"]) == parse(["search", "x", "--explain=true"])


def test_flags_may_stand_before_between_and_behind_the_words() -> None:
    calls = [
        ["--repo", "/s", "index", "rebuild", "--force"],
        ["index", "--force", "rebuild", "--repo=/s"],
        ["index", "rebuild", "--force", "--repo", "/s"],
    ]
    parsed = [parse(argv) for argv in calls]
    assert {call.command.name for call in parsed} == {"index rebuild"}
    assert {call.text("repo") for call in parsed} == {"/s"}
    assert all(call.switch("force") for call in parsed)


def test_the_no_form_turns_off_what_is_on_by_default() -> None:
    assert parse(["index", "update"]).switch("embed") is True
    assert parse(["index", "update", "--no-embed"]).switch("embed") is False
    assert parse(["index", "update", "--embed=off"]).switch("embed") is False
    assert parse(["index", "update", "--no-embed", "--embed"]).switch("embed") is True


def test_a_repeated_flag_keeps_every_value_and_a_plain_one_the_last() -> None:
    call = parse(["search", "x", "--tag", "a", "--tag=b", "--limit", "3", "--limit", "4"])
    assert call.texts("tag") == ("a", "b")
    assert call.integer("limit") == 4


def test_a_one_word_command_is_never_folded_into_a_compound() -> None:
    call = parse(["search", "index", "rebuild"])
    assert call.command.name == "search"
    assert call.word("query") == "index rebuild"


@pytest.mark.parametrize("query", ["-zebra", "-1", "don't revert", "service:x rollback", "", "-", "héllo"])
def test_anything_without_two_dashes_is_a_word_of_a_query(query: str) -> None:
    assert parse(["search", query]).word("query") == query


def test_behind_two_dashes_everything_is_a_word() -> None:
    assert parse(["search", "--", "--limit", "x"]).word("query") == "--limit x"


def test_no_word_at_all_is_the_manifest() -> None:
    assert parse([]).command.name == "manifest"
    assert parse(["--help"]).switch("help")


def test_an_empty_value_counts_as_none() -> None:
    call = parse(["list", "--workspace", "", "--repo="])
    assert call.text("workspace") is None
    assert call.text("repo") is None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["manifets"], "manifest"),
        (["index", "rebiuld"], "index rebuild"),
        (["indx", "rebuild"], "index rebuild"),
        (["entity", "actvity"], "entity activity"),
        (["serach", "how", "do", "we", "deploy"], "search"),
        (["docter"], "doctor"),
    ],
)
def test_a_misspelt_command_is_answered_with_the_one_that_was_meant(typed: list[str], meant: str) -> None:
    error = refusal(*typed)
    assert isinstance(error, UnknownCommand)
    assert error.hints[0].startswith(f"memhtml {meant}")
    assert " ".join(typed[:2]) in error.message
    assert all(parses(hint) for hint in error.hints)


def test_nothing_near_means_no_suggestion() -> None:
    error = refusal("zzzzzzzzzzzz", "qqqqqqqqqqqq")
    assert (error.code, error.hints, error.exit_status) == ("ERR_UNKNOWN_COMMAND", (), 2)


def test_half_a_compound_is_answered_with_all_its_members() -> None:
    assert set(refusal("index").hints) == {
        "memhtml index rebuild",
        "memhtml index update",
        "memhtml index status",
        "memhtml index verify",
        "memhtml index embed",
    }


def test_a_misspelt_flag_is_answered_with_the_one_that_was_meant() -> None:
    error = refusal("manifest", "--densee")
    assert isinstance(error, InvalidFlag)
    assert "--dense" in error.message
    assert error.hints == ("memhtml manifest --dense",)
    assert parses(error.hints[0])


def test_a_flag_of_another_command_is_refused() -> None:
    error = refusal("status", "--limit", "3")
    assert isinstance(error, InvalidFlag)
    assert "--limit is no flag of status" in error.message
    assert all(parses(hint) for hint in error.hints)


@pytest.mark.parametrize("value", ["ten", "1.5", "0", "201", "-1", "1_0", "٣", "9" * 40, " 5"])
def test_a_number_that_is_none_or_out_of_bounds_is_a_usage_error(value: str) -> None:
    error = refusal("search", "x", f"--limit={value}")
    assert (type(error), error.exit_status) == (InvalidFlag, 2)
    assert all(parses(hint) for hint in error.hints)


def test_a_value_outside_its_closed_set_is_refused_with_the_near_ones() -> None:
    error = refusal("list", "--type", "epesodic")
    assert isinstance(error, InvalidFlag)
    assert "memhtml list --type episodic" in error.hints
    assert all(parses(hint) for hint in error.hints)
    assert len(refusal("list", "--type", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx").hints) == 10


@pytest.mark.parametrize("argv", [["search", "x", "--limit"], ["search", "x", "--limit", "--explain"]])
def test_a_flag_without_its_value_is_refused(argv: list[str]) -> None:
    assert isinstance(refusal(*argv), MissingArgument)


def test_a_missing_word_is_answered_with_the_shape_of_the_call() -> None:
    error = refusal("read")
    assert isinstance(error, MissingArgument)
    assert "path" in error.message
    assert error.hints == ("memhtml read <path>",)


def test_a_word_too_many_is_refused() -> None:
    assert isinstance(refusal("status", "now"), UnexpectedArgument)
    assert isinstance(refusal("read", "a", "b"), UnexpectedArgument)
    assert isinstance(refusal("completion", "tcsh"), InvalidFlag)


def test_a_bad_switch_value_is_refused() -> None:
    assert isinstance(refusal("index", "update", "--embed=perhaps"), InvalidFlag)
    assert isinstance(refusal("index", "update", "--no-embed=true"), InvalidFlag)


def test_a_required_flag_is_asked_for_with_a_call_that_parses() -> None:
    error = refusal("write", "--title", "x")
    assert isinstance(error, MissingArgument)
    assert "--type" in error.message
    assert all(parses(hint) for hint in error.hints)
    assert isinstance(refusal("write", "--title=", "--type", "semantic"), MissingArgument)
    assert all(parses(hint) for hint in refusal("write", "--title", "x", "--importance", "11").hints)
    assert parse(["write", "--help"]).switch("help")


def test_the_first_thing_that_is_wrong_is_the_one_that_is_told() -> None:
    assert isinstance(refusal("nonsense", "--nonsense"), InvalidFlag)
    assert isinstance(refusal("nonsense", "--limit", "x"), UnknownCommand)
    assert isinstance(refusal("read", "--limit", "3"), InvalidFlag)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_shape_of_every_command_parses(command: Command) -> None:
    assert parses(command.shape)


def test_flags_of_one_name_are_of_one_kind_in_every_command() -> None:
    """Words and flags are told apart before the command is known."""
    kinds: dict[str, set[str]] = {}
    for flag in (*GLOBAL_FLAGS, *(flag for command in COMMANDS for flag in command.flags)):
        kinds.setdefault(flag.name, set()).add(flag.kind)
        assert not flag.name.startswith("no-"), "a negative flag"
    assert {name: kind for name, kind in kinds.items() if len(kind) > 1} == {}


#: One of each error that takes arguments of its own, so that its hints can be judged.
SAMPLES: tuple[MemhtmlError, ...] = (
    errors.InvalidMemory("x"),
    errors.PathNotFound("areas/a.html"),
    errors.SecretRefused((("JWT", "title"),)),
    errors.DuplicateContent("areas/a.html", "number", hints=("memhtml read areas/a.html",)),
    errors.SaidElsewhere("areas/a.html"),
    errors.SaidElsewhere("areas/a.html"),
    errors.InputUnreadable("ops.jsonl", "why"),
    errors.DirtyTree(("areas/a.html",)),
    errors.WriteConflict("areas/a.html", None, "0" * 40),
    errors.PathRefused("areas/a.html", "why"),
    errors.LockHeld("the index", 1.0),
    errors.RebuildNoEmbedRefused(3, "m@4", "why"),
    errors.RepoRequired(),
    errors.IndexMissing(),
    errors.IndexStale(),
    errors.SchemaTooNew("index.db", "0009"),
    errors.SchemaChanged("state.db", "0001"),
    errors.EmbedModelMismatch("a@1", "b@1"),
    errors.ModelUnavailable("m", "why"),
    errors.IndexDamaged("why"),
)


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
def test_the_hints_of_every_error_parse(error: MemhtmlError) -> None:
    assert all(parses(hint) for hint in error.hints)
    assert not any("--json" in hint for hint in error.hints)


def test_every_error_with_hints_of_its_own_is_among_the_samples() -> None:
    pending, found = [MemhtmlError], set()
    while pending:
        cls = pending.pop()
        pending.extend(cls.__subclasses__())
        if "__init__" in vars(cls) and cls is not MemhtmlError:
            found.add(cls)
    assert found - {type(sample) for sample in SAMPLES} <= {errors.GitFailed, errors.StorageFailed}


@pytest.mark.parametrize("typed", ["index foo", "entity foo", "index rebiuld"])
def test_a_word_that_a_group_does_not_know_leads_to_its_members(typed: str) -> None:
    with pytest.raises(UnknownCommand) as refused:
        parse(typed.split(" "))
    group = typed.split(" ")[0]
    assert refused.value.hints
    assert all(hint.startswith(f"memhtml {group} ") for hint in refused.value.hints)
    assert f"{group} is followed by one of" in refused.value.message
    if typed == "index rebiuld":
        assert refused.value.hints[0] == "memhtml index rebuild"


@pytest.mark.parametrize("flag", ["repo", "limit", "tag"])
def test_a_flag_with_a_value_cannot_be_switched_off(flag: str) -> None:
    with pytest.raises(InvalidFlag, match=f"--{flag} takes a value, so there is no --no-{flag}"):
        parse(["search", "x", f"--no-{flag}"])


def test_the_example_of_a_flag_is_that_of_the_command() -> None:
    with pytest.raises(InvalidFlag) as refused:
        parse(["search", "x", "--limt", "3"])
    assert refused.value.hints == ("memhtml search <query> --limit 10",)


WORDS = st.one_of(
    st.sampled_from(sorted({word for command in COMMANDS for word in command.name.split(" ")})),
    st.sampled_from([f"--{flag.name}" for command in COMMANDS for flag in command.flags]),
    st.sampled_from([f"--{flag.name}" for flag in GLOBAL_FLAGS]),
    st.text(max_size=12),
    st.text(max_size=12).map(lambda text: f"--{text}"),
)


@given(st.lists(WORDS, max_size=6))
def test_any_words_parse_or_are_refused_with_suggestions_that_parse(argv: list[str]) -> None:
    try:
        parse(argv)
    except UsageError as error:
        assert all(parses(hint) for hint in error.hints)
        assert "\x1b" not in error.message


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_distance_is_a_metric_on_short_texts(a: str, b: str) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a[:64] == b[:64])
    assert abs(len(a[:64]) - len(b[:64])) <= distance(a, b) <= max(len(a[:64]), len(b[:64]))


def test_at_most_three_commands_are_suggested() -> None:
    assert len(nearest_commands(["i", "e"])) <= 3
