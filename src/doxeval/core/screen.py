"""Where tables are looked at: how wide a terminal is, and whether it shows colours."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

BOLD, PLAIN = "\x1b[1;32m", "\x1b[0m"


@dataclass(frozen=True)
class Screen:
    """What is written on; `width` is None where lines may be of any length, as in files and pipes."""

    width: int | None = None
    colour: bool = False


ANYWHERE = Screen()
_screen: ContextVar[Screen] = ContextVar("screen")


def screen() -> Screen:
    """Where plain tables and sentences are shown now."""
    return _screen.get(ANYWHERE)


@contextmanager
def shown_on(seen: Screen) -> Iterator[None]:
    """Plain tables and sentences are shown there."""
    before = _screen.set(seen)
    try:
        yield
    finally:
        _screen.reset(before)


def change_screen(**changes: Any) -> None:
    """Show them otherwise from now on, until the end of :func:`shown_on`."""
    _screen.set(replace(screen(), **changes))


def standard_output() -> Screen:
    """What the environment says: `COLUMNS` of pipes too, else the terminal's width; `NO_COLOR`, `TERM`."""
    told = os.environ.get("COLUMNS", "")
    terminal = is_terminal(sys.stdout)
    width = int(told) if re.fullmatch(r"[1-9][0-9]{0,5}", told) else None
    if width is None and terminal:
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(width, colour)


def is_terminal(stream: Any) -> bool:
    """Whether a stream is a terminal, and neither closed nor something else in its place."""
    return is_open(stream) and hasattr(stream, "isatty") and stream.isatty()


def is_open(stream: Any) -> bool:
    """Whether a standard stream can be written to; programs may have none, or have closed it."""
    return stream is not None and not getattr(stream, "closed", False)


def filled(text: str, first: str = "", later: str = "") -> str:
    """A text in lines that fit the screen; words are never broken."""
    width = screen().width
    if width is None:
        return first + text
    from textwrap import fill

    return fill(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def bullets(sentences: Iterable[str]) -> str:
    """Sentences as a list, and a blank line behind it; nothing of none."""
    lines = [filled(sentence, "- ", "  ") for sentence in sentences]
    return "\n".join([*lines, "", ""]) if lines else ""
