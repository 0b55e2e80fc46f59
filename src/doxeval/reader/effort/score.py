"""What a document score is, and the registry of all of them.

A document score says how reading one document went: S(d) of the list scores (Effort sections 3.1, 4). It is a
class in this folder, decorated with :func:`register_score`, and works on all documents of a run at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter, bind
from doxeval.reader.effort.opened import Opened

_REGISTRY: dict[str, type[DocumentScore]] = {}


class DocumentScore(ABC):
    """One document score with its parameters bound.

    `effort` marks scores that count effort (lower is better); only those go into cumulated effort, only the
    others into generalised precision.
    """

    name: ClassVar[str]
    user: ClassVar[str]
    paper: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    effort: ClassVar[bool] = False

    def __init__(self, call: Call, where: str) -> None:
        self.given = bind(self.parameters, call, where)

    @property
    def low(self) -> float:
        """The least value of a document."""
        return 0.0

    @property
    def high(self) -> float:
        """The greatest value of a document."""
        return 1.0

    @property
    def of_nothing(self) -> float:
        """The value of a document that is not relevant."""
        return self.high if self.effort else self.low

    @abstractmethod
    def score(self, opened: Opened) -> np.ndarray:
        """One value per document; what stands at documents that are not relevant does not matter."""

    def __call__(self, opened: Opened) -> np.ndarray:
        """One value per document."""
        return np.where(opened.is_relevant, self.score(opened), self.of_nothing)


def register_score(score: type[DocumentScore]) -> type[DocumentScore]:
    """Make a document score known under its name."""
    _REGISTRY[score.name] = score
    return score


def document_scores() -> dict[str, type[DocumentScore]]:
    """Every document score by its name."""
    from doxeval.reader.effort import along_scores, entry_scores, set_scores  # noqa: F401

    return dict(sorted(_REGISTRY.items()))


def score_named(call: Call, where: str, effort: bool | None = None) -> DocumentScore:
    """The document score a user has typed; `effort` says which kind fits, None that either does."""
    known = document_scores()
    if call.name not in known:
        raise UsageError(
            f"{where!r}: no document score is called {call.name!r}{nearest(call.name, known)} "
            f"(known: {', '.join(known)})"
        )
    found = known[call.name]
    if effort is not None and found.effort != effort:
        fitting = ", ".join(name for name, score in known.items() if score.effort == effort)
        told = (
            "counts effort, which generalised precision cannot add up" if found.effort else "is not an effort"
        )
        raise UsageError(f"{where!r}: {call.name} {told}; use one of {fitting}")
    return found(call, where)
