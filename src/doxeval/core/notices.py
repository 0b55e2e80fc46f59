"""Notices about reading and scoring: collected, counted, reported once each.

A reader or the alignment never prints. It adds to a :class:`Notices`; the command line writes them to
standard error, Python callers get them as :class:`~doxeval.core.errors.DoxevalWarning`, `--strict` turns them
into a failure.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypedDict, Unpack

from doxeval.core.errors import DoxevalWarning

EXAMPLES_KEPT = 3
OWN_FILES = (__file__.rpartition("core")[0], contextlib.__file__)
"""Frames of these files come between a caller and a warning: the package, and decorators in use in it."""


class Worth(TypedDict, total=False):
    """The meaning of a notice for the numbers; see :class:`Notice`."""

    harmless: bool
    lasting: bool


@dataclass
class Notice:
    """One kind of event: how often it happened, and the first few places.

    A `harmless` one does not fail a strict run. A `lasting` one affects what the numbers are worth: it is
    shown under every table of them, and `doxeval validate` fails on it unless it is harmless.
    """

    message: str
    count: int = 0
    examples: list[str] = field(default_factory=list)
    harmless: bool = False
    lasting: bool = False

    @property
    def refuses(self) -> bool:
        """Whether it reports lines, rows or records that were left out as invalid."""
        return " refused" in self.message

    def __str__(self) -> str:
        text = self.message.replace("{count}", f"{self.count:,}")
        shown = "; ".join(self.examples)
        more = ", ..." if self.examples and self.count > len(self.examples) else ""
        return f"{text} ({shown}{more})" if shown else text


class Notices:
    """A collection of notices, one per message.

    >>> notices = Notices()
    >>> for line in (3, 9):
    ...     notices.add("{count} lines refused", f"run.fol:{line}: expected 8 fields, found 5")
    >>> print(*notices)
    2 lines refused (run.fol:3: expected 8 fields, found 5; run.fol:9: expected 8 fields, found 5)
    """

    def __init__(self, *taken_over: Notices) -> None:
        self._by_message: dict[str, Notice] = {}
        for other in taken_over:
            self.extend(other)

    def add(self, message: str, *examples: str, count: int | None = None, **worth: Unpack[Worth]) -> None:
        """Add `message`, in which ``{count}`` becomes the total; see :class:`Notice`."""
        notice = self._by_message.setdefault(message, Notice(message, **worth))
        notice.count += count if count is not None else max(1, len(examples))
        room = EXAMPLES_KEPT - len(notice.examples)
        notice.examples.extend(examples[: max(0, room)])

    def add_each(
        self, message: str, things: Any, told: Callable[[Any], str] = str, **worth: Unpack[Worth]
    ) -> None:
        """Add `message` for each of some things, if any; the first few are examples, as given by `told`."""
        if len(things):
            self.add(message, *map(told, things[:EXAMPLES_KEPT]), count=len(things), **worth)

    def extend(self, other: Notices) -> None:
        """Add all notices of another collection."""
        for notice in other:
            self.adopt(notice)

    def extend_with_new(self, other: Notices) -> None:
        """Add the notices of another collection that this one does not have yet."""
        for notice in [notice for notice in other if notice.message not in self._by_message]:
            self.adopt(notice)

    def adopt(self, notice: Notice) -> None:
        """Add one notice."""
        worth: Worth = {"harmless": notice.harmless, "lasting": notice.lasting}
        self.add(notice.message, *notice.examples, count=notice.count, **worth)

    def __iter__(self) -> Iterator[Notice]:
        return iter(self._by_message.values())

    def __len__(self) -> int:
        return len(self._by_message)

    @property
    def failures(self) -> list[Notice]:
        """The notices that make a strict run fail."""
        return [notice for notice in self if not notice.harmless]

    @property
    def lasting(self) -> list[Notice]:
        """The notices to show wherever the numbers are, including those about lines that were left out."""
        return [notice for notice in self if notice.lasting or notice.refuses]

    @property
    def refusals(self) -> list[Notice]:
        """The notices about lines that were left out."""
        return [notice for notice in self if notice.refuses]

    def warn(self) -> None:
        """Issue every notice as a Python warning, as the functions of the Python interface do."""
        for notice in self.failures:
            warn(str(notice))


def warn(message: str) -> None:
    """Issue a Python warning about the line outside doxeval that led to it."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN_FILES):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DoxevalWarning, stacklevel=level)
