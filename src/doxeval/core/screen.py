"""The screen on which tables are looked at: how wide it is, and whether it shows colours."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from typing import IO, Any

from doxeval.core.quick_class import dataclass


@dataclass(frozen=True)
class Screen:
    """The place that is written on; `width` is None where lines may be of any length, as in files and pipes.

    `noted` are the notes that have been shown on it, so that none is shown twice; None where nobody looks.
    """

    width: int | None = None
    colour: bool = False
    noted: set[str] | None = field(default=None, compare=False)


ANYWHERE = Screen()
_screen: ContextVar[Screen] = ContextVar("screen")


def screen() -> Screen:
    """The screen for plain tables and sentences now."""
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
    """The screen in use: `COLUMNS` of pipes too, else the terminal's width; `NO_COLOR`, `TERM`."""
    colour = is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(width_of(sys.stdout), colour, set())


def width_of(stream: IO[str]) -> int | None:
    """The width of what a stream is shown on; None if that is not known, as of files and pipes."""
    told = os.environ.get("COLUMNS", "")
    if re.fullmatch(r"[1-9][0-9]{0,5}", told):
        return int(told)
    if not is_terminal(stream):
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def is_terminal(stream: Any) -> bool:
    """Whether a stream is a terminal, and neither closed nor something else in its place."""
    return is_open(stream) and hasattr(stream, "isatty") and stream.isatty()


def is_open(stream: Any) -> bool:
    """Whether a standard stream can be written to; programs may have none, or have closed it."""
    return stream is not None and not getattr(stream, "closed", False)


def filled(text: str, first: str = "", later: str = "") -> str:
    """A text in lines that fit the screen; only words that are longer than a line are broken."""
    return fitted(text, screen().width, first, later)


def fitted(text: str, width: int | None, first: str = "", later: str = "") -> str:
    """A text in lines of a width, after an indent; lines it has already are kept."""
    if width is None:
        return first + text
    from textwrap import wrap

    lines: list[str] = []
    for line in text.split("\n"):
        own = line[: len(line) - len(line.lstrip())]
        indents = (first if not lines else later) + own, later + own
        if len(indents[1]) >= width:
            indents = "", ""
        lines += wrap(
            line.strip(), width, initial_indent=indents[0], subsequent_indent=indents[1],
            break_on_hyphens=False,
        ) or [""]  # fmt: skip
    return "\n".join(lines)


MOST_LINES, USUAL_WIDTH = 12, 80
"""The lines that a verdict may take above a table, on a screen of the usual width."""


def few(sentences: Iterable[str]) -> list[str]:
    """The first sentences, as many as stand in :data:`MOST_LINES`; the same ones whatever the screen is."""
    kept: list[str] = []
    lines = 0
    for sentence in sentences:
        lines += fitted(sentence, USUAL_WIDTH, "- ", "  ").count("\n") + 1
        if kept and lines > MOST_LINES:
            break
        kept.append(sentence)
    return kept


def bullets(sentences: Iterable[str], width: int | None = None) -> str:
    """Sentences as a list, and a blank line behind it; of this width where the screen has none."""
    lines = [fitted(sentence, screen().width or width, "- ", "  ") for sentence in sentences]
    return "\n".join([*lines, "", ""]) if lines else ""
