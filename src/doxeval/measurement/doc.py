"""A document score on its own."""

from __future__ import annotations

import numpy as np

from doxeval.core.grammar import Expression
from doxeval.core.parameters import choice
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families import questions
from doxeval.measurement.families.document_lists import SCORE, relevant_documents
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.effort.opened import open_documents
from doxeval.reader.effort.score import score_named


class MeanDocumentScore(SumOfTerms):
    """Mean document score over the relevant documents retrieved, at any rank.

    ``aveChP@doc`` is short for ``Doc(score=aveChP)``. ``over=relevant`` divides by all relevant documents of
    the topic: one that was not retrieved counts like an irrelevant one. If no relevant document was
    retrieved, the value is that of an irrelevant document.
    """

    name = "Doc"
    question = questions.DOCUMENTS
    user = "Is given the relevant documents of the run and reads each as the document score says."
    paper = "Effort section 4 (document scores); INEX 2006-07 for BEPD with over=relevant"
    parameters = (SCORE, choice("over", "retrieved relevant", "which documents are averaged"))
    ranks_documents = True
    example = "Doc(score=aveChP)"
    variants = ("score=LE", "score=aveChP,over=relevant", "score=LE,over=relevant")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.document_score = score_named(self.given.score, self.label)
        if self.document_score.effort:
            self.higher_is_better, self.unit = False, "effort"

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        self.document_score.prepare(ground)

    @property
    def low(self) -> float:
        return self.document_score.low

    @property
    def high(self) -> float:
        return self.document_score.high

    def terms(self, aligned: Aligned) -> Terms:
        opened, nothing = open_documents(aligned), self.document_score.of_nothing
        gained = opened.by_topic.cumulate(np.where(opened.is_relevant, self.document_score(opened), 0))
        found = opened.by_topic.cumulate(opened.is_relevant)
        meaning = "the document's score / documents averaged"
        if self.given.over == "retrieved":
            return Terms(aligned, gained, found, meaning, opened, empty=nothing)
        wanted = relevant_documents(aligned.ground)
        total = wanted[opened.topic]
        return Terms(
            aligned, gained + nothing * (total - found), total, f"{meaning}, less that of one not retrieved",
            opened, start=nothing * wanted, empty=nothing,
        )  # fmt: skip
