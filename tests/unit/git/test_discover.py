"""A repository's configuration file, as far as its format depends on it."""

import tempfile
from pathlib import Path

import pytest
from conftest import git
from hypothesis import given
from hypothesis import strategies as st

from memhtml.git.discover import parse_config

CONFIG = r"""
; a comment
[core] bare = true # not false
	repositoryformatversion = 1
[Extensions]
	objectFormat = "sha256"
	worktreeConfig
[remote "or\"igin"]
	promisor = yes
	url = "a;b" and \
c  ; rest
[core]
	worktree = ../a b
[branch.old]
	key=value
nonsense ] [
"""


def test_settings_are_read_as_git_reads_them() -> None:
    assert dict(parse_config(CONFIG)) == {
        "core.bare": "true",
        "core.repositoryformatversion": "1",
        "extensions.objectformat": "sha256",
        "extensions.worktreeconfig": "",
        'remote.or"igin.promisor': "yes",
        'remote.or"igin.url': "a;b and c",
        "core.worktree": "../a b",
        "branch.old.key": "value",
    } | {"branch.old.nonsense": ""}


@given(st.text())
def test_any_text_is_a_configuration_of_some_settings(text: str) -> None:
    assert all("." in key for key, _ in parse_config(text))


@pytest.mark.parametrize(
    "value", ["plain", "with  blanks", " edges ", "a;b#c", 'quo"te', "back\\slash", "tab\tnew\nline"]
)
def test_a_value_that_git_wrote_reads_back(value: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "config")
        git(Path(folder), "config", "--file", str(file), "core.worktree", value)
        assert dict(parse_config(file.read_text())) == {"core.worktree": value}
