"""Document scores that treat what was retrieved as a set of characters, without order."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from doxeval.core.catalogue import some
from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.parameters import BETA, Parameter, choice
from doxeval.core.ragged import quotient
from doxeval.core.strings import distinct
from doxeval.ground.ground import Ground
from doxeval.reader.effort.opened import Opened
from doxeval.reader.effort.score import DocumentScore

WHICH = choice(
    "order", "natural sequential",
    "what is read: the retrieved passages, or the document from start to end, as if retrieved whole",
)  # fmt: skip


@once
def retrieved_and_both(opened: Opened, order: str) -> tuple[np.ndarray, np.ndarray]:
    """Characters read of each relevant document, and those of them that are relevant."""
    if order == "sequential":
        return opened.length, opened.relevant
    pieces = opened.pieces
    retrieved = np.where(pieces.first >= 0, pieces.end - pieces.start, 0)
    both = np.where(pieces.is_relevant, retrieved, 0)
    return opened.per_document(pieces.document, retrieved), opened.per_document(pieces.document, both)


def f_score(beta: Fraction, both: np.ndarray, found: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """(1 + b^2) P R / (b^2 P + R), from counts: (1 + b^2) both / (b^2 relevant + found)."""
    squared = float(beta**2)
    return quotient((1 + squared) * both, squared * relevant + found)


class OfASet(DocumentScore):
    """A document score of a set of characters: those retrieved, or all of the document."""

    parameters: ClassVar[tuple[Parameter, ...]] = (WHICH,)

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        doc = ground.assessments.pair_doc[ground.pair_relevant > 0]
        if self.given.order == "sequential" and (ground.length[doc] < 0).any():
            unknown = [ground.assessments.docs[one] for one in distinct(doc[ground.length[doc] < 0])]
            raise UsageError(
                f"{self.call} reads documents whole, and the length of {some(unknown)} is not known; "
                "give the documents (--docs FILE)"
            )


class Precision(OfASet):
    """Retrieved relevant characters / retrieved characters."""

    name = "P"
    user = "Reads exactly what was retrieved and dislikes waste."
    paper = "Effort section 3.1.2"

    def score(self, opened: Opened) -> np.ndarray:
        retrieved, both = retrieved_and_both(opened, self.given.order)
        return quotient(both, retrieved)


class Recall(OfASet):
    """Retrieved relevant characters / relevant characters of the document."""

    name = "R"
    user = "Reads exactly what was retrieved and dislikes missing anything."
    paper = "Effort section 3.1.2"

    def score(self, opened: Opened) -> np.ndarray:
        return quotient(retrieved_and_both(opened, self.given.order)[1], opened.relevant)


class FScore(OfASet):
    """(1 + beta^2) P R / (beta^2 P + R) of the retrieved characters; INEX used beta = 0.25."""

    name = "F"
    user = "Reads exactly what was retrieved and dislikes both waste and missing anything."
    paper = "Effort section 3.1.2; INEX relevant in context"
    parameters = (BETA, WHICH)

    def score(self, opened: Opened) -> np.ndarray:
        retrieved, both = retrieved_and_both(opened, self.given.order)
        return f_score(self.given.beta, both, retrieved, opened.relevant)
