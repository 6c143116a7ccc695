"""The pages keep their promises: examples are run as they stand, and generated parts are what the program says."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.processes import PROGRAM, child_environment, on_a_terminal

from memhtml.app.manifest import GLOBAL_FLAGS, RESPONSE_TYPES
from memhtml.cli.parsing import parse
from memhtml.cli.table import COMMANDS
from memhtml.errors import CODES
from memhtml.settings import VARIABLES

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = sorted([CHECKOUT / "README.md", *(CHECKOUT / "docs").glob("*.md")])
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: In an expected output, stands for whatever a commit, a date or a folder makes of it.
_ANYTHING = "…"


@dataclass(frozen=True)
class Step:
    command: str
    expected: str


def blocks(page: Path, language: str) -> list[str]:
    return [text for found, text in _BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def steps(page: Path) -> list[Step]:
    """The commands of a page in their order, each with the output that the page shows behind it."""
    found: list[Step] = []
    for block in blocks(page, "console"):
        lines = block.splitlines()
        at = 0
        while at < len(lines):
            assert lines[at].startswith("$ "), f"{page.name}: a console block begins with a command"
            command = lines[at][2:]
            at += 1
            if "<<'END'" in command:
                end = lines.index("END", at)
                command = "\n".join([command, *lines[at : end + 1]])
                at = end + 1
            output = []
            while at < len(lines) and not lines[at].startswith("$ "):
                output.append(lines[at])
                at += 1
            found.append(Step(command, "\n".join(output)))
    return found


def matches(expected: str, actual: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.strip().split(_ANYTHING))
    return re.fullmatch(pattern, actual.strip(), re.DOTALL) is not None


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "console")], ids=lambda page: page.name)
def test_every_example_does_what_its_page_shows(page: Path, tmp_path: Path) -> None:
    environment = child_environment(
        {
            "HOME": str(tmp_path),
            "PATH": f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}",
            "TERM": "dumb",
            "GIT_PAGER": "cat",  # a pager would wait for somebody to press a key
            "GIT_CONFIG_GLOBAL": str(tmp_path / ".gitconfig"),
        }
    )
    folder = tmp_path
    for step in steps(page):
        if step.command.startswith("cd "):
            folder = (folder / step.command[3:].replace("~", str(tmp_path))).resolve()
            continue
        ran = on_a_terminal(["bash", "-c", step.command], cwd=folder, env=environment)
        shown = (ran.stdout + ran.stderr).decode()
        assert matches(step.expected, shown), f"{page.name}: $ {step.command}\n{shown}"
        assert ran.status == 0, f"{page.name}: $ {step.command}\n{shown}"


def test_the_examples_of_the_first_pages_are_found() -> None:
    assert len(steps(CHECKOUT / "README.md")) >= 8
    assert len(steps(CHECKOUT / "docs" / "getting-started.md")) >= 8


def test_the_comparison_of_outputs_can_fail() -> None:
    assert matches("a … c", "a b\nb c\n")
    assert not matches("a … c", "a b d")
    assert not matches("", "something")


def test_generated_parts_are_up_to_date() -> None:
    script = str(CHECKOUT / "docs" / "reference.py")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode() + "run `make docs`"


def test_the_command_page_describes_every_command_and_no_other() -> None:
    text = (CHECKOUT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert re.findall(r"^### `(.+)`$", text, re.MULTILINE) == [command.name for command in COMMANDS]
    for command in COMMANDS:
        section = text.split(f"### `{command.name}`")[1].split("\n### ")[0]
        for flag in command.flags:
            assert f"--{flag.name}" in section or f"--no-{flag.name}" in section
    for flag in GLOBAL_FLAGS:
        assert f"`--{flag.name}" in text
    for kind in RESPONSE_TYPES:
        assert f"`{kind}`" in text


def test_every_code_and_every_variable_is_documented() -> None:
    errors = (CHECKOUT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(ERR_\w+)`", errors, re.MULTILINE) == list(CODES)
    settings = (CHECKOUT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([A-Z_]+)`", settings, re.MULTILINE) == [v.name for v in VARIABLES]


def test_every_memhtml_command_that_a_page_mentions_parses() -> None:
    for page in PAGES:
        for mention in re.findall(r"`memhtml ([^`…]+)`", page.read_text(encoding="utf-8")):
            words = mention.split()
            if words[0].startswith("<"):
                continue
            parse(words)


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        prose = _BLOCK.sub("", page.read_text(encoding="utf-8"))  # an example may hold a link of its own
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
            assert (page.parent / target).exists(), f"{page.name} -> {target}"


def test_the_glossary_is_sorted_and_says_each_word_once() -> None:
    text = (CHECKOUT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\*\*(.+?)\*\* [A-Z]", text, re.MULTILINE)
    assert len(words) > 20
    assert words == sorted(set(words))
