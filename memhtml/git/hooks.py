"""Hooks of the repository: what ours do, and how they are put beside those of the person.

A hook that is there already is never lost: it moves aside, ours runs it first, and its refusal is a refusal. While
memhtml itself commits, ours do nothing beyond that.
"""

import os
import shlex
from pathlib import Path
from typing import Final, NamedTuple

from memhtml.errors import PathRefused, StorageFailed
from memhtml.git.discover import Location
from memhtml.git.process import WRITING, start
from memhtml.git.writer import OWN_HOOK

__all__ = ["ASIDE", "HOOKS", "Installed", "Uninstalled", "install", "script", "uninstall"]

_CHECK: Final = ("doctor", "--staged", "--format", "text")
_FOLLOW: Final = ("index", "update")
#: What each hook runs.
HOOKS: Final[dict[str, tuple[str, ...]]] = {
    "pre-commit": _CHECK,
    "post-merge": _FOLLOW,
    "post-checkout": _FOLLOW,
    "post-rewrite": _FOLLOW,
}
#: Where a person's hook waits: behind the name of ours.
ASIDE: Final = ".before-memhtml"
_OURS: Final = "# memhtml: a hook of the store at "


class Installed(NamedTuple):
    folder: Path
    #: Hooks of ours that are there now.
    hooks: tuple[str, ...]
    #: Those of them that run a hook of the person's first.
    chained: tuple[str, ...]


class Uninstalled(NamedTuple):
    folder: Path
    removed: tuple[str, ...]
    #: Hooks of the person's that stand in their own place again.
    restored: tuple[str, ...]


def install(location: Location, program: tuple[str, ...]) -> Installed:
    """Put our hooks into the repository; a second run changes nothing.

    Shapes: `program` is the command that starts memhtml; where it is gone, the shell looks for `memhtml`.
    Effects: everything that can be refused is refused first; each hook appears whole or not at all.
    Errors: `PathRefused` where hooks are kept elsewhere, where those of another store stand, and where a name that a
    person's hook would move to is taken; `StorageFailed`.
    """
    folder = _folder(location)
    chained = [name for name in HOOKS if _must_chain(folder, name, location.prefix)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, command in HOOKS.items():
            is_chained = name in chained
            text = script(name, command, program, location.prefix, is_chained=is_chained)
            _place(folder / name, text, is_chained=is_chained)
    except OSError as error:
        raise StorageFailed("installing hooks", error.strerror or "") from error
    return Installed(folder, tuple(HOOKS), tuple(chained))


def uninstall(location: Location) -> Uninstalled:
    """Take our hooks away, and put what was there before back; hooks of others are not touched.

    Errors: `PathRefused` where hooks are kept elsewhere, `StorageFailed`.
    """
    folder = _folder(location)
    removed: list[str] = []
    restored: list[str] = []
    try:
        for name in HOOKS:
            hook = folder / name
            if _store_of(hook) != location.prefix:
                continue
            aside = _aside(hook)
            if os.path.lexists(aside):
                aside.replace(hook)
                restored.append(name)
            else:
                hook.unlink()
            removed.append(name)
    except OSError as error:
        raise StorageFailed("removing hooks", error.strerror or "") from error
    return Uninstalled(folder, tuple(removed), tuple(restored))


def script(
    name: str, command: tuple[str, ...], program: tuple[str, ...], prefix: str, *, is_chained: bool
) -> str:
    """Return the text of one hook; it runs in the top folder of whichever worktree git is at work in."""
    store = shlex.quote(prefix or ".")
    flag, value = next(iter(WRITING.items()))
    lines = ["#!/bin/sh", f"{_OURS}{prefix or '.'}"]
    if is_chained:
        aside = f'"${{0%/*}}/{name}{ASIDE}"'
        lines += [f"if [ -x {aside} ]; then", f'  {aside} "$@" || exit $?', "fi"]
    else:
        lines.append(OWN_HOOK.decode())
    lines.append(f'[ "${{{flag}:-}}" = {value} ] && exit 0')
    is_check = name == "pre-commit"
    needed = f"-d {store}" if is_check else f"-f {store}/.memhtml/index.db"
    lines += [
        f"[ {needed} ] || exit 0",
        f"if [ -x {shlex.quote(program[0])} ]; then",
        f"  set -- {shlex.join(program)}",
        "elif command -v memhtml >/dev/null; then",
        "  set -- memhtml",
        "else",
        "  echo 'memhtml is not installed where its hook looks for it; nothing was done' >&2",
        "  exit 0",
        "fi",
    ]
    run = f'"$@" {shlex.join(command)} --repo {store}'
    if is_check:
        lines.append(f"said=$({run} 2>&1) || {{ printf '%s\\n' \"$said\" >&2; exit 1; }}")
    else:
        lines += [
            f"{run} >/dev/null 2>&1 ||",
            "  echo 'the index did not follow; run: memhtml index update' >&2",
        ]
        lines.append("exit 0")
    return "\n".join(lines) + "\n"


def _folder(location: Location) -> Path:
    done = start(location, "config", "--get", "core.hooksPath")
    if done.returncode == 0 and done.stdout.strip():
        raise PathRefused(
            "the folder that core.hooksPath names",
            "it may serve other repositories too; call `memhtml doctor --staged` in a hook of your own",
        )
    return location.common_dir / "hooks"


def _must_chain(folder: Path, name: str, prefix: str) -> bool:
    """Tell whether a hook of the person's has to run before ours. Errors: `PathRefused`."""
    hook = folder / name
    aside = _aside(hook)
    if not os.path.lexists(hook):
        return os.path.lexists(aside)
    store = _store_of(hook)
    if store == prefix:
        return os.path.lexists(aside)
    if store is not None:
        raise PathRefused(f"hooks/{name}", "a hook of another store in this repository stands there")
    if hook.is_dir() or os.path.lexists(aside):
        raise PathRefused(f"hooks/{name}", "a hook stands there, and the name that it would move to is taken")
    return True


def _store_of(hook: Path) -> str | None:
    """Return the store that a hook of ours is for; None for a hook of somebody else, or none."""
    try:
        text = hook.read_bytes()[:4096].decode("utf-8", "surrogateescape")
    except OSError:
        return None
    found = next((line for line in text.split("\n")[:3] if line.startswith(_OURS)), None)
    if found is None:
        return None
    store = found.removeprefix(_OURS)
    return "" if store == "." else store


def _place(hook: Path, text: str, *, is_chained: bool) -> None:
    aside = _aside(hook)
    draft = hook.with_name(f"{hook.name}.memhtml-draft")
    draft.write_text(text, encoding="utf-8", errors="surrogateescape")
    draft.chmod(0o755)
    if is_chained and not os.path.lexists(aside):
        hook.rename(aside)  # the next run completes what a crash here leaves
    draft.replace(hook)


def _aside(hook: Path) -> Path:
    return hook.with_name(hook.name + ASIDE)
