"""Notices about reading and scoring: collected, counted, reported once each.

A reader or the alignment never prints. It adds to a :class:`Notices`; the command line writes them to
standard error, Python callers get them as :class:`~doxeval.core.errors.DoxevalWarning`, `--strict` turns them
into a failure.

Collections are merged by union, never by addition: topics and documents are counted by name, and lines,
results and ranges by where they were found. A topic that six runs lack is one topic, and notices that arrive
twice are counted once.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from heapq import nsmallest
from typing import Any, NamedTuple, TypedDict, Unpack

from doxeval.core.errors import DoxevalWarning
from doxeval.core.phrases import agreeing
from doxeval.core.quick_class import dataclass

EXAMPLES_KEPT = 3
OWN_FILES = (__file__.rpartition("core")[0], contextlib.__file__)
"""Frames of these files come between a caller and a warning: the package, and decorators in use in it."""


class Worth(TypedDict, total=False):
    """The meaning of a notice for the numbers; see :class:`Notice`."""

    harmless: bool
    lasting: bool
    complete: bool


class Occurrences(NamedTuple):
    """Events found in one place (a run, a file, a block of it): how many, and the first few."""

    origin: str
    number: int
    examples: tuple[str, ...]


@dataclass
class Notice:
    """One kind of event: how often it happened, and the first few places, in natural order.

    What has a name (a topic, a document) is in `names`, once; anything else is counted in `found`, and by
    origin in `merged` once it was taken over from another collection. A notice that is not `harmless` fails a
    strict run. It is shown under every table of numbers, and so is a harmless one that is `lasting`; what is
    both lasting and not harmless fails `doxeval validate`. A `complete` one shows all names, not only a few.
    """

    message: str
    harmless: bool = False
    lasting: bool = False
    complete: bool = False
    names: dict[str, None] = field(default_factory=dict)
    merged: dict[Occurrences, None] = field(default_factory=dict)
    found: int = 0
    places: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many events there were, or how many things they were about."""
        return len(self.names) + sum(events.number for events in dict.fromkeys(self.events()))

    @property
    def examples(self) -> list[str]:
        """The first few names or places."""
        everything = [*self.names, *self.places, *(place for part in self.merged for place in part.examples)]
        return everything if self.complete else _first_of(dict.fromkeys(everything))

    @property
    def refuses(self) -> bool:
        """Whether it reports lines, rows or records that were left out as invalid."""
        return " refused" in self.message

    def add(self, examples: Iterable[str], count: int) -> None:
        """Count more events."""
        self.found += count
        for place in examples:
            if len(self.places) < EXAMPLES_KEPT or _natural(place) < _natural(self.places[-1]):
                insort(self.places, place, key=_natural)
                del self.places[EXAMPLES_KEPT:]

    def merge(self, other: Notice, origin: str = "") -> None:
        """Take over what another notice of the same message has counted."""
        self.names |= other.names
        for events in other.events(origin):
            self.merged[events] = None

    def events(self, origin: str = "") -> Iterator[Occurrences]:
        """Its events, those of unknown origin with the given one."""
        for events in self.merged:
            yield events if events.origin else events._replace(origin=origin)
        if self.found:
            yield Occurrences(origin, self.found, tuple(self.places))

    @property
    def record(self) -> list[Any]:
        """All of it, for JSON; :meth:`of` reads it back."""
        worth = [self.harmless, self.lasting, self.complete]
        return [self.message, worth, [*self.names], [*self.events()]]

    @classmethod
    def of(cls, record: list[Any]) -> Notice:
        """The notice with a record."""
        message, (harmless, lasting, complete), names, events = record
        merged = (Occurrences(origin, number, tuple(examples)) for origin, number, examples in events)
        return cls(message, harmless, lasting, complete, dict.fromkeys(names), dict.fromkeys(merged))

    def __str__(self) -> str:
        text, count, examples = agreeing(self.message, self.count), self.count, self.examples
        more = ", ..." if examples and count > len(examples) else ""
        return f"{text} ({'; '.join(examples)}{more})" if examples else text


def _natural(text: str) -> tuple[object, ...]:
    from doxeval.core.strings import natural_key

    return natural_key(text)


def _first_of(texts: Iterable[str]) -> list[str]:
    """The first few texts in natural order."""
    return nsmallest(EXAMPLES_KEPT, texts, key=_natural)


class Notices:
    """A collection of notices, one per message.

    >>> notices = Notices()
    >>> for line in (3, 9):
    ...     notices.add("{count} {line|lines} refused", f"run.fol:{line}: expected 8 fields, found 5")
    >>> print(*notices)
    2 lines refused (run.fol:3: expected 8 fields, found 5; run.fol:9: expected 8 fields, found 5)
    """

    def __init__(self, *taken_over: Notices) -> None:
        self._by_message: dict[str, Notice] = {}
        for other in taken_over:
            self.extend(other)

    def add(self, message: str, *examples: str, count: int | None = None, **worth: Unpack[Worth]) -> None:
        """Add `message` about events at some places.

        In it ``{count}`` becomes the total, and ``{word|words}`` the word that agrees with it.
        """
        self._notice(message, worth).add(examples, count if count is not None else max(1, len(examples)))

    def add_each(
        self, message: str, things: Any, told: Callable[[Any], str] = str, **worth: Unpack[Worth]
    ) -> None:
        """Add `message` for each of some things, if any; the first few are examples, as given by `told`.

        Of a column of rows these are the first rows, in whatever order they are given.
        """
        if len(things):
            first = nsmallest(EXAMPLES_KEPT, things) if getattr(things, "ndim", 0) == 1 else things
            self.add(message, *map(told, first[:EXAMPLES_KEPT]), count=len(things), **worth)

    def add_names(self, message: str, names: Iterable[str], **worth: Unpack[Worth]) -> None:
        """Add `message` about things that have a name, if any: each counts once."""
        if added := dict.fromkeys(names):
            self._notice(message, worth).names |= added

    def extend(self, other: Notices, origin: str = "") -> None:
        """Merge another collection into this one; events of unknown origin get the one given."""
        for notice in other:
            self.adopt(notice, origin)

    def adopt(self, notice: Notice, origin: str = "") -> None:
        """Merge one notice into this collection."""
        worth: Worth = {
            "harmless": notice.harmless, "lasting": notice.lasting, "complete": notice.complete,
        }  # fmt: skip
        self._notice(notice.message, worth).merge(notice, origin)

    def _notice(self, message: str, worth: Worth) -> Notice:
        return self._by_message.setdefault(message, Notice(message, **worth))

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
        """The notices to show wherever the numbers are."""
        return [notice for notice in self if notice.lasting or not notice.harmless]

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
