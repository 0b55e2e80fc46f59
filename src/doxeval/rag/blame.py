"""Whose fault a failure is: only what a retriever's own code raises is the retriever's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from doxeval.core.errors import DoxevalError


class RetrieverFailed(Exception):
    """A failure inside a retriever; `problem` is what it raised."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(str(problem))
        self.problem = problem


@contextmanager
def in_their_code() -> Iterator[None]:
    """Around every call of a retriever, and every step through what it returns: its failures are marked."""
    try:
        yield
    except (DoxevalError, RetrieverFailed):
        raise
    except Exception as problem:
        raise RetrieverFailed(problem) from problem
