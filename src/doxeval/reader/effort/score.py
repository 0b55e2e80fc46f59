"""The definition of a document score, and the registry of all document scores.

A document score says how reading one document went: S(d) of the list scores (Effort sections 3.1, 4). It is a
class in this folder, or one passed to :func:`doxeval.extend.register`, and works on all documents at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import NUMBER, Call
from doxeval.core.parameters import Parameter, bind, canonical_call
from doxeval.core.registry import Registry, subclasses_of
from doxeval.ground.ground import Ground
from doxeval.reader.effort.opened import Opened, tell_entry_points


class DocumentScore(ABC):
    """One document score with its parameters bound.

    `effort` marks scores that count effort (lower is better), which generalised precision does not take;
    `of_documents` those that have no meaning for results read by themselves.
    """

    name: ClassVar[str]
    user: ClassVar[str]
    paper: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    effort: ClassVar[bool] = False
    of_documents: ClassVar[bool] = False

    def __init__(self, call: Call, where: str) -> None:
        self.call = call
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

    def prepare(self, ground: Ground) -> None:
        """Check the assessments before any run is opened; report entry points without information."""
        if "bep" in str(self.call).casefold():
            tell_entry_points(ground)

    @abstractmethod
    def score(self, opened: Opened) -> np.ndarray:
        """One value per document; values of documents that are not relevant are ignored."""

    def __call__(self, opened: Opened) -> np.ndarray:
        """One value per document."""
        return np.where(opened.is_relevant & opened.placed, self.score(opened), self.of_nothing)


class EffortScore(DocumentScore):
    """A document score that counts effort on a `scale`: from the least to NR, for irrelevant documents."""

    effort = True

    def __init__(self, call: Call, where: str) -> None:
        super().__init__(call, where)
        steps = self.given.scale.split("/")
        self.steps = [float(step) for step in steps if NUMBER.fullmatch(step)]
        if (
            len(self.steps) != len(steps)
            or len(steps) < 2
            or self.steps[0] <= 0
            or sorted(self.steps) != self.steps
        ):
            raise UsageError(
                f"{where!r}: scale must be two or more positive numbers in ascending order, as in 1/2/3/4/5 "
                f"(the last for irrelevant documents), not {self.given.scale!r}"
            )

    @property
    def low(self) -> float:
        return self.steps[0]

    @property
    def high(self) -> float:
        return self.steps[-1]


DOCUMENT_SCORES: Registry[type[DocumentScore]] = Registry(
    "document score",
    takes=subclasses_of(DocumentScore),
    package="doxeval.reader.effort",
    homes={
        "along_scores": "aveChP ChP T2I T2Ir T2If",
        "entry_scores": "LE BEP BEPD",
        "score": "Waste",
        "set_scores": "P R F",
    },
    needs={
        "name": "the name typed",
        "user": "a sentence about how a document is read",
        "paper": "where it is defined",
    },
)


def score_named(call: Call, where: str, effort: bool | None = None) -> DocumentScore:
    """The document score as typed; `effort` says which kind is allowed, None that both are."""
    meant = canonical_call(DOCUMENT_SCORES, call, where)
    found = DOCUMENT_SCORES[meant.name]
    if effort is not None and found.effort != effort:
        fitting = ", ".join(name for name, score in DOCUMENT_SCORES.all().items() if score.effort == effort)
        told = "counts effort, not a share from 0 to 1" if found.effort else "counts no effort"
        raise UsageError(f"{where!r}: {call.name} {told}; use one of {fitting}")
    return found(meant, where)


class Waste(EffortScore):
    """Effort that grows from the least to NR as a document score S(d) falls from 1 to 0.

    ES(d) = least + (NR - least)(1 - S(d)); `scale` holds the two numbers, in the paper 1 and 5. In cumulated
    effort the score alone says the same: ``CE(score=BEP)@10`` is ``CE(score=Waste(of=BEP))@10``.
    """

    name = "Waste"
    user = "Reads each document as the document score says; what falls short of a perfect reading is effort."
    paper = "Effort sections 4.2.1, 7 leave the effort function open; this one is ours"
    parameters = (
        Parameter("of", "call", Call("aveChP"), "a document score from 0 to 1", choices=DOCUMENT_SCORES),
        Parameter("scale", "text", "1/5", "the least effort, then that of an irrelevant document"),
    )

    def __init__(self, call: Call, where: str) -> None:
        super().__init__(call, where)
        if len(self.steps) != 2:
            raise UsageError(
                f"{where!r}: {self.given.of.name} falls evenly from 1 to 0, so its scale has two numbers, "
                f"as in 1/5, not {self.given.scale!r}"
            )
        self.of = score_named(self.given.of, where, effort=False)

    def prepare(self, ground: Ground) -> None:
        self.of.prepare(ground)

    def score(self, opened: Opened) -> np.ndarray:
        return self.high - (self.high - self.low) * self.of(opened)
