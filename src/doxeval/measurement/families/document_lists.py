"""Shared by the measures of document lists: a document score, summed down the list (Effort section 3.1)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Call, Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families import questions
from doxeval.measurement.families.terms import SumOfTerms
from doxeval.reader.effort.alone import open_results, relevant_passages
from doxeval.reader.effort.opened import Opened, open_documents
from doxeval.reader.effort.score import DOCUMENT_SCORES, DocumentScore, score_named

SCORE = Parameter(
    "score", "call", Call("F", (("beta", Fraction(1, 4)),)),
    "the document score: F, aveChP, ChP, T2I, T2If, BEP, ...", choices=DOCUMENT_SCORES,
)  # fmt: skip


CONTEXT = Parameter("context", "flag", True, "false: results are read by themselves, without their documents")
OF_DOCUMENTS = ("order", "start")


class DocumentListMeasure(SumOfTerms):
    """A measure of a list of documents, each with a document score from 0 to 1.

    With ``context=false`` it is a list of results, each read by itself (Effort section 6).
    """

    question = questions.DOCUMENTS
    parameters = (SCORE, CONTEXT)
    ranks_documents = True

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.document_score: DocumentScore = score_named(self.given.score, self.label, effort=False)
        if not self.given.context:
            refuse_documents(self.given.score, self.label)
            self.ranks_documents = False
            self.first_ranks_tell = False  # later results cut the text elsewhere, which shows in last digits

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        self.document_score.prepare(ground)

    def summed_scores(self, aligned: Aligned) -> np.ndarray:
        """The sum of S(d) down each topic's list."""
        scores = scores_of_documents(aligned, self.given.score, self.given.context)
        return self.opened(aligned).by_topic.cumulate(scores)

    def opened(self, aligned: Aligned) -> Opened:
        """The documents or results that are read."""
        return opened(aligned, self.given.context)

    def relevant(self, ground: Ground) -> np.ndarray:
        """How many of them an ideal list of each topic would have."""
        return relevant_things(ground, self.given.context)


@once
def scores_of_documents(aligned: Aligned, score: Call, context: bool) -> np.ndarray:
    """S(d) of every document, or result, for all measures that use the same score."""
    return score_named(score, str(score), effort=False)(opened(aligned, context))


def opened(aligned: Aligned, context: bool) -> Opened:
    """What a reader opens: documents or, without context, results by themselves."""
    return open_documents(aligned) if context else open_results(aligned)


def relevant_things(ground: Ground, context: bool) -> np.ndarray:
    """The number of relevant documents of each topic or, without context, of relevant passages."""
    return relevant_documents(ground) if context else relevant_passages(ground)


def refuse_documents(score: Call, label: str) -> None:
    """Refuse a score, or a parameter of one, that is about documents where results are read by themselves."""
    given = [key for key, _ in score.arguments if key in OF_DOCUMENTS]
    if DOCUMENT_SCORES.named(score.name, label).of_documents or given:
        raise UsageError(
            f"{label!r}: {given[0] if given else score.name} would do nothing: it is about documents, and "
            "results are read by themselves (context=false)"
        )
    for _, value in score.arguments:
        if isinstance(value, Call):
            refuse_documents(value, label)


@once
def relevant_documents(ground: Ground) -> np.ndarray:
    """The number of relevant documents of each topic: Trel."""
    relevant = ground.assessments.pair_topic[ground.pair_relevant > 0]
    return np.bincount(relevant, minlength=len(ground.topics))
