"""The manifest tells what the parser takes, and the parser takes what the manifest tells."""

import importlib
import json
import pkgutil
import shutil
import subprocess
from pathlib import Path

import pytest
from cli.processes import PROGRAM, memhtml, memhtml_on_a_terminal

from memhtml.app.manifest import RESPONSE_TYPES
from memhtml.app.op_lines import read_op_lines
from memhtml.cli import commands
from memhtml.cli.completion import script
from memhtml.cli.help import manifest_of, overview
from memhtml.cli.parsing import parse
from memhtml.cli.table import COMMANDS, SHELLS
from memhtml.cli.terminal import Paint
from memhtml.errors import CODES
from memhtml.safety import SecretCode
from memhtml.settings import VARIABLES

MANIFEST = json.loads(json.dumps(manifest_of(COMMANDS)))


def test_the_manifest_has_the_parts_that_callers_know() -> None:
    assert set(MANIFEST) == {
        "name",
        "version",
        "summary",
        "apiVersion",
        "guide",
        "globalFlags",
        "errorCodes",
        "config",
        "responseTypes",
        "commands",
    }


def test_every_command_of_the_manifest_has_a_module_and_every_module_a_command() -> None:
    modules = {module.name for module in pkgutil.iter_modules(commands.__path__)}
    assert modules == {row["name"].replace(" ", "_").replace("-", "_") for row in MANIFEST["commands"]} | {
        "version"
    }
    for name in modules:
        assert callable(importlib.import_module(f"memhtml.cli.commands.{name}").run)


def test_names_and_codes_stand_once() -> None:
    for names in (
        [row["name"] for row in MANIFEST["commands"]],
        [row["code"] for row in MANIFEST["errorCodes"]],
        MANIFEST["responseTypes"],
        [row["name"] for row in MANIFEST["config"]],
    ):
        assert len(names) == len(set(names))


def test_every_command_answers_with_a_known_type() -> None:
    for row in MANIFEST["commands"]:
        assert set(row["responseTypes"]) <= set(RESPONSE_TYPES)
    assert set(RESPONSE_TYPES) == {t for row in MANIFEST["commands"] for t in row["responseTypes"]} | {
        "cli.version"
    }


def test_every_code_has_a_sentence_and_every_variable_an_effect() -> None:
    assert [row["code"] for row in MANIFEST["errorCodes"]] == list(CODES)
    assert all(row["description"].endswith(".") for row in MANIFEST["errorCodes"])
    assert [row["name"] for row in MANIFEST["config"]] == [variable.name for variable in VARIABLES]


@pytest.mark.parametrize("row", MANIFEST["commands"], ids=lambda row: row["name"])
def test_every_flag_that_is_told_is_taken(row: dict[str, list[dict[str, object]]]) -> None:
    words = [
        (argument.get("values") or ["word"])[0]  # type: ignore[index]  # JSON: a list where it is there
        for argument in row["args"]
        if argument["required"]
    ]
    for flag in row["flags"]:
        if flag.get("required"):
            words += f"--{flag['name']}", (flag.get("values") or ["text"])[0]  # type: ignore[index]  # as above
    for flag in (*row["flags"], *MANIFEST["globalFlags"]):
        name = str(flag["name"])
        call = [*str(row["name"]).split(" "), *words]
        if flag["type"] == "boolean":
            assert parse([*call, f"--{name}"]).switch(name) is True
            assert parse([*call, f"--no-{name}"]).switch(name) is False
        elif flag["type"] == "integer":
            assert parse([*call, f"--{name}", str(flag["maximum"])]).integer(name) == flag["maximum"]
        else:
            values = flag.get("values") or ["text"]
            assert isinstance(values, list)
            assert parse([*call, f"--{name}", values[-1]]).texts(name)[-1] == values[-1]


def test_the_kinds_of_secret_that_can_be_allowed_are_those_that_are_found() -> None:
    flags = [flag for row in MANIFEST["commands"] for flag in row["flags"] if flag["name"] == "allow-secret"]
    assert flags
    assert all(flag["values"] == [code.value for code in SecretCode] for flag in flags)


def test_the_example_of_a_batch_is_one_that_can_be_applied() -> None:
    (text,) = [topic["text"] for topic in MANIFEST["guide"] if topic["topic"] == "batches"]
    example = text[text.index("{") : text.index("}") + 1]
    (op,) = read_op_lines(example.encode())
    assert (op.memory_type, op.tags) == ("procedural", ("deploys",))


def test_nothing_beyond_what_is_told_is_taken() -> None:
    told = {row["name"]: {flag["name"] for flag in row["flags"]} for row in MANIFEST["commands"]}
    assert told == {command.name: {flag.name for flag in command.flags} for command in COMMANDS}


def test_help_about_one_command_is_that_part_of_the_manifest() -> None:
    for words in (("help", "search"), ("search", "--help"), ("search", "x", "--help")):
        assert [row["name"] for row in memhtml(*words).data["commands"]] == ["search"]
    assert {row["name"].split(" ")[0] for row in memhtml("help", "index").data["commands"]} == {"index"}


def test_help_for_a_person_names_every_command_in_a_line() -> None:
    lines = overview(Paint(enabled=False)).splitlines()
    for command in COMMANDS:
        assert any(line.startswith(f"  {command.name} ") for line in lines)
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_on_a_command_tells_every_flag(command: object) -> None:
    found = next(c for c in COMMANDS if c is command)
    shown = memhtml_on_a_terminal("help", *found.name.split(" "), env={"NO_COLOR": "1"}).stdout.decode()
    for flag in found.flags:
        assert f"--{flag.name}" in shown or f"--[no-]{flag.name}" in shown


@pytest.mark.parametrize("shell", SHELLS)
def test_a_completion_script_goes_to_the_shell_as_it_is(shell: str) -> None:
    assert memhtml("completion", shell).stdout.decode() == script(shell)
    assert memhtml("completion", shell, "--json").data == {"shell": shell, "script": script(shell)}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_accepts_its_script(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    file = tmp_path / "completion"
    file.write_text(script(shell))
    done = subprocess.run([shell, "-n", str(file)], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["memhtml", "se"], {"search"}),
        (["memhtml", "index", "re"], {"rebuild"}),
        (["memhtml", "index", "rebuild", "--fo"], {"--force"}),
        (["memhtml", "search", "x", "--type", "epi"], {"episodic"}),
        (["memhtml", "completion", "f"], {"fish"}),
        (["memhtml", "status", "--de"], {"--dense"}),
    ],
)
def test_bash_completes_commands_flags_and_values(typed: list[str], offered: set[str]) -> None:
    words = " ".join(f"'{word}'" for word in typed)
    ask = f"COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; _memhtml; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(
        ["bash", "-c", f'source <("{PROGRAM}" completion bash)\n{ask}'], capture_output=True, check=True
    )
    assert set(done.stdout.decode().split()) == offered
