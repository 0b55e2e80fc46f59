"""The one gate for whatever a reader raises: it becomes an error with its place.

Readers refuse what they know to be wrong, in their own words. What they did not foresee, and what the
libraries below them raise, passes here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from doxeval.core.errors import DoxevalError, InputError

UNREADABLE = "not readable"
SHOWN = 120


class Unforeseen(InputError):
    """Content at which a reader broke instead of refusing it; the cause is kept as `__cause__`."""


@contextmanager
def gate(place: str) -> Iterator[None]:
    """Have what goes wrong inside told with the place where it is read.

    >>> with gate("run.jsonl:3"):
    ...     int("x")
    Traceback (most recent call last):
    ...
    doxeval.io.gate.Unforeseen: run.jsonl:3: not readable: ValueError: invalid literal for int() with ...
    """
    try:
        yield
    except BaseException as problem:
        raise_with_place(problem, place)
        raise


def raise_with_place(problem: BaseException, place: str) -> None:
    """Raise a problem as an error with its place, unless it is one already or not about what was read."""
    if is_unforeseen(problem) and not isinstance(problem, DoxevalError | OSError | MemoryError):
        raise Unforeseen(f"{place}: {UNREADABLE}: {told(problem)}") from problem


def is_unforeseen(problem: BaseException) -> bool:
    """Whether something broke, and nobody wanted to leave; polars' panics are no :class:`Exception`."""
    return isinstance(problem, Exception) or type(problem).__name__ == "PanicException"


def told(problem: BaseException) -> str:
    """What broke, on one line."""
    kind, reason = type(problem).__name__, " ".join(str(problem).split())[:SHOWN]
    return f"{kind}: {reason}" if reason else kind
