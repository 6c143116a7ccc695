"""What the person set: environment variables and the store's own configuration file. Nothing else reads either.

Shell variables decide for one process. What every clone of a store must agree on, such as the embedder, stands in
the committed `.memhtml/config.toml`, so that no shell can switch it by accident.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memhtml.errors import ConfigInvalid

__all__ = [
    "CONFIG_FILE",
    "EMBEDDERS",
    "VARIABLES",
    "Manners",
    "RootSource",
    "Settings",
    "StoreConfig",
    "Variable",
    "choose_root",
    "expand",
    "parse_config",
    "read_config",
    "read_manners",
    "read_settings",
]

#: Where a store keeps its configuration, relative to its root.
CONFIG_FILE = ".memhtml/config.toml"


class Variable(NamedTuple):
    name: str
    default: str
    effect: str


VARIABLES: tuple[Variable, ...] = (
    Variable("MEMHTML_ROOT", "~/memhtml", "the store to work on; --repo wins over it"),
    Variable("MEMHTML_EMBED", "on", "off: this process does without an embedder"),
    Variable("MEMHTML_DEBUG", "off", "on: an unexpected failure prints its traceback on stderr"),
    Variable("NO_COLOR", "unset", "any value: no colour"),
    Variable("FORCE_COLOR", "unset", "any value: colour although the output is no terminal"),
    Variable("TERM", "unset", "dumb: no colour and no progress line"),
)

_DECLARED = frozenset(variable.name for variable in VARIABLES)


@dataclass(frozen=True, slots=True)
class Settings:
    """The environment, read once."""

    root: Path | None
    embed: bool


@dataclass(frozen=True, slots=True)
class Manners:
    """How to behave towards whoever is at the terminal. Reading them cannot fail: the last message needs them."""

    debug: bool
    no_color: bool
    force_color: bool
    dumb_terminal: bool

    def wants_colour(self, *, on_terminal: bool) -> bool:
        """Return whether to colour a stream. NO_COLOR wins over FORCE_COLOR, and both over what the stream is."""
        if self.no_color:
            return False
        return self.force_color or (on_terminal and not self.dumb_terminal)


def read_manners(environ: Mapping[str, str] | None = None) -> Manners:
    """Return what the environment says about the terminal."""
    values = os.environ if environ is None else environ
    return Manners(
        debug=_text(values, "MEMHTML_DEBUG").lower() in _ON,
        no_color=bool(_text(values, "NO_COLOR")),
        force_color=_text(values, "FORCE_COLOR") not in ("", "0"),
        dumb_terminal=_text(values, "TERM") == "dumb",
    )


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Return what the environment says.

    Errors: `ConfigInvalid` names the variable that cannot be read as meant.
    """
    values = os.environ if environ is None else environ

    root = _text(values, "MEMHTML_ROOT")
    return Settings(root=expand(root) if root else None, embed=_switch(values, "MEMHTML_EMBED", default=True))


_OFF = frozenset({"off", "false", "0", "no"})
_ON = frozenset({"on", "true", "1", "yes"})


def _text(values: Mapping[str, str], name: str) -> str:
    assert name in _DECLARED, name  # what is read is what VARIABLES tells the world about
    return values.get(name, "").strip()


def _switch(values: Mapping[str, str], name: str, *, default: bool) -> bool:
    folded = _text(values, name).lower()
    if not folded:
        return default
    if folded in _OFF:
        return False
    if folded in _ON:
        return True
    raise ConfigInvalid(f"{name} is neither on nor off")


def expand(text: str) -> Path:
    """Return an absolute path; a leading `~` is the home folder, `~name` is a folder of that name.

    Errors: `ConfigInvalid` for a relative path where the current folder is gone.
    """
    path = Path(text)
    if text == "~" or text.startswith("~/"):
        try:
            path = Path.home() / text[2:]
        except RuntimeError:  # no HOME and no entry for this user: leave the folder as it is spelled
            path = Path(text)
    try:
        return Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve() would follow the symlinks a person named
    except FileNotFoundError as error:
        raise ConfigInvalid("the current folder is gone, so a relative path leads nowhere") from error


class RootSource(NamedTuple):
    """Which store, and whether the person named it."""

    root: Path
    named: bool


def choose_root(repo: str | None, settings: Settings, cwd: Path | None) -> RootSource:
    """Return the store to work on; `cwd` is None where the current folder is gone.

    Order: the `--repo` of the call; `MEMHTML_ROOT`; the nearest folder at or above `cwd` that holds a `.memhtml`
    folder; `~/memhtml`. A root found by its `.memhtml` folder counts as named: the person stands in it.
    Errors: `ConfigInvalid` where only the current folder could tell, and it is gone.
    """
    if repo:
        return RootSource(expand(repo), named=True)
    if settings.root is not None:
        return RootSource(settings.root, named=True)
    if cwd is None:
        raise ConfigInvalid("the current folder is gone; name the store with --repo")
    for folder in (cwd, *cwd.parents):
        if (folder / ".memhtml").is_dir():
            return RootSource(folder, named=True)
    return RootSource(expand("~/memhtml"), named=False)


#: Every embedder that a store's configuration may name.
EMBEDDERS: tuple[str, ...] = ("none", "local", "cohere", "bedrock")


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """What `.memhtml/config.toml` says; the defaults hold where it is silent or absent."""

    embedder: str = "none"


def read_config(root: Path) -> StoreConfig:
    """Return the configuration of the store at `root`.

    Errors: `ConfigInvalid` names the file with its line, or the key, that cannot be read as meant.
    """
    try:
        data = (root / CONFIG_FILE).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return StoreConfig()
    except OSError as error:
        raise ConfigInvalid(f"{CONFIG_FILE} cannot be read ({error.strerror})") from error
    return parse_config(data)


def parse_config(data: bytes) -> StoreConfig:
    """Return the configuration that the bytes of a `config.toml` state."""
    import tomllib  # a command that opens no store should not pay for it

    try:
        table = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigInvalid(f"{CONFIG_FILE}:{line}: not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigInvalid(f"{CONFIG_FILE}: {error}") from error
    return _config_of(table, data)


def _config_of(table: Mapping[str, object], data: bytes) -> StoreConfig:
    for key in table:
        if key != "embedder":
            raise ConfigInvalid(f"{_place(data, key)}: unknown key {_shown(key)}; the one key is embedder")
    embedder = table.get("embedder", "none")
    if not isinstance(embedder, str) or embedder not in EMBEDDERS:
        raise ConfigInvalid(f"{_place(data, 'embedder')}: embedder must be one of {', '.join(EMBEDDERS)}")
    return StoreConfig(embedder)


def _shown(key: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in key[:40])


def _place(data: bytes, key: str) -> str:
    """Return the file's name, with the line that sets `key` where a plain look finds it."""
    for number, line in enumerate(data.decode("utf-8").splitlines(), 1):
        if line.lstrip(" \t['\"").startswith(key):
            return f"{CONFIG_FILE}:{number}"
    return CONFIG_FILE
