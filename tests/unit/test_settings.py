"""Settings: which store, which switches, and what a configuration file may say."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.errors import ConfigInvalid
from memhtml.settings import (
    CONFIG_FILE,
    EMBEDDERS,
    VARIABLES,
    Settings,
    StoreConfig,
    Variable,
    choose_root,
    expand,
    parse_config,
    read_config,
    read_manners,
    read_settings,
)


def test_an_empty_environment_means_the_defaults() -> None:
    assert read_settings({}) == Settings(root=None, embed=True)


@pytest.mark.parametrize("variable", VARIABLES, ids=lambda variable: variable.name)
def test_every_variable_has_an_effect(variable: Variable, tmp_path: Path) -> None:
    """What the manifest promises of a variable is read: another value gives another setting."""
    value = {"MEMHTML_ROOT": str(tmp_path), "MEMHTML_EMBED": "off", "MEMHTML_DEBUG": "on", "TERM": "dumb"}
    environ = {variable.name: value.get(variable.name, "1")}
    assert (read_settings(environ), read_manners(environ)) != (read_settings({}), read_manners({}))


@pytest.mark.parametrize("text", ["off", "OFF", " Off ", "0", "false", "no"])
def test_a_switch_is_turned_off_by_any_usual_word(text: str) -> None:
    assert read_settings({"MEMHTML_EMBED": text}).embed is False


@pytest.mark.parametrize("text", ["on", "1", "Yes", "true", "", "  "])
def test_a_switch_is_on_by_default_and_by_any_usual_word(text: str) -> None:
    assert read_settings({"MEMHTML_EMBED": text}).embed is True


@pytest.mark.parametrize("text", ["offf", "none", "2"])
def test_a_switch_that_is_misspelt_is_refused(text: str) -> None:
    with pytest.raises(ConfigInvalid, match="MEMHTML_EMBED"):
        read_settings({"MEMHTML_EMBED": text})


@given(st.dictionaries(st.sampled_from([v.name for v in VARIABLES]), st.text(max_size=10)))
def test_any_environment_is_read_or_refused_by_name(environ: dict[str, str]) -> None:
    read_manners(environ)
    try:
        read_settings(environ)
    except ConfigInvalid as error:
        assert any(name in error.message for name in environ)


@pytest.mark.parametrize(
    ("environ", "on_terminal", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour_follows_the_usual_variables(
    environ: dict[str, str], on_terminal: bool, coloured: bool
) -> None:
    assert read_manners(environ).wants_colour(on_terminal=on_terminal) is coloured


def test_a_leading_tilde_is_home_and_nothing_else_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert expand("~") == tmp_path
    assert expand("~/a/../b") == tmp_path / "b"
    assert expand("~nobody/x") == tmp_path / "~nobody" / "x"
    assert expand("a/~") == tmp_path / "a" / "~"


def test_the_root_is_looked_for_in_a_fixed_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    inside = tmp_path / "store" / "areas" / "deep"
    inside.mkdir(parents=True)
    (tmp_path / "store" / ".memhtml").mkdir()
    named = read_settings({"MEMHTML_ROOT": str(tmp_path / "other")})
    plain = read_settings({})
    assert choose_root("here", named, inside) == (expand("here"), True)
    assert choose_root(None, named, inside) == (tmp_path / "other", True)
    assert choose_root("", plain, inside) == (tmp_path / "store", True)
    assert choose_root(None, plain, tmp_path) == (tmp_path / "memhtml", False)


def test_only_a_current_folder_that_is_needed_is_missed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert choose_root("/a/b", read_settings({}), None) == (Path("/a/b"), True)
    assert choose_root("~/b", read_settings({}), None) == (tmp_path / "b", True)
    assert choose_root(None, read_settings({"MEMHTML_ROOT": "/a"}), None) == (Path("/a"), True)
    for repo in (None, "b"):
        with pytest.raises(ConfigInvalid, match="current folder is gone"):
            choose_root(repo, read_settings({}), None)


def test_a_store_without_a_configuration_has_the_defaults(tmp_path: Path) -> None:
    assert read_config(tmp_path) == StoreConfig() == StoreConfig(embedder="none")
    assert read_config(tmp_path / "absent") == StoreConfig()
    assert parse_config(b"# nothing\n") == StoreConfig()


@pytest.mark.parametrize("name", EMBEDDERS)
def test_a_configuration_names_one_of_the_embedders(name: str, tmp_path: Path) -> None:
    (tmp_path / ".memhtml").mkdir()
    (tmp_path / CONFIG_FILE).write_text(f'embedder = "{name}"\n')
    assert read_config(tmp_path) == StoreConfig(embedder=name)


@pytest.mark.parametrize(
    ("data", "place", "what"),
    [
        (b'# ours\n\nembedder = "magic"\n', "config.toml:3", "one of none, local, cohere, bedrock"),
        (b"embedder = 3\n", "config.toml:1", "one of"),
        (b'embeder = "none"\n', "config.toml:1", "unknown key embeder"),
        (b"embedder = \n", "config.toml", "line 1"),
        (b'\n"a\\u001b" = 1\n', "config.toml", "unknown key a?"),
        (b"\n# \xff\n", "config.toml:2", "not UTF-8"),
    ],
)
def test_a_configuration_that_is_wrong_is_refused_with_its_place(data: bytes, place: str, what: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        parse_config(data)
    assert place in caught.value.message
    assert what in caught.value.message


def test_a_configuration_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / CONFIG_FILE).mkdir(parents=True)
    with pytest.raises(ConfigInvalid, match="cannot be read"):
        read_config(tmp_path)


@given(st.binary(max_size=200))
def test_any_configuration_is_read_or_refused(data: bytes) -> None:
    try:
        assert parse_config(data).embedder in EMBEDDERS
    except ConfigInvalid as error:
        assert CONFIG_FILE in error.message
