"""What the measures of document lists share: a document score, summed down the list (Effort section 3.1)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.grammar import Call, Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.families.characters import ratio
from doxeval.reader.effort.opened import Opened
from doxeval.reader.effort.score import DOCUMENT_SCORES, DocumentScore, score_named

SCORE = Parameter(
    "score",
    "call",
    Call("F", (("beta", Fraction(1, 4)),)),
    "the document score: F, aveChP, ChP, T2I, T2If, BEP, ...",
    choices=DOCUMENT_SCORES,
)


class DocumentListMeasure(Measure):
    """A measure of a list of documents, each with a document score from 0 to 1."""

    parameters = (SCORE,)

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.document_score: DocumentScore = score_named(self.given.score, self.label, effort=False)

    def scores(self, opened: Opened) -> np.ndarray:
        """S(d) of every document; made once per run for all measures that use the same score."""
        return opened.aligned.shared(
            ("document score", str(self.given.score)), lambda: self.document_score(opened)
        )

    def generalised_precision(self, opened: Opened) -> np.ndarray:
        """gP at every rank: the scores so far, divided by the rank."""
        return sums_so_far(opened, self.scores(opened)) / opened.rank


def sums_so_far(opened: Opened, values: np.ndarray) -> np.ndarray:
    """Sums of a column down each topic's list of documents.

    Each list is summed by itself, so that a topic's digits do not depend on the topics before it.
    """
    total = np.zeros(len(values))
    for first, after in zip(opened.topic_offset[:-1], opened.topic_offset[1:], strict=True):
        np.cumsum(values[first:after], out=total[first:after])
    return total


def relevant_documents(ground: Ground) -> np.ndarray:
    """How many documents are relevant to each topic: Trel."""
    relevant = ground.assessments.pair_topic[ground.pair_relevant > 0]
    return np.bincount(relevant, minlength=len(ground.topics))


def within_rank(opened: Opened, rank: int | None) -> np.ndarray:
    """Which documents stand within the cut-off."""
    return np.ones(len(opened), dtype=bool) if rank is None else opened.rank <= rank


def per_relevant_document(topics: Aligned, opened: Opened, values: np.ndarray) -> np.ndarray:
    """Sums over each topic's list, divided by the number of its relevant documents."""
    return ratio(opened.per_topic(values), relevant_documents(topics.ground))
