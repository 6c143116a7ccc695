"""What a person sees: colour where it is wanted, text that cannot drive the terminal, and a sign of life."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["Paint", "listing", "plural", "safe", "waiting"]


def safe(text: object) -> str:
    """Return text with every character replaced that a terminal would act on: memories come from anywhere."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in str(text))


class Paint(NamedTuple):
    """Cleans text and wraps it in colours, or cleans it only."""

    enabled: bool

    def bold(self, text: object) -> str:
        return self._wrap("1", text)

    def dim(self, text: object) -> str:
        return self._wrap("2", text)

    def red(self, text: object) -> str:
        return self._wrap("31", text)

    def green(self, text: object) -> str:
        return self._wrap("32", text)

    def yellow(self, text: object) -> str:
        return self._wrap("33", text)

    def cyan(self, text: object) -> str:
        return self._wrap("36", text)

    def _wrap(self, code: str, text: object) -> str:
        cleaned = safe(text)
        return f"\x1b[{code}m{cleaned}\x1b[0m" if self.enabled else cleaned


def listing(rows: Sequence[tuple[str, object]]) -> str:
    """Return a two-column listing, the names padded to one width."""
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name:<{width}}  {safe(value)}".rstrip() for name, value in rows)


def plural(count: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun: `1 memory`, `2 memories`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


@contextmanager
def waiting(what: str, *, enabled: bool) -> Iterator[None]:
    """Show on stderr what is being waited for, once a second has passed, and wipe it at the end."""
    if not enabled:
        yield
        return
    import threading

    done = threading.Event()

    def tick() -> None:
        elapsed = 1
        while not done.wait(1.0):
            sys.stderr.write(f"\r{what} … {elapsed} s")
            sys.stderr.flush()
            elapsed += 1
        if elapsed > 1:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
