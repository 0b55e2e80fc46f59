"""The single place where anything a reader raises becomes an error that says where it occurred.

Readers refuse what they know to be wrong, in their own words. Unforeseen failures, and exceptions of the
libraries below, end up here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from doxeval.core.errors import DoxevalError, InputError

UNREADABLE = "not readable"
SHOWN = 120


class Unforeseen(InputError):
    """Content that made a reader fail instead of refusing it; `__cause__` is the original exception."""


@contextmanager
def gate(place: str) -> Iterator[None]:
    """Turn exceptions raised inside into errors that name the place being read.

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
    """Raise a problem as an error with its place, unless it is one already or not about the input."""
    if is_unforeseen(problem) and not isinstance(problem, DoxevalError | OSError | MemoryError):
        raise Unforeseen(f"{place}: {UNREADABLE}: {told(problem)}") from problem


def is_unforeseen(problem: BaseException) -> bool:
    """Whether this is a failure rather than a request to exit; polars panics are not :class:`Exception`."""
    return isinstance(problem, Exception) or type(problem).__name__ == "PanicException"


def told(problem: BaseException) -> str:
    """The problem on one line."""
    kind, reason = type(problem).__name__, " ".join(str(problem).split())[:SHOWN]
    return f"{kind}: {reason}" if reason else kind
