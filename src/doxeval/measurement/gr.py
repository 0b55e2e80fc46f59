"""Generalised recall of a list of documents."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure, register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.document_lists import per_relevant_document, relevant_documents, within_rank
from doxeval.measurement.families.shares import Shares
from doxeval.reader.effort.opened import open_documents


@register
class GeneralisedRecall(Measure):
    """Relevant documents among the first r, divided by all relevant documents of the topic.

    A relevant document counts although its retrieved passages miss the relevant text.
    """

    name = "gR"
    user = "Opens r documents and asks how many of all relevant ones these are."
    paper = "Effort section 3.1.1; INEX relevant in context"
    cutoff = "optional"
    grows = True
    example = "gR@10"

    def score(self, topics: Aligned) -> np.ndarray:
        opened = open_documents(topics)
        found = opened.is_relevant & within_rank(opened, self.rank)
        return per_relevant_document(topics, opened, found)

    def shares(self, topics: Aligned) -> Shares:
        opened = open_documents(topics)
        found = opened.is_relevant & within_rank(opened, self.rank)
        added = ratio(found, relevant_documents(topics.ground)[opened.topic])
        return Shares.of_results(
            topics, opened.per_result(added), "1 / relevant documents, where one is opened"
        )
