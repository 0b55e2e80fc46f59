"""Shared by the measures of document lists: a document score, summed down the list (Effort section 3.1)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Call, Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families import questions
from doxeval.measurement.families.terms import SumOfTerms
from doxeval.reader.effort.opened import open_documents
from doxeval.reader.effort.score import DOCUMENT_SCORES, DocumentScore, score_named

SCORE = Parameter(
    "score", "call", Call("F", (("beta", Fraction(1, 4)),)),
    "the document score: F, aveChP, ChP, T2I, T2If, BEP, ...", choices=DOCUMENT_SCORES,
)  # fmt: skip


class DocumentListMeasure(SumOfTerms):
    """A measure of a list of documents, each with a document score from 0 to 1."""

    question = questions.DOCUMENTS
    parameters = (SCORE,)
    ranks_documents = True

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.document_score: DocumentScore = score_named(self.given.score, self.label, effort=False)

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        self.document_score.prepare(ground)

    def summed_scores(self, topics: Aligned) -> np.ndarray:
        """The sum of S(d) down each topic's list of documents."""
        scores = scores_of_documents(topics, self.given.score)
        return open_documents(topics).by_topic.cumulate(scores)


@once
def scores_of_documents(topics: Aligned, score: Call) -> np.ndarray:
    """S(d) of every document, for all measures that use the same score."""
    return score_named(score, str(score), effort=False)(open_documents(topics))


@once
def relevant_documents(ground: Ground) -> np.ndarray:
    """The number of relevant documents of each topic: Trel."""
    relevant = ground.assessments.pair_topic[ground.pair_relevant > 0]
    return np.bincount(relevant, minlength=len(ground.topics))
