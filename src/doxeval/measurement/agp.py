"""Average generalised precision, the INEX measure of relevant in context."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.document_lists import (
    DocumentListMeasure,
    per_relevant_document,
    relevant_documents,
    within_rank,
)
from doxeval.measurement.families.shares import Shares
from doxeval.reader.effort.opened import open_documents


@register
class AverageGeneralisedPrecision(DocumentListMeasure):
    """Mean of gP at the ranks of relevant documents, over all relevant documents of the topic.

    AgP = sum over ranks r of isrel(d_r) gP[r], divided by Trel. A relevant document with score 0 is still a
    recall point. The mean over topics is INEX's MAgP.
    """

    name = "AgP"
    aliases = ("MAgP",)
    user = "Opens documents until some relevant one is reached, and reads in each as the document score says."
    paper = "Effort section 3.1.1; INEX 2007-10 relevant in context"
    cutoff = "optional"
    example = "AgP(score=aveChP)"

    def score(self, topics: Aligned) -> np.ndarray:
        opened = open_documents(topics)
        counted = opened.is_relevant & within_rank(opened, self.rank)
        return per_relevant_document(topics, opened, np.where(counted, self.generalised_precision(opened), 0))

    def shares(self, topics: Aligned) -> Shares:
        opened = open_documents(topics)
        counted = opened.is_relevant & within_rank(opened, self.rank)
        gain = np.where(counted, self.generalised_precision(opened), 0)
        added = ratio(gain, relevant_documents(topics.ground)[opened.topic])
        meaning = "gP at the rank of each relevant document / relevant documents"
        return Shares.of_results(topics, opened.per_result(added), meaning)
