"""The process: streams, exit status, and the one place where anything unforeseen is caught.

stdout carries the result and stderr everything else. On a terminal the result is text; piped, or with --json or
--dense, it is exactly one envelope, also when the call fails. Exit status: 0 done, 1 refused or findings, 2 a wrong
call, 130 interrupted, 143 and 129 ended by SIGTERM and SIGHUP. A reader that leaves early (`| head`) changes nothing
about the status.
"""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # nothing may be imported before it is known to be needed: most of a call's time is imports
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from typing import TextIO

    from memhtml.cli.outcome import Context, Outcome
    from memhtml.cli.parsing import Call
    from memhtml.cli.terminal import Paint
    from memhtml.errors import MemhtmlError
    from memhtml.settings import RootSource, Settings

__all__ = ["run"]

INTERRUPTED = 130


class _Manner(NamedTuple):
    """How this process answers."""

    json: bool
    dense: bool


def run(argv: Sequence[str] | None = None) -> int:
    """Carry out one call and return the exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    gc.set_threshold(
        50_000
    )  # imports make no cycles to speak of: with the default, looking for them takes 4 % of a search
    try:
        if words == ["--version"]:
            return _version()
        _end_in_order()
        return _answer(words, _manner(words))
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except _Ended as ended:
        return 128 + ended.signal


class _Ended(BaseException):
    """Somebody asked the process to end: what is open is closed and what is temporary removed on the way out."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.signal = signal


def _end_in_order() -> None:
    """Let the signals that end a process do so by an exception, once; a second one ends it at once."""
    import signal

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise _Ended(number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Who ignores one (nohup) wants it ignored, and a caller in this process may have a handler of its own.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            try:
                signal.signal(number, end)
            except ValueError:  # not the main thread of a program that calls us
                return


def _answer(words: Sequence[str], manner: _Manner) -> int:
    from memhtml.errors import MemhtmlError

    try:
        from memhtml.cli.parsing import parse

        outcome = _carry_out(parse(words))
        data = _rendered(outcome, manner)
    except MemhtmlError as error:
        return _fail(error, manner, _repo(words))
    except Exception as error:  # noqa: BLE001 - the edge: whatever it was, the caller gets an envelope and a status
        return _fail(_unforeseen(error), manner)
    return _deliver(data, outcome.status)


def _carry_out(call: Call) -> Outcome:
    from importlib import import_module

    from memhtml.cli.outcome import Context

    name = call.command.name
    if call.switch("version"):
        name = "version"
    elif call.switch("help"):
        name = "help"
    module = import_module(f"memhtml.cli.commands.{name.replace(' ', '_').replace('-', '_')}")
    command: Callable[[Call, Context], Outcome] = module.run
    return command(call, Context(_settings, _root, _waiting))


def _settings() -> Settings:
    from memhtml.settings import read_settings

    return read_settings()


def _root(call: Call) -> RootSource:
    from pathlib import Path

    from memhtml.settings import choose_root

    try:
        cwd = Path.cwd()
    except OSError:  # somebody removed the folder
        cwd = None
    return choose_root(call.text("repo"), _settings(), cwd)


def _waiting(what: str) -> AbstractContextManager[None]:
    from memhtml.cli.terminal import waiting
    from memhtml.settings import read_manners

    return waiting(what, enabled=_is_terminal(sys.stderr) and not read_manners().dumb_terminal)


def _manner(words: Sequence[str]) -> _Manner:
    """Return how to answer, judged by the bare words: a call that does not parse has to be answered too."""
    json: bool | None = None
    dense = False
    for word in words:
        if word == "--":
            break
        if word in ("--json", "--json=true"):
            json = True
        elif word in ("--no-json", "--json=false"):
            json = False
        elif word in ("--dense", "--dense=true"):
            dense = True
    if json is None:
        json = not _is_terminal(sys.stdout)
    return _Manner(json or dense, dense)


def _repo(words: Sequence[str]) -> str | None:
    """Return the store that the bare words name, so that a suggestion can name it too."""
    repo = None
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "--":
            break
        if word == "--repo" and not following.startswith("--"):
            repo = following or repo
        elif word.startswith("--repo="):
            repo = word.removeprefix("--repo=") or repo
    return repo


def _for_repo(hint: str, repo: str) -> str:
    """Return a suggested command so that it acts on the store that the call was about."""
    from shlex import quote

    if not hint.startswith("memhtml ") or " --repo" in hint or hint.split()[1] in ("manifest", "help"):
        return hint
    return f"{hint} --repo {quote(repo)}"


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _paint(stream: TextIO | None) -> Paint:
    from memhtml.cli.terminal import Paint
    from memhtml.settings import read_manners

    return Paint(read_manners().wants_colour(on_terminal=_is_terminal(stream)))


def _rendered(outcome: Outcome, manner: _Manner) -> bytes:
    if manner.json and outcome.document is None:
        from memhtml.cli.envelope import success

        return success(outcome.response, outcome.data, dense=manner.dense)
    text = outcome.document if outcome.document is not None else outcome.text(_paint(sys.stdout))
    is_complete = text.endswith("\n") or outcome.document == ""  # an empty document is no line either
    return _encoded(text if is_complete else text + "\n", sys.stdout)


def _version() -> int:
    from memhtml import __version__

    if _is_terminal(sys.stdout):
        return _deliver(f"memhtml {__version__}\n".encode(), 0)
    # Spelled out: importing json would take longer than all the rest.
    data = f'{{"name":"memhtml","version":"{__version__}"}}'
    return _deliver(f'{{"apiVersion":"1","type":"cli.version","data":{data}}}\n'.encode(), 0)


def _fail(error: MemhtmlError, manner: _Manner, repo: str | None = None) -> int:
    if repo is not None:
        error.hints = tuple(_for_repo(hint, repo) for hint in error.hints)
    if manner.json:
        from memhtml.cli.envelope import failure

        return _deliver(failure(error, dense=manner.dense), error.exit_status)
    from memhtml.cli.terminal import safe

    paint = _paint(sys.stderr)
    lines = [f"{paint.red('error:')} {safe(error.message)} {paint.dim(f'({error.code})')}"]
    lines += [f"  {safe(text)}" for _, text in getattr(error, "violations", ())]
    lines += [f"  try: {paint.bold(hint)}" for hint in error.hints]
    _say("\n".join(lines))
    return error.exit_status


def _unforeseen(error: Exception) -> MemhtmlError:
    """Return what the public hears of a failure that has no class of its own: its kind, never its words."""
    from memhtml.errors import MemhtmlError
    from memhtml.settings import read_manners

    if read_manners().debug:
        import traceback

        _say("".join(traceback.format_exception(error)).rstrip())
        return MemhtmlError(f"something unforeseen failed ({type(error).__name__})")
    return MemhtmlError(
        f"something unforeseen failed ({type(error).__name__}); with MEMHTML_DEBUG=on stderr says where"
    )


def _deliver(data: bytes, status: int) -> int:
    """Write the result and flush it, so that a closed pipe or a full disk is met here and not at exit."""
    stdout = sys.stdout
    if stdout is None:  # the caller closed it
        return status
    try:
        stdout.flush()
        binary = getattr(stdout, "buffer", None)
        if binary is None:  # a caller in this process replaced stdout by a text-only stream
            stdout.write(data.decode("utf-8"))
        else:
            binary.write(data)
        stdout.flush()
    except BrokenPipeError:
        _forget(stdout)
    except OSError as error:
        _forget(stdout)
        _say(f"error: the result could not be written ({error.strerror})")
        return 1
    return status


def _forget(stream: TextIO) -> None:
    """Point a stream that takes nothing any more at the null device, or the interpreter complains about it at exit."""
    import os

    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def _say(text: str) -> None:
    """Write a line on stderr; there is nobody to tell if that fails."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


def _encoded(text: str, stream: TextIO | None) -> bytes:
    """Return text in the stream's own encoding; what it cannot spell is replaced."""
    return text.encode((stream.encoding if stream is not None else None) or "utf-8", "replace")
