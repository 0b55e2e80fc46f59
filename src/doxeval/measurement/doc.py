"""A document score by itself."""

from __future__ import annotations

import numpy as np

from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure, register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.document_lists import SCORE, relevant_documents, within_rank
from doxeval.measurement.families.shares import Shares
from doxeval.reader.effort.opened import open_documents
from doxeval.reader.effort.score import score_named


@register
class MeanDocumentScore(Measure):
    """Mean document score over the relevant documents retrieved, wherever they stand.

    ``aveChP@doc`` is short for ``Doc(score=aveChP)``. ``over=relevant`` divides by all relevant documents of
    the topic: one that was not retrieved counts as an irrelevant one would. Without any relevant document
    retrieved the value is that of an irrelevant document.
    """

    name = "Doc"
    user = "Is handed the relevant documents of the run and reads in each as the document score says."
    paper = "Effort section 4 (document scores); INEX 2006-07 for BEPD with over=relevant"
    parameters = (
        SCORE,
        Parameter(
            "over", "choice", "retrieved", "which documents are averaged", choices=("retrieved", "relevant")
        ),
    )
    cutoff = "optional"
    example = "Doc(score=aveChP)"

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.document_score = score_named(self.given.score, self.label)
        self.higher_is_better = not self.document_score.effort  # type: ignore[misc]

    @property
    def low(self) -> float:
        return self.document_score.low

    @property
    def high(self) -> float:
        return self.document_score.high

    def score(self, topics: Aligned) -> np.ndarray:
        opened = open_documents(topics)
        counted = opened.is_relevant & within_rank(opened, self.rank)
        gain = opened.per_topic(np.where(counted, self.document_score(opened), 0))
        found = opened.per_topic(counted)
        nothing = self.document_score.of_nothing
        if self.given.over == "relevant":
            wanted = relevant_documents(topics.ground)
            return ratio(gain + nothing * (wanted - found), wanted)
        return np.where(found > 0, ratio(gain, found), nothing)

    def shares(self, topics: Aligned) -> Shares:
        opened = open_documents(topics)
        counted = opened.is_relevant & within_rank(opened, self.rank)
        found, wanted = opened.per_topic(counted), relevant_documents(topics.ground)
        gain = np.where(counted, self.document_score(opened), 0)
        nothing = self.document_score.of_nothing
        if self.given.over == "relevant":
            divisor, rest = wanted, ratio(nothing * (wanted - found), wanted)
        else:
            divisor, rest = found, np.where(found > 0, 0.0, nothing)
        added = opened.per_result(ratio(gain, divisor[opened.topic]))
        return Shares(topics, added, rest, "the document's score / documents averaged")
